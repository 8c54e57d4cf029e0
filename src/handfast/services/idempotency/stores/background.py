"""Work that nobody waits for, bounded, and never a warning at exit."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from handfast.base.logs import get_logger

TASKS_MAX = 1000  # what is beyond is dropped: all of it is only to make things faster

log = get_logger(__name__)


class Background:
    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> bool:
        """False if there is too much already: then it is dropped."""
        if len(self._tasks) >= TASKS_MAX:
            work.close()
            return False
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return True

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("idempotency_background_failed", error=repr(error))

    async def close(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
