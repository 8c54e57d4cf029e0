"""This process as others see it: a row that says until when it is believed to live.

Claims name their server. When it dies, its row is not renewed any more, and 4.5 s later whoever
asks again takes over. The row is renewed every 1.5 s while the process has claims, by a thread with
a loop and a connection of its own: a handler that computes for a minute does not stop it. A process
without claims renews nothing; the thread sleeps, and its connection is closed.

One row for all claims has a catch: a claim that the process does not know of (the connection broke
before the answer came, or the claim could not be given back) would live as long as the process. So
after any such trouble the process goes by a new name. The old one is renewed only for those that
are known to run under it, and dies with the last of them.
"""

import asyncio
import os
import secrets
import threading
import time
from collections.abc import Sequence
from datetime import timedelta
from types import NoneType

import asyncpg

from handfast.base import supervise
from handfast.base.logs import get_logger
from handfast.db.connect import Target, connect
from handfast.db.outage import put_off
from handfast.db.statements import statement
from handfast.services.idempotency.stores.store import Call

LEASE_PARTS = 3  # of a lease, after each of which it is renewed
QUIET_PARTS = 10  # so many without a claim, and the thread goes to sleep
BLOCKED_SECONDS_MAX = 60.0  # a loop that does not turn for longer is not believed in any more
STOP_SECONDS_MAX = 5.0

_RENEW = statement("idempotency.renew", row=NoneType)

log = get_logger(__name__)


class ServerProcess:
    """The names of one store, and the thread that keeps them alive. What is called by the thread
    says so; everything else belongs to the loop of the process."""

    def __init__(self, lease: timedelta) -> None:
        self._lease = lease
        self._every = lease.total_seconds() / LEASE_PARTS
        self._pid = 0
        self._forget()

    def _forget(self) -> None:
        self._id = 0
        self._held: dict[Call, int] = {}
        self._renewed_at: dict[int, float] = {}
        self._thread: RenewalThread | None = None

    # --- claims -------------------------------------------------------------------------------

    @property
    def id(self) -> int:
        """The present name. Another after a fork: the child does not live as long as its parent."""
        if self._pid != os.getpid():
            self._pid = os.getpid()
            self._forget()
        if not self._id:
            self._id = secrets.randbits(62) + 1
        return self._id

    def due(self, server: int) -> timedelta | None:
        """The lease that a claim has to renew on its way; None if that was done just now, and the
        thread will do it again in time."""
        return self._lease if self._is_due(server) else None

    def _is_due(self, server: int) -> bool:
        renewed_at = self._renewed_at.get(server)
        return renewed_at is None or time.monotonic() - renewed_at >= self._every / 2

    def hold(self, server: int, calls: Sequence[Call], asked_at: float, target: Target) -> None:
        """These were claimed under this name, which was renewed with them if it was ``asked_at``
        some moment, and not 0."""
        if not calls:
            return
        if asked_at:
            self._renewed_at[server] = asked_at
        self._held.update(dict.fromkeys(calls, server))
        if self._thread is None or not self._thread.is_alive():
            self._thread = RenewalThread(self, target)
            self._thread.start()
        self._thread.wake()

    def drop(self, call: Call) -> None:
        """It has ended, one way or the other. A second time means nothing."""
        self._held.pop(call, None)

    def retire(self) -> None:
        """There may be a claim under the present name that nobody knows of."""
        self._id = 0

    async def close(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None and self._pid == os.getpid():
            await thread.stop()

    # --- for the thread -----------------------------------------------------------------------

    @property
    def every(self) -> float:
        return self._every

    @property
    def is_busy(self) -> bool:
        return bool(self._held)

    def names(self) -> list[int]:
        """Those under which something runs, and that were not renewed a moment ago."""
        names = sorted(set(self._held.copy().values()))  # copied at once: it may be changed
        return [name for name in names if self._is_due(name)]

    async def renew(self, connection: "asyncpg.Connection", names: list[int]) -> None:
        asked_at = time.monotonic()
        async with asyncio.timeout(self._lease.total_seconds()):
            await _RENEW.run(connection, names, self._lease)
        self._renewed_at.update(dict.fromkeys(names, asked_at))
        for old in self._renewed_at.keys() - {self._id, *names}:
            del self._renewed_at[old]


class RenewalThread:
    def __init__(self, server: ServerProcess, target: Target) -> None:
        self._thread = threading.Thread(target=self._run, name="handfast-idempotency", daemon=True)
        self._server = server
        self._target = target
        self._process = asyncio.get_running_loop()
        self._turned_at = time.monotonic()
        self._loop = asyncio.new_event_loop()
        self._wanted = asyncio.Event()
        self._asleep = True
        self._quiet = 0  # rounds without a claim
        self._stopped = asyncio.Event()
        self._connection: asyncpg.Connection | None = None

    # --- for the loop of the process ----------------------------------------------------------

    def start(self) -> None:
        self._thread.start()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def wake(self) -> None:
        """Nothing, nearly always: while there are claims, it is awake."""
        if self._asleep:
            self._asleep = False
            self._turned_at = time.monotonic()
            self._loop.call_soon_threadsafe(self._wanted.set)

    async def stop(self) -> None:
        if self.is_alive():
            self._loop.call_soon_threadsafe(self._stopped.set)
            await asyncio.to_thread(self._thread.join, STOP_SECONDS_MAX)

    # --- in the thread ------------------------------------------------------------------------

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._until_stopped())

    async def _until_stopped(self) -> None:
        work = supervise.start("idempotency-renewal", self._renew_all)
        stopped = asyncio.create_task(self._stopped.wait())
        await asyncio.wait({work, stopped}, return_when=asyncio.FIRST_COMPLETED)
        for task in (work, stopped):
            task.cancel()
        await asyncio.wait({work, stopped})
        self._hang_up()

    async def _renew_all(self) -> None:
        """Until it is stopped, or the process has no loop any more."""
        self._quiet = 0
        while not self._process.is_closed():
            if self._quiet >= QUIET_PARTS and not self._server.is_busy:
                self._hang_up()
                self._wanted.clear()
                self._asleep = True
                if self._server.is_busy:  # since we looked: whose wake() found us awake
                    self._asleep = False
                else:
                    await self._wanted.wait()
                self._quiet = 0
            await asyncio.sleep(self._server.every)
            names = self._server.names() if self._is_believed() else []
            self._quiet = 0 if self._server.is_busy else self._quiet + 1
            if names:
                await self._renew(names)

    async def _renew(self, names: list[int]) -> None:
        try:
            if self._connection is None or self._connection.is_closed():
                self._connection = await connect(
                    self._target,
                    server_settings={"application_name": "handfast-idempotency"},
                    timeout=self._server.every,
                )
            await self._server.renew(self._connection, names)
        except Exception as error:  # whatever it is, the next round tries again
            self._hang_up()
            put_off(log, "idempotency_renewal_failed", error)

    def _is_believed(self) -> bool:
        """Whether the loop of the process has turned lately; asks it to say so again."""
        try:
            self._process.call_soon_threadsafe(self._turned)
        except RuntimeError:  # it was closed just now
            return False
        return time.monotonic() - self._turned_at < BLOCKED_SECONDS_MAX

    def _turned(self) -> None:
        self._turned_at = time.monotonic()

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None
