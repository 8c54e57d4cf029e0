"""LISTEN, on one connection of its own that is made again whenever it breaks.

A notification is a hint, never the truth: some are lost while the connection is down. So every
subscriber is also woken, with an empty payload, each time the connection is made anew; it then
looks for itself what it may have missed.

Some connections hear nothing at all, and do not know it: behind a pooler that gives the session to
somebody else after each transaction. With a pool to speak through, the listener sends itself a word
and believes that it ``hears`` when that has arrived.
"""

import asyncio
import contextlib
from collections.abc import Callable
from functools import partial
from types import NoneType
from typing import Any, Self
from uuid import uuid4

import asyncpg

from handfast.base import supervise
from handfast.base.errors import DatabaseError
from handfast.base.logs import get_logger
from handfast.base.telemetry import LISTENER_RECONNECTS
from handfast.db.connect import Target, connect
from handfast.db.outage import OUTAGE, PASSING
from handfast.db.pool import Database
from handfast.db.statements import statement

Wake = Callable[[str], None]

RECONNECT_SECONDS_MAX = 5.0
PROBE_SECONDS = 15.0  # how often a connection that says nothing is asked
ANSWER_SECONDS = 5.0  # and how soon it must answer

_ECHO = statement("db.echo", row=NoneType)

log = get_logger(__name__)


class Listener:
    """Subscriptions to channels, for everybody in a process. Use as an async context manager. Has a
    connection only while there are subscribers."""

    def __init__(
        self,
        target: Target,
        *,
        through: Database | None = None,
        application: str = "handfast-listener",
    ) -> None:
        self._target = target
        self._application = application
        self._through = through
        self._echo = f"handfast_echo_{uuid4().hex}"
        self._subscribers: dict[str, list[Wake]] = {}
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._heard = False
        self.connected = asyncio.Event()

    @property
    def hears(self) -> bool:
        """What is notified now arrives here: that was tried since the connection was made."""
        return self._heard and self.connected.is_set()

    def subscribe(self, channel: str, wake: Wake) -> Callable[[], None]:
        """Call ``wake(payload)`` for each notification, until what this answers is called."""
        self._subscribers.setdefault(channel, []).append(wake)
        self._changed.set()
        return partial(self._unsubscribe, channel, wake)

    def _unsubscribe(self, channel: str, wake: Wake) -> None:
        self._subscribers[channel].remove(wake)
        if not self._subscribers[channel]:
            del self._subscribers[channel]
            self._changed.set()

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
            while not self._subscribers:
                self._changed.clear()
                await self._changed.wait()
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
                self._heard = False
            if self._subscribers:
                LISTENER_RECONNECTS.inc()

    async def _listen_until_broken(self) -> None:
        """Or until nobody listens any more."""
        connection = await connect(
            self._target, server_settings={"application_name": self._application}
        )
        broken = asyncio.Event()
        connection.add_termination_listener(lambda *_: self._end(broken))
        listening: set[str] = set()
        try:
            while self._subscribers and not broken.is_set():
                self._changed.clear()
                await self._follow(connection, listening)
                self.connected.set()
                await self._prove()
                try:
                    async with asyncio.timeout(PROBE_SECONDS):
                        await self._changed.wait()
                except TimeoutError:
                    await connection.execute("SELECT", timeout=ANSWER_SECONDS)
                    if OUTAGE.since is not None:
                        OUTAGE.answered()
        finally:
            connection.terminate()

    def _end(self, broken: asyncio.Event) -> None:
        broken.set()
        self._changed.set()

    async def _follow(self, connection: "asyncpg.Connection", listening: set[str]) -> None:
        """Listen to what is subscribed to, and to nothing else."""
        wanted = {*self._subscribers, *([self._echo] if self._through else [])}
        new, old = wanted - listening, listening - wanted
        async with asyncio.timeout(self._target.connect_timeout):
            for channel in new:
                await connection.add_listener(channel, self._deliver)
            for channel in old:
                await connection.remove_listener(channel, self._deliver)
        listening ^= new | old
        for channel in new & self._subscribers.keys():
            self._wake(channel, "")

    async def _prove(self) -> None:
        if self._through is None or self._heard:
            return
        with contextlib.suppress(*PASSING):
            async with self._through.connection() as connection:
                await _ECHO.run(connection, self._echo)

    def _deliver(self, _connection: Any, _pid: int, channel: str, payload: object) -> None:
        if channel == self._echo:
            self._heard = True
        self._wake(channel, str(payload))

    def _wake(self, channel: str, payload: str) -> None:
        for wake in list(self._subscribers.get(channel, ())):
            wake(payload)
