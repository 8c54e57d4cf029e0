"""SIGTERM and Ctrl-C, for commands that run until then.

They are heard by a thread of their own. A handler that computes without a pause keeps the event
loop from hearing anything, and one that swallows its cancellation would keep the process for ever.
The first signal asks everything to stop in good order, and says what is being waited for. A second
one hands back and leaves at once. Whatever happens then, the process ends: a deployment that waits
for it must not have to kill it.
"""

import asyncio
import contextlib
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any, Self

from handfast.base.extras import extra
from handfast.base.logs import get_logger
from handfast.engine.host import Host

with extra("server"):
    import uvloop

SLACK_SECONDS = 10.0  # beyond the grace period: to write down what ended, and to close everything
HURRY_SECONDS = 10.0  # the same after a second signal; handlers may take five to clean up
EXIT_STUCK = 11
SIGNALS = (signal.SIGINT, signal.SIGTERM)

log = get_logger(__name__)


class Stopping:
    """From here on, signals stop what runs: ``stop`` is called on the event loop, once."""

    def __init__(
        self, stop: Callable[[], None], host: Host | None = None, *, grace: float = 0.0
    ) -> None:
        self._stop = stop
        self._host = host
        self._grace = max(grace, host.options.grace if host is not None else 0.0)
        self._loop = asyncio.get_running_loop()
        self._heard = 0
        self._end_at: float | None = None
        self._ears, self._mouth = socket.socketpair()
        self._mouth.setblocking(False)

    def __enter__(self) -> Self:
        # The C handler of every signal writes to this descriptor, whatever the interpreter is at.
        signal.set_wakeup_fd(self._mouth.fileno(), warn_on_full_buffer=False)
        for number in SIGNALS:
            signal.signal(number, lambda *_: None)
        threading.Thread(target=self._listen, name="handfast-signals", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Once told to stop, it goes on listening and counting until the process has ended."""
        if not self._heard:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def _listen(self) -> None:
        while True:
            left = None if self._end_at is None else max(0.0, self._end_at - time.monotonic())
            self._ears.settimeout(left or (None if left is None else 0.001))
            try:
                numbers = self._ears.recv(64)
            except TimeoutError:
                self._end()
            for _ in [number for number in numbers if number in SIGNALS]:
                self._hear()

    def _hear(self) -> None:
        self._heard += 1
        if self._heard == 1:
            self._end_at = time.monotonic() + self._grace + SLACK_SECONDS
            if running := waited_for(self._host):
                say(
                    f"Waiting at most {self._grace:g} s for {running}. A second Ctrl-C hands back "
                    "what still runs and leaves at once."
                )
            self._on_loop(self._stop)
        elif self._heard == 2:
            self._end_at = time.monotonic() + HURRY_SECONDS
            say("Handing back what still runs.")
            self._on_loop(self._hurry)
        else:
            self._end()

    def _hurry(self) -> None:
        if self._host is not None:
            self._host.stop(at_once=True)

    def _on_loop(self, call: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: we are nearly there
            self._loop.call_soon_threadsafe(call)

    def _end(self) -> None:
        running = waited_for(self._host)
        log.error("process_ended_by_force", running=running, exit_code=EXIT_STUCK)
        say(
            f"Ended by force: {running or 'something'} would not stop. What it held comes back "
            "when its lease ends."
        )
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        os._exit(EXIT_STUCK)


def say(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # nobody may be listening any more
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def waited_for(host: Host | None) -> str:
    """What runs, the longest first: ``mail.send user-7 (for 3 s) and 2 more``."""
    now = time.monotonic()
    at_work = [] if host is None else host.running
    running = sorted((since, job.kind, job.key) for since, job in at_work)
    if not running:
        return ""
    since, kind, key = running[0]
    more = f" and {len(running) - 1:,} more" if len(running) > 1 else ""
    return f"{kind} {key} (for {now - since:.0f} s){more}"


def stop_while_starting() -> None:
    """Until ``Stopping`` takes over, SIGTERM unwinds what has been started, as Ctrl-C does: workers
    may have jobs in hand before everything is up. For the main task of a command."""
    task = asyncio.current_task()
    assert task is not None  # noqa: S101
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)


def run_command(main: Coroutine[Any, Any, None]) -> None:
    """What a command runs until it is told to stop, also while it starts."""

    async def command() -> None:
        stop_while_starting()
        await main

    with contextlib.suppress(asyncio.CancelledError):
        uvloop.run(command())


async def until_told(host: Host, announce: Callable[[], None]) -> None:
    """Announced only when a signal would be heard: who reads it may send one at once."""
    told = asyncio.Event()
    with Stopping(told.set, host):
        announce()
        await told.wait()
        host.stop()
