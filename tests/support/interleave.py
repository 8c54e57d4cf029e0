"""Interleavings as scripts: named sessions on real connections, and steps in an order we choose.

async with Stage(dsn) as stage:
    a, b = await stage.sessions("a", "b")
    await a.begin()
    await a.run("SELECT handfast_engine.finish(…)")
    late = b.start("SELECT handfast_engine.rescue(10)")   # runs in the background
    await stage.blocked("b", by="a")             # really waits for a's lock, says the server
    await a.commit()
    assert await late == 0
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Self

import asyncpg

from tests.support.eventually import eventually_async

_WAITING = "SELECT count(*) FROM pg_stat_activity AS a WHERE $1 = ANY (pg_blocking_pids(a.pid))"


class Session:
    """One connection with a name."""

    def __init__(self, name: str, connection: "asyncpg.Connection") -> None:
        self.name = name
        self.connection = connection
        self.pid: int = connection.get_server_pid()

    async def run(self, sql: str, *args: Any) -> Any:
        """The first value of the first row."""
        return await self.connection.fetchval(sql, *args)

    async def rows(self, sql: str, *args: Any) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in await self.connection.fetch(sql, *args)]

    def start(self, sql: str, *args: Any) -> "asyncio.Task[Any]":
        return asyncio.create_task(self.run(sql, *args), name=self.name)

    def start_rows(self, sql: str, *args: Any) -> "asyncio.Task[list[tuple[Any, ...]]]":
        return asyncio.create_task(self.rows(sql, *args), name=self.name)

    async def begin(self) -> None:
        await self.connection.execute("BEGIN")

    async def commit(self) -> None:
        await self.connection.execute("COMMIT")

    async def rollback(self) -> None:
        await self.connection.execute("ROLLBACK")


class Stage:
    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._sessions: dict[str, Session] = {}
        self._watcher: asyncpg.Connection | None = None

    async def __aenter__(self) -> Self:
        self._watcher = await asyncpg.connect(self._dsn)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._watcher is not None
        await self._watcher.close()
        for session in self._sessions.values():
            session.connection.terminate()

    async def sessions(self, *names: str) -> list[Session]:
        for name in names:
            self._sessions[name] = Session(name, await asyncpg.connect(self._dsn))
        return [self._sessions[name] for name in names]

    async def blocked(self, name: str, *, by: str) -> None:
        """Wait until ``name`` waits for a lock that ``by`` holds."""
        assert self._watcher is not None
        waiting, holding = self._sessions[name].pid, self._sessions[by].pid

        async def looks_blocked() -> bool:
            pids: Sequence[int] = await self._watcher.fetchval(  # type: ignore[union-attr]
                "SELECT pg_blocking_pids($1)", waiting
            )
            return holding in pids

        await eventually_async(looks_blocked)

    async def blocking(self, name: str) -> None:
        """Wait until anybody waits for a lock that ``name`` holds."""

        async def somebody_waits() -> bool:
            return bool(await self.look(_WAITING, self._sessions[name].pid))

        await eventually_async(somebody_waits)

    async def waiting(self, name: str) -> None:
        """Wait until ``name`` waits for a lock, whoever holds it."""
        pid = self._sessions[name].pid

        async def waits() -> bool:
            return bool(await self.look("SELECT pg_blocking_pids($1) <> '{}'", pid))

        await eventually_async(waits)

    async def look(self, sql: str, *args: Any) -> Any:
        """What everybody can see: committed."""
        assert self._watcher is not None
        return await self._watcher.fetchval(sql, *args)

    async def state(self, job: int) -> str:
        found: str = await self.look(
            "SELECT coalesce(j.state, l.state)::text FROM handfast_engine.jobs AS j "
            "LEFT JOIN handfast_engine.live AS l ON l.id = j.id WHERE j.id = $1",
            job,
        )
        return found
