"""LISTEN, on a connection of its own that is made again whenever it breaks.

A notification is a hint, never the truth: some are lost while the connection is down. So every
subscriber is also woken, with an empty payload, each time the connection is made anew; it then
looks for itself what it may have missed.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, Self

import asyncpg

from handfast.base import supervise
from handfast.base.errors import DatabaseError
from handfast.base.logs import get_logger
from handfast.base.telemetry import LISTENER_RECONNECTS
from handfast.db.connect import Target, connect
from handfast.db.outage import OUTAGE

Wake = Callable[[str], None]

RECONNECT_SECONDS_MAX = 5.0
PROBE_SECONDS = 15.0  # how often a connection that says nothing is asked
ANSWER_SECONDS = 5.0  # and how soon it must answer

log = get_logger(__name__)


class Listener:
    """Subscriptions to channels. Use as an async context manager."""

    def __init__(self, target: Target, *, application: str = "handfast-listener") -> None:
        self._target = target
        self._application = application
        self._subscribers: dict[str, list[Wake]] = {}
        self._task: asyncio.Task[None] | None = None
        self.connected = asyncio.Event()

    def subscribe(self, channel: str, wake: Wake) -> None:
        """Call ``wake(payload)`` for each notification. Subscribe before entering the context."""
        self._subscribers.setdefault(channel, []).append(wake)

    async def __aenter__(self) -> Self:
        self._task = supervise.start("listener", self._run)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _run(self) -> None:
        delay = 0.0
        while True:
            await asyncio.sleep(delay)
            try:
                await self._listen_until_broken()
                delay = 0.0
            except (
                OSError,
                DatabaseError,
                asyncpg.PostgresError,
                asyncpg.InterfaceError,
                asyncpg.InternalClientError,  # a farewell that meets our next statement
            ) as why:
                OUTAGE.noticed(why)
                delay = min(RECONNECT_SECONDS_MAX, max(0.1, delay * 2))
            finally:
                self.connected.clear()
            LISTENER_RECONNECTS.inc()

    async def _listen_until_broken(self) -> None:
        connection = await connect(
            self._target, server_settings={"application_name": self._application}
        )
        broken = asyncio.Event()
        connection.add_termination_listener(lambda *_: broken.set())
        try:
            async with asyncio.timeout(self._target.connect_timeout):
                for channel in self._subscribers:
                    await connection.add_listener(channel, self._deliver)
            self.connected.set()
            for channel in self._subscribers:
                self._wake(channel, "")
            while not broken.is_set():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(broken.wait(), PROBE_SECONDS)
                    break
                await connection.execute("SELECT", timeout=ANSWER_SECONDS)
                if OUTAGE.since is not None:
                    OUTAGE.answered()
        finally:
            connection.terminate()

    def _deliver(self, _connection: Any, _pid: int, channel: str, payload: object) -> None:
        self._wake(channel, str(payload))

    def _wake(self, channel: str, payload: str) -> None:
        for wake in self._subscribers.get(channel, ()):
            wake(payload)
