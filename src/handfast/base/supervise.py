"""Work that goes on as long as its process does, and never ends without a word.

A loop that raised what nobody had thought of used to end its task, and nothing else: no line in the
log, a process that said it was ready, and jobs that were never promoted again. Every such loop of
ours runs in here. One that dies is logged with its traceback, counted, begun again after a pause
(longer each time, so that a fault that stays fills no disk), and makes ``/ready`` say so until it
has held out for a while.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from prometheus_client import Counter

from handfast.base.logs import get_logger
from handfast.base.telemetry import REGISTRY

PAUSE_SECONDS_MIN = 1.0
PAUSE_SECONDS_MAX = 30.0
WELL_SECONDS = 10.0  # having run for so long since it died, it is believed to be well again

DEATHS = Counter(
    "handfast_background_deaths_total",
    "Background tasks that ended by an error, and were begun again.",
    ["task"],
    registry=REGISTRY,
)

Work = Callable[[], Coroutine[Any, Any, None]]

log = get_logger(__name__)
_kept: set["_Kept"] = set()  # of all loops and threads of this process


class _Kept:
    """One of them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.deaths = 0  # in a row
        self.resting = False
        self.began = time.monotonic()

    @property
    def well(self) -> bool:
        held_out = time.monotonic() - self.began > WELL_SECONDS
        return not self.resting and (self.deaths == 0 or held_out)

    def died(self, error: BaseException) -> float:
        """Told and counted; answers how long to pause."""
        self.deaths = 1 if self.well else self.deaths + 1
        self.resting = True
        DEATHS.labels(self.name).inc()
        pause = min(PAUSE_SECONDS_MAX, PAUSE_SECONDS_MIN * 2.0 ** min(self.deaths - 1, 10))
        log.error("background_task_died", task=self.name, again_in=pause, exc_info=error)
        return pause


def start(name: str, work: Work, *, stopping: asyncio.Event | None = None) -> asyncio.Task[None]:
    """A task that keeps ``work`` going; cancel it, or let ``work`` return, to end it."""
    return asyncio.create_task(keep(name, work, stopping=stopping), name=f"handfast-{name}")


async def cancel(tasks: Iterable[asyncio.Task[None]]) -> None:
    """End them, and wait until they have."""
    tasks = list(tasks)
    for task in tasks:
        task.cancel()
    for task in tasks:
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def keep(name: str, work: Work, *, stopping: asyncio.Event | None = None) -> None:
    """Do ``work`` until it returns, however often it raises. A pause ends at once when
    ``stopping`` is set; then ``work`` is called once more, to leave in good order."""
    kept = _Kept(name)
    _kept.add(kept)
    try:
        while True:
            kept.began = time.monotonic()
            try:
                return await work()
            except asyncio.CancelledError as cancelled:
                task = asyncio.current_task()
                if task is None or task.cancelling():
                    raise
                pause = kept.died(cancelled)  # of something that it waited for: nobody stops us
            except Exception as error:
                pause = kept.died(error)
            await _rest(pause, stopping)
            kept.resting = False
    finally:
        _kept.discard(kept)


async def _rest(seconds: float, stopping: asyncio.Event | None) -> None:
    if stopping is None:
        await asyncio.sleep(seconds)
        return
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await stopping.wait()


def ailing() -> list[str]:
    """The names of those that have died lately."""
    return sorted({kept.name for kept in list(_kept) if not kept.well})
