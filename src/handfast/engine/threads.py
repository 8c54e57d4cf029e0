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
            result = context.run(function, *args)
        except BaseException as raised:
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=work, name="handfast-handler", daemon=True).start()
    result, error = await done
    if error is not None:
        raise error
    return result
