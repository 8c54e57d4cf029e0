"""Servers that die in every phase of a request: it is carried out once, and answered alike.

The table of effects has no unique constraint. Each test shows that the kill hit its phase: the
process died of SIGKILL, and the database was then in the state that only this phase leaves.
"""

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import httpx2
import msgspec
import pytest

from handfast.db.embedded import EmbeddedServer
from handfast.services.idempotency.asgi.middleware import LOOK_SECONDS_MAX
from handfast.services.idempotency.stores.postgres import LEASE
from tests.support.eventually import eventually, eventually_async
from tests.support.keyed_server import Keyed
from tests.support.keyed_shop import STATE, TABLE, Wish, new_key
from tests.support.keyed_traffic import call
from tests.support.pgbouncer import pgbouncer

# What only a death in this phase leaves: the record's state, and how many effects.
PHASES: dict[str, tuple[str | None, int]] = {
    "before the claim": (None, 0),
    "after the claim": ("running", 0),
    "before the record": ("running", 0),
    "before the commit": ("running", 0),
    "before the first byte": ("done", 1),
    "after the first byte": ("done", 1),
}
GATE = 42  # whoever holds this lock keeps an order of what is "gated" from being carried out
GATED = f"""
    CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock({GATE}); RETURN NEW; END $$;
    CREATE TRIGGER gate BEFORE INSERT ON effects FOR EACH ROW
    WHEN (NEW.what = 'gated') EXECUTE FUNCTION gate()
"""


@pytest.fixture
async def look(dsn: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(dsn)
    await connection.execute(TABLE)
    await connection.execute(GATED)
    yield connection
    await connection.close()


@contextlib.asynccontextmanager
async def shut(look: asyncpg.Connection) -> AsyncIterator[None]:
    """The gate, until this is left."""
    await look.execute("SELECT pg_advisory_lock($1)", GATE)
    try:
        yield
    finally:
        await look.execute("SELECT pg_advisory_unlock($1)", GATE)


@pytest.fixture
def servers(dsn: str, look: asyncpg.Connection) -> Iterator[list[Keyed]]:
    """The first is the one that dies, and is soon replaced. The others lose no lease because the
    machine is busy."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(Keyed(dsn, lease=lease)) for lease in (1.0, 30.0, 30.0)]


@pytest.fixture
def calm_servers(dsn: str, look: asyncpg.Connection) -> Iterator[list[Keyed]]:
    """With leases that none of them loses because the machine is busy."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(Keyed(dsn, lease=30.0)) for _ in range(3)]


async def seen(look: asyncpg.Connection) -> tuple[str | None, int]:
    state = await look.fetchval(f"SELECT {STATE} FROM handfast_idempotency.records")
    return state, await look.fetchval("SELECT count(*) FROM effects")


async def post(url: str, key: str, die: str = "", **wish: object) -> httpx2.Response:
    headers = {"x-user": "ada", "idempotency-key": key, "x-die": die}
    async with httpx2.AsyncClient(timeout=120) as client:
        body = msgspec.json.encode(Wish(**wish))  # type: ignore[arg-type]
        return await client.post(f"{url}/orders", content=body, headers=headers)


async def retried(servers: list[Keyed], key: str) -> list[httpx2.Response]:
    """What clients that got no answer do: ask again, here of all the others at once."""
    answers = await asyncio.gather(*(post(s.url, key) for s in servers for _ in range(3)))
    assert {a.status_code for a in answers} == {201}
    assert len({a.content for a in answers}) == 1
    return answers


@pytest.mark.parametrize("phase", PHASES)
async def test_killed_in_a_phase(
    phase: str, servers: list[Keyed], look: asyncpg.Connection
) -> None:
    key = new_key()
    with pytest.raises(httpx2.TransportError):
        await post(servers[0].url, key, die=phase)
    assert servers[0].process.wait(60) == -9, "it was the kill that hit"

    async def left() -> bool:
        return await seen(look) == PHASES[phase]

    await eventually_async(left)
    answers = await retried(servers[1:], key)
    replayed = sum("idempotent-replayed" in a.headers for a in answers)
    assert replayed == (6 if PHASES[phase][1] else 5), "one of them carried it out, if none had"
    assert await seen(look) == ("done", 1)


async def test_killed_while_the_body_arrives(
    servers: list[Keyed], look: asyncpg.Connection
) -> None:
    key = new_key()
    reader, writer = await asyncio.open_connection("127.0.0.1", servers[0].port)
    writer.write(
        b"POST /orders HTTP/1.1\r\nhost: x\r\nx-user: ada\r\nidempotency-key: %s\r\n"
        b"expect: 100-continue\r\ncontent-length: 1000\r\n\r\n{" % key.encode()
    )
    assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n", "it reads"
    servers[0].kill()
    assert await reader.read() == b""
    writer.close()
    assert servers[0].process.wait(60) == -9
    assert await seen(look) == (None, 0)
    await retried(servers[1:], key)
    assert await seen(look) == ("done", 1)


async def test_killed_in_the_handler(servers: list[Keyed], look: asyncpg.Connection) -> None:
    key = new_key()
    first = asyncio.create_task(post(servers[0].url, key, seconds=60))

    async def inside() -> bool:
        return bool(
            await look.fetchval(
                "SELECT true FROM pg_stat_activity WHERE state = 'idle in transaction'"
                " AND query LIKE 'INSERT INTO effects%' AND datname = current_database()"
            )
        )

    await eventually_async(inside)
    assert await seen(look) == ("running", 0)
    servers[0].kill()
    with pytest.raises(httpx2.TransportError):
        await first
    # The same request, which would take a minute: whoever takes over is inside it by now.
    again = asyncio.create_task(post(servers[1].url, key, seconds=60))
    await eventually_async(inside)
    assert await seen(look) == ("running", 0)
    servers[1].kill()
    with pytest.raises(httpx2.TransportError):
        await again


@pytest.fixture(params=["direct", pytest.param("pooler", marks=pytest.mark.needs("pgbouncer"))])
def address(
    request: pytest.FixtureRequest, server: EmbeddedServer, dsn: str, tmp_path: Path
) -> Iterator[tuple[str, bool]]:
    """Of the database, and whether there is a transaction pooler in front of it."""
    if request.param == "direct":
        yield dsn, False
        return
    with pgbouncer(server, tmp_path) as port:
        yield f"postgresql://handfast@127.0.0.1:{port}/{urlsplit(dsn).path.lstrip('/')}", True


async def test_a_dead_server_is_replaced_within_six_seconds(
    address: tuple[str, bool], look: asyncpg.Connection
) -> None:
    """Ten wait while it dies of kill -9 in a handler that is at it for a while: its row was renewed
    meanwhile, and what is left of it then is what they have to wait."""
    dsn, pooler = address
    lease = LEASE.total_seconds()
    with (
        Keyed(dsn, lease=lease, pooler=pooler) as dying,
        Keyed(dsn, lease=lease, pooler=pooler) as other,
    ):
        key = new_key()
        async with shut(look):
            first = asyncio.create_task(post(dying.url, key, die="before the record", what="gated"))
            await eventually_async(lambda: _running(look))
            claimed_until = await look.fetchval(ALIVE_UNTIL)
            waiting = [asyncio.create_task(post(other.url, key, what="gated")) for _ in range(10)]
            renewed = f"SELECT ({ALIVE_UNTIL}) > $1"
            await eventually_async(lambda: look.fetchval(renewed, claimed_until))
        with pytest.raises(httpx2.TransportError):
            await first
        died_at = time.monotonic()
        assert dying.process.wait(60) == -9
        left = await look.fetchval(f"SELECT ({ALIVE_UNTIL}) - handfast_db.now()")
        assert left is None or left <= LEASE, "what is left is no more than a lease"
        assert LEASE + timedelta(seconds=LOOK_SECONDS_MAX) < timedelta(seconds=6)
        answers = await asyncio.gather(*waiting)
    took = time.monotonic() - died_at
    assert {a.status_code for a in answers} == {201}
    assert sum("idempotent-replayed" not in a.headers for a in answers) == 1, "one took over"
    assert took < 30
    assert await seen(look) == ("done", 1)


ALIVE_UNTIL = (
    "SELECT max(s.alive_until) FROM handfast_idempotency.servers AS s"
    " JOIN handfast_idempotency.records AS r ON r.server = s.id"
)


async def test_killed_while_the_commit_is_under_way(
    servers: list[Keyed], look: asyncpg.Connection
) -> None:
    """The server's COMMIT is held up; the process that waits for it dies; PostgreSQL goes on."""
    await look.execute(
        "CREATE CONSTRAINT TRIGGER late AFTER INSERT ON effects DEFERRABLE INITIALLY DEFERRED"
        " FOR EACH ROW EXECUTE FUNCTION gate()"
    )
    key = new_key()

    async def committing() -> bool:
        return bool(
            await look.fetchval(
                "SELECT true FROM pg_stat_activity WHERE query LIKE '%COMMIT%'"
                " AND wait_event = 'advisory' AND datname = current_database()"
            )
        )

    async with shut(look):
        first = asyncio.create_task(post(servers[0].url, key))
        await eventually_async(committing)
        assert await seen(look) == ("running", 0)
        servers[0].kill()
        with pytest.raises(httpx2.TransportError):
            await first
        asking = asyncio.create_task(retried(servers[1:], key))
    answers = await asking
    assert all("idempotent-replayed" in a.headers for a in answers), "that commit counted"
    assert await seen(look) == ("done", 1)


async def test_a_frozen_owner_that_thaws_changes_nothing(
    servers: list[Keyed], look: asyncpg.Connection
) -> None:
    """Stopped in its handler, overtaken, continued: its own commit is refused by the fence."""
    key = new_key()
    first = asyncio.create_task(post(servers[0].url, key, seconds=2.0))

    async def inside() -> bool:
        return await seen(look) == ("running", 0)

    await eventually_async(inside)
    await asyncio.sleep(0.1)
    servers[0].process.send_signal(19)  # SIGSTOP
    second = await post(servers[1].url, key, seconds=2.0)
    assert second.status_code == 201
    assert "idempotent-replayed" not in second.headers, "it took over"
    servers[0].process.send_signal(18)  # SIGCONT
    late = await first
    assert late.status_code == 409
    assert late.json()["code"] == "IDEMPOTENCY_IN_PROGRESS"
    assert await seen(look) == ("done", 1)
    again = await post(servers[0].url, key, seconds=2.0)
    assert again.content == second.content


@pytest.mark.parametrize("duplicates", [10, 200])
async def test_many_at_once_on_several_servers(
    calm_servers: list[Keyed], look: asyncpg.Connection, duplicates: int
) -> None:
    """On pools of five: whoever waits holds no connection."""
    servers = calm_servers
    key = new_key()
    async with httpx2.AsyncClient(
        timeout=120, limits=httpx2.Limits(max_connections=duplicates)
    ) as client:

        async def one(number: int) -> httpx2.Response:
            server = servers[number % len(servers)]
            headers = {"x-user": "ada", "idempotency-key": key}
            body = msgspec.json.encode(Wish(what="gated"))
            return await client.post(f"{server.url}/orders", content=body, headers=headers)

        async def all_wait() -> bool:
            return await _waiting(servers) > 0.9 * (duplicates - 1)

        async with shut(look):
            asking = [asyncio.create_task(one(number)) for number in range(duplicates)]
            await eventually_async(all_wait)
            # Others get through while all of them wait.
            free = await asyncio.gather(*(post(s.url, new_key(), what="other") for s in servers))
            assert {a.status_code for a in free} == {201}
            assert not any(task.done() for task in asking)
        answers = await asyncio.gather(*asking)
    assert {a.status_code for a in answers} == {201}
    assert len({a.content for a in answers}) == 1
    assert sum("idempotent-replayed" in a.headers for a in answers) == duplicates - 1
    assert await look.fetchval("SELECT count(*) FROM effects WHERE what = 'gated'") == 1


async def _waiting(servers: list[Keyed]) -> float:
    """How many duplicates wait, by the servers' own figures."""
    pages = [await call(server, "GET /metrics") for server in servers]
    found = [re.search(rb"^idempotency_waiting (\S+)$", page.body, re.MULTILINE) for page in pages]
    return sum(float(one[1]) for one in found if one)


async def _running(look: asyncpg.Connection) -> bool:
    found = await look.fetchval(
        "SELECT count(*) FROM handfast_idempotency.records WHERE server IS NOT NULL"
    )
    return bool(found)


def test_all_phases_are_tried() -> None:
    """The phases in which the server can kill itself are those that are tried above."""
    from tests.support import keyed_server

    source = Path(keyed_server.__file__).read_text()
    assert set(re.findall(r'die_in\("([^"]+)"\)', source)) == set(PHASES)
    eventually(lambda: True)
