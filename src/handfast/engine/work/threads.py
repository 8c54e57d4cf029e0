"""Plain functions, run beside the event loop.

Each call has a thread of its own, and a daemon at that: one that never returns is left behind at
its timeout. In a pool it would hold a place for ever, and keep the process from ending.
"""

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from handfast.engine.work.lease import Claimed


class Threads:
    """Those of one executor. A thread cannot be cancelled: while it goes on, its job is nobody
    else's."""

    def __init__(self) -> None:
        self._at_work: set[tuple[int, int]] = set()  # attempts, by job and token

    @property
    def jobs(self) -> set[int]:
        """The jobs whose threads have not returned."""
        return {job for job, _ in self._at_work}

    def run(self, job: Claimed, call: Callable[..., Any], *args: Any) -> Coroutine[Any, Any, Any]:
        attempt = (job.id, job.token)

        def work() -> Any:
            try:
                return call(*args)
            finally:
                self._at_work.discard(attempt)

        self._at_work.add(attempt)
        return in_thread(work)


async def in_thread(function: Callable[[], Any]) -> Any:
    loop = asyncio.get_running_loop()
    # Carried as a value: a future cannot carry StopIteration, and a GeneratorExit that comes out of
    # one closes whoever awaits it.
    done: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: Any, error: BaseException | None) -> None:
        if not done.done():
            done.set_result((result, error))

    def work() -> None:
        result, error = None, None
        try:
            result = context.run(function)
        except BaseException as raised:
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=work, name="handfast-handler", daemon=True).start()
    result, error = await done
    if error is not None:
        raise error
    return result
