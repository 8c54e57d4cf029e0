"""The thread that keeps a worker's lease, whatever its handlers do to the event loop.

It has a loop and a connection of its own. A handler that computes for a minute does not starve it;
one that blocks the loop for longer than the lease is no longer believed in: the beats stop, and
another worker takes over.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from datetime import timedelta

import asyncpg

from handfast.base import supervise
from handfast.base.errors import DatabaseError, WorkerLost
from handfast.base.logs import get_logger
from handfast.db.connect import Target, connect
from handfast.engine import lease, metrics
from handfast.engine.faults import put_off

BEAT_SECONDS_MAX = 5.0  # also how soon a running job learns that it is cancelled
BLOCKED_SECONDS_WARN = 5.0

log = get_logger(__name__)


class Heartbeat:
    """Beats until stopped. Calls back on the worker's own loop."""

    def __init__(
        self,
        target: Target,
        worker: int,
        lease_for: timedelta,
        *,
        on_cancel: Callable[[list[int]], None],
        on_lost: Callable[[], None],
    ) -> None:
        self._target = target
        self._worker = worker
        self._lease = lease_for
        self._every = min(BEAT_SECONDS_MAX, lease_for.total_seconds() / 3)
        self._on_cancel = on_cancel
        self._on_lost = on_lost
        self._loop = asyncio.get_running_loop()
        self._stop = threading.Event()
        self._asked_at = self._turned_at = self._beaten_at = time.monotonic()
        self._warned = False
        self._thread = threading.Thread(
            target=lambda: asyncio.run(supervise.keep("heartbeat", self._run)),
            name="handfast-heartbeat",
            daemon=True,
        )

    def start(self) -> None:
        self._thread.start()

    async def stop(self) -> None:
        self._stop.set()
        deadline = time.monotonic() + 10
        while self._thread.is_alive() and time.monotonic() < deadline:  # noqa: ASYNC110
            await asyncio.sleep(0.01)

    async def _run(self) -> None:
        connection: asyncpg.Connection | None = None
        while not self._stop.is_set():
            if self._loop_turns():
                try:
                    if connection is None or connection.is_closed():
                        connection = await connect(
                            self._target,
                            server_settings={"application_name": "handfast-heartbeat"},
                            timeout=self._every,
                        )
                    # Not for ever: a server that went silent must not hide that time passes.
                    cancelled = await asyncio.wait_for(
                        lease.beat(connection, self._worker, self._lease), self._every
                    )
                    self._beaten_at = time.monotonic()
                    if cancelled:
                        self._loop.call_soon_threadsafe(self._on_cancel, cancelled)
                except WorkerLost:
                    self._loop.call_soon_threadsafe(self._on_lost)
                    break
                except (
                    DatabaseError,
                    OSError,
                    asyncpg.PostgresError,
                    asyncpg.InterfaceError,
                    asyncpg.InternalClientError,
                ) as away:
                    put_off(log, "heartbeat_missed", away, worker=self._worker)
                    if connection is not None:
                        connection.terminate()
                        connection = None
            if time.monotonic() - self._beaten_at > self._lease.total_seconds():
                # We stop trusting the lease when it may have ended, without being told.
                self._loop.call_soon_threadsafe(self._on_lost)
                break
            await asyncio.to_thread(self._stop.wait, self._every)
        if connection is not None:
            connection.terminate()

    def _loop_turns(self) -> bool:
        """Whether the worker's loop has turned within the lease; asks it to report again."""
        now = time.monotonic()
        # Since it was asked, and not since it answered: a beat may take long by itself.
        blocked = now - self._asked_at if self._turned_at < self._asked_at else 0.0
        if not blocked:
            self._asked_at = now
            self._loop.call_soon_threadsafe(self._turned)
        if blocked > BLOCKED_SECONDS_WARN:
            metrics.LOOP_BLOCKED.inc(self._every)
            if not self._warned:
                log.error("handler_blocks_the_loop", worker=self._worker, seconds=round(blocked, 1))
                self._warned = True
        else:
            self._warned = False
        return blocked < self._lease.total_seconds()

    def _turned(self) -> None:
        self._turned_at = time.monotonic()
