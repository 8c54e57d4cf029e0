"""Many streams on one real server process: what they cost the database and the process, and
one user who opens them without end. ``--streams 1000`` is the long form; ``-s`` shows the figures.
"""

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

import pytest
from bench.roundtrips import Wire, counted
from litestar import Litestar

from handfast.db.pool import Database
from handfast.engine.events import NewEvent, emit_many
from handfast.engine.streams.hub import LOOKS_AT_ONCE, LOOKS_PER_SECOND, USER_STREAMS_MAX
from handfast.services.identity.authority import TokenAuthority
from handfast.services.identity.otp.signing_in import sign_in
from tests.support.calling import OPERATOR_TOKEN
from tests.support.eventually import eventually_async
from tests.support.signed_in import TEST_SECRET
from tests.support.up import READY

SECONDS = 6  # of traffic
OWN_PER_SECOND = 1.0  # what the server asks for itself: its listener, its settings
OF_THE_HUB = ("handfast_engine.look_for_events", "handfast_engine.sleepers")  # its statements


@asynccontextmanager
async def serving(dsn: str, folder: Path) -> AsyncIterator[tuple[str, int]]:
    """``handfast api``: its address and process id."""
    settings = {
        "DATABASE_URL": dsn,
        "HANDFAST_ADMIN_TOKEN": OPERATOR_TOKEN,
        "HANDFAST_IDENTITY_SECRET": TEST_SECRET,
        "HANDFAST_DATA_DIR": str(folder),
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "handfast", "api", "--port", "0"),
        env={**os.environ, **settings},
        stdout=PIPE,
        stderr=DEVNULL,
    )
    try:
        assert process.stdout is not None
        said = (await process.stdout.readline()).decode()
        yield said.removeprefix(READY).strip(), process.pid
    finally:
        process.terminate()
        await process.communicate()


class Listener:
    """``GET /events`` over a socket of its own; counts what it hears."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heard: list[bytes] = []
        self.status = 0
        self.writer = writer
        self._reader = reader

    @classmethod
    async def open(cls, url: str, token: str) -> "Listener":
        host, port = url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port), limit=2**16)
        asked = f"GET /events HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n"
        writer.write(asked.encode())
        listener = cls(reader, writer)
        listener.status = int((await reader.readline()).split()[1])
        while listener.status == 200 and not (await reader.readline()).startswith(b"retry: "):
            pass  # until its first word, before which the sign-in is looked at once more
        return listener

    async def listen(self) -> None:
        while line := await self._reader.readline():
            if line.startswith(b"id: "):
                self.heard.append(line[4:].strip())


def resident(pid: int) -> int:
    """Bytes of memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def tokens_of(api: Litestar, database: Database, count: int) -> dict[UUID, str]:
    authority: TokenAuthority = api.state.shared["identity"]
    found = {}
    async with database.transaction() as tx:
        for number in range(count):
            one = await sign_in(tx, api.state.system.hooks, authority.secret, f"+49152{number:08}")
            found[one.user_id] = await authority.issue(tx, one.user_id, one.sign_in_id)
    return found


@pytest.mark.on_linux  # memory is read from /proc
@pytest.mark.timeout(0)  # --streams can make it long
async def test_many_streams(
    api: Litestar, database: Database, dsn: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    count = int(request.config.getoption("--streams"))
    users = await tokens_of(api, database, count)
    async with counted(dsn) as wire, serving(wire.dsn, tmp_path) as (url, pid):
        first = await Listener.open(url, next(iter(users.values())))  # what is loaded once, is
        before = resident(pid)
        # Together: one after the other, each would wait for one of the hub's two looks a second.
        others = [Listener.open(url, token) for token in list(users.values())[1:]]
        listeners = [first, *await asyncio.gather(*others)]
        assert {one.status for one in listeners} == {200}
        reading = [asyncio.create_task(one.listen()) for one in listeners]
        try:
            looks, own = await with_traffic(database, wire, list(users), listeners)
            each = (resident(pid) - before) / count / 1024
            sys.stdout.write(
                f"{count} streams: {each:.1f} KiB each, {looks:.2f} queries/s for all of them "
                f"and {own:.2f} of the server's own\n"
            )
            await one_user_opens_many(url, users, count)
        finally:
            for one in listeners:
                one.writer.close()
            await asyncio.gather(*reading, return_exceptions=True)


async def with_traffic(
    database: Database, wire: Wire, users: list[UUID], listeners: list[Listener]
) -> tuple[float, float]:
    """Everybody hears everything in order; queries a second for all streams, and others of the
    server's own, which it would have without any."""
    sent, clock = 0, asyncio.get_running_loop().time
    wire.reset()
    start = clock()
    while clock() < start + SECONDS:
        events = [NewEvent("thing.happened", f"{sent}:{n}", {}, users[n::7]) for n in range(7)]
        async with database.transaction() as tx:
            await emit_many(tx, events)
        sent += 1
        await asyncio.sleep(0.1)

    async def all_heard() -> bool:
        return all(len(one.heard) >= sent for one in listeners)

    await eventually_async(all_heard)
    took, statements, trips = clock() - start, dict(wire.statements), wire.trips
    assert all(one.heard == [b"%d" % n for n in range(1, sent + 1)] for one in listeners)
    looks = sum(
        times for sql, times in statements.items() if any(name in sql for name in OF_THE_HUB)
    )
    assert looks > 0
    assert looks <= LOOKS_PER_SECOND * took + LOOKS_AT_ONCE
    # A connection that is made meanwhile asks for its types, whatever the rhythm.
    assert trips - looks <= OWN_PER_SECOND * took + 20, statements
    return looks / took, (trips - looks) / took


async def one_user_opens_many(url: str, users: dict[UUID, str], count: int) -> None:
    token = next(iter(users.values()))
    opened = await asyncio.gather(*(Listener.open(url, token) for _ in range(count)))
    found = [one.status for one in opened]
    for one in opened:
        one.writer.close()
    assert found.count(200) == USER_STREAMS_MAX - 1  # one of theirs listens
    assert found.count(429) == count - USER_STREAMS_MAX + 1
