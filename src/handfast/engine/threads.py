"""Plain functions, run beside the event loop.

Each call has a thread of its own, and a daemon at that: one that never returns is left behind at
its timeout. In a pool it would hold a place for ever, and keep the process from ending.
"""

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable
from typing import Any


async def in_thread(function: Callable[..., Any], *args: Any) -> Any:
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: Any, error: BaseException | None) -> None:
        if done.done():
            return
        if isinstance(error, StopIteration):  # a future cannot carry it
            error = RuntimeError("the handler raised StopIteration")
        if error is None:
            done.set_result(result)
        else:
            done.set_exception(error)

    def work() -> None:
        result, error = None, None
        try:
            result = context.run(function, *args)
        except BaseException as raised:
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=work, name="handfast-handler", daemon=True).start()
    return await done
