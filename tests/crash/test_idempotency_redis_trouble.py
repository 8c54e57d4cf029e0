"""Redis fails in every way while several servers work: PostgreSQL alone decides.

Each trouble comes while orders are being carried out, and each is shown to have been felt: by the
servers' own counters, or by what Redis itself says. The table of effects has no unique constraint.
"""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import pytest
import redis.asyncio as aioredis
from prometheus_client.parser import text_string_to_metric_families
from redis.exceptions import RedisError

from handfast.services.idempotency.answers import KeptAnswer
from handfast.services.idempotency.fingerprint import scope_of
from handfast.services.idempotency.stores.redis_cache import PREFIX, sealed
from handfast.services.idempotency.stores.store import Call
from tests.support.eventually import eventually_async
from tests.support.keyed_server import Keyed
from tests.support.keyed_shop import TABLE, new_key
from tests.support.keyed_traffic import Order, Traffic, call
from tests.support.valkey import Valkey

SERVERS = 3
CROWD = 200
GATE = 42  # whoever holds this lock keeps the crowd's order from being carried out
GATED = f"""
    CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock({GATE}); RETURN NEW; END $$;
    CREATE TRIGGER gate BEFORE INSERT ON effects FOR EACH ROW
    WHEN (NEW.what LIKE 'crowd %') EXECUTE FUNCTION gate()
"""
LOOK_EVERY = 0.1


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[Valkey]:
    with Valkey(tmp_path) as running:
        yield running


@pytest.fixture
async def look(dsn: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(dsn)
    await connection.execute(TABLE)
    await connection.execute(GATED)
    yield connection
    await connection.close()


@dataclass
class Scene:
    """What a trouble may touch, and what shows that it was felt."""

    valkey: Valkey
    servers: list[Keyed]
    traffic: Traffic
    look: asyncpg.Connection
    chance: random.Random

    @contextlib.asynccontextmanager
    async def redis(self) -> AsyncIterator["aioredis.Redis"]:
        client = aioredis.Redis.from_url(self.valkey.url, protocol=2, socket_timeout=30)
        try:
            yield client
        finally:
            await client.aclose()

    async def counted(self, metric: str, *labels: str) -> list[float]:
        """The metric's value on each server, under these labels together."""
        pages = [await call(server, "GET /metrics") for server in self.servers]
        return [
            sum(
                sample.value
                for family in text_string_to_metric_families(page.body.decode())
                for sample in family.samples
                if sample.name == metric
                and (not labels or set(labels) & set(sample.labels.values()))
            )
            for page in pages
        ]

    async def grows_everywhere(self, metric: str, *labels: str) -> None:
        """Until the counter is higher on each server than now."""
        before = await self.counted(metric, *labels)

        async def grown() -> bool:
            await asyncio.sleep(LOOK_EVERY)
            self.traffic.check()
            now = await self.counted(metric, *labels)
            return all(new > old for new, old in zip(now, before, strict=True))

        await eventually_async(grown, within=120)

    async def fails_everywhere(self, *reasons: str) -> None:
        await self.grows_everywhere("idempotency_cache_errors_total", *reasons)

    async def redis_answers_everywhere(self) -> None:
        await self.grows_everywhere("idempotency_cache_hit_total", "redis")

    async def something_runs(self) -> None:
        async def running() -> Any:
            self.traffic.check()
            return await self.look.fetchval(
                "SELECT count(*) FROM handfast_idempotency.records WHERE server IS NOT NULL"
            )

        await eventually_async(running)


async def _run_id(scene: Scene) -> str:
    async with scene.redis() as client:
        return str((await client.info("server"))["run_id"])


# --- the troubles: each ends its setting-up when it is felt ------------------------------------


@contextlib.asynccontextmanager
async def absent(scene: Scene) -> AsyncIterator[None]:
    """It is not there when the servers start, and comes when they have worked for a while."""
    await scene.fails_everywhere("ConnectionError")
    yield
    assert not scene.valkey.alive()
    assert sum(await scene.counted("idempotency_cache_hit_total", "redis")) == 0
    scene.valkey.start()


@contextlib.asynccontextmanager
async def killed(scene: Scene) -> AsyncIterator[None]:
    scene.valkey.kill()
    assert scene.valkey.process.returncode == -9
    await scene.fails_everywhere("ConnectionError")
    yield
    assert not scene.valkey.alive()
    await scene.fails_everywhere("ConnectionError")  # it is still away
    scene.valkey.start()


@contextlib.asynccontextmanager
async def restarted(scene: Scene) -> AsyncIterator[None]:
    """Again and again, while it is used."""
    runs = {await _run_id(scene)}
    stop = asyncio.Event()

    async def restart() -> None:
        while not stop.is_set():
            scene.valkey.kill()
            await asyncio.to_thread(scene.valkey.start)
            runs.add(await _run_id(scene))
            await asyncio.sleep(0.5)

    async with _in_background(restart, stop):
        await scene.fails_everywhere("ConnectionError")
        yield
    assert len(runs) > 2, "each start has an id of its own"


@contextlib.asynccontextmanager
async def flushed(scene: Scene) -> AsyncIterator[None]:
    lost: list[int] = []
    stop = asyncio.Event()

    async def flush() -> None:
        async with scene.redis() as client:
            while not stop.is_set():
                pipe: Any = client.pipeline(transaction=True)
                before, _, after = await pipe.dbsize().flushall().dbsize().execute()
                assert after == 0
                lost.append(before)
                await asyncio.sleep(0.05)

    async with _in_background(flush, stop):
        yield
    assert len([entries for entries in lost if entries]) > 5, lost
    # What is gone is answered by the database, and is back afterwards.
    order = next(iter(scene.traffic.told))
    name = _name(order.user, order.key)
    async with scene.redis() as client:
        await client.flushall()
        assert (await scene.traffic.ask(order)).replayed

        async def back() -> bool:
            if await client.exists(name):
                return True
            # A Redis that was slow once is told with the next replay.
            assert (await scene.traffic.ask(order)).replayed
            return False

        await eventually_async(back)


@contextlib.asynccontextmanager
async def frozen(scene: Scene) -> AsyncIterator[None]:
    with scene.valkey.frozen():
        async with scene.redis() as client:
            with pytest.raises((RedisError, TimeoutError)):
                async with asyncio.timeout(0.5):
                    await client.ping()
        await scene.fails_everywhere("TimeoutError")
        yield
        await scene.fails_everywhere("TimeoutError")  # still: whoever asks gets no answer


@contextlib.asynccontextmanager
async def lied_to(scene: Scene) -> AsyncIterator[None]:
    """Every entry is replaced, all the time; and everybody is woken for nothing."""
    told = 0
    stop = asyncio.Event()

    async def lie() -> None:
        nonlocal told
        async with scene.redis() as client:
            while not stop.is_set():
                for name, true in await _entries(client):
                    await client.set(name, await _lie(scene, client, name, true))
                    await client.publish(f"{PREFIX}wake", name)
                    told += 1
                await asyncio.sleep(0.01)

    async with _in_background(lie, stop):
        await scene.fails_everywhere("forged")
        yield
        await scene.fails_everywhere("forged")
    assert told > 50


async def _lie(scene: Scene, client: "aioredis.Redis", name: bytes, true: bytes) -> bytes:
    user = next(u for u in ("ada", "eve") if name.startswith(_name(u, "").encode()))
    key = name.decode().rsplit(":", 1)[1]
    other: Any = await client.get(_name("eve" if user == "ada" else "ada", key))
    call = Call(scope_of(f"user:{user}"), UUID(key), b"f" * 32, timedelta(hours=1))
    made_up = KeptAnswer(201, [(b"location", b"/orders/1")], b'{"id":1,"what":"a lie"}')
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    at = scene.chance.randrange(len(true)) if true else 0
    return scene.chance.choice(
        [
            b"",
            b"rubbish",
            true[:-1],
            true[:at] + bytes([true[at] ^ 1]) + true[at + 1 :] if true else b"x",
            other or b"nothing",  # ours, with a good MAC, to another user under the same key
            sealed(call, made_up, tomorrow, b"not the secret"),
        ]
    )


@contextlib.asynccontextmanager
async def mistyped(scene: Scene) -> AsyncIterator[None]:
    stop = asyncio.Event()

    async def mistype() -> None:
        async with scene.redis() as client:
            while not stop.is_set():
                for name, _ in await _entries(client):
                    pipe: Any = client.pipeline(transaction=True)
                    await pipe.delete(name).lpush(name, "of the wrong type").execute()
                await asyncio.sleep(0.01)

    async with _in_background(mistype, stop):
        await scene.fails_everywhere("ResponseError")
        yield
        await scene.fails_everywhere("ResponseError")


@contextlib.asynccontextmanager
async def _in_background(
    work: Callable[[], Awaitable[None]], stop: asyncio.Event
) -> AsyncIterator[None]:
    task = asyncio.ensure_future(work())
    try:
        yield
    finally:
        stop.set()
        await asyncio.wait_for(task, 60)


async def _entries(client: "aioredis.Redis") -> list[tuple[bytes, bytes]]:
    names: list[Any] = await client.keys(f"{PREFIX}*")
    values: list[Any] = []
    for name in names:
        try:
            values.append((name, await client.get(name) or b""))
        except RedisError:  # one of the wrong type
            continue
    return values


def _name(user: str, key: str) -> str:
    return f"{PREFIX}{scope_of(f'user:{user}').hex()}:{key}"


# --- the test ----------------------------------------------------------------------------------

Trouble = Callable[[Scene], AbstractAsyncContextManager[None]]
TROUBLES: list[Trouble] = [absent, killed, restarted, flushed, frozen, lied_to, mistyped]


@pytest.mark.long
async def test_troubles_in_the_middle_of_traffic(
    dsn: str, look: asyncpg.Connection, valkey: Valkey, chance: random.Random
) -> None:
    """One after the other, on the same servers: each has to be of use again after each."""
    valkey.kill()
    with Keyed.several(SERVERS, dsn, valkey.url) as servers:
        for trouble in TROUBLES:
            async with Traffic(servers) as traffic:
                scene = Scene(valkey, servers, traffic, look, chance)
                if trouble is not absent:
                    await scene.redis_answers_everywhere()
                await scene.something_runs()
                async with trouble(scene):
                    await traffic.orders(10)
                    await crowd(scene)
            await traffic.agrees_with(look)
            assert traffic.conflicts > 0
            await look.execute("TRUNCATE effects")


async def crowd(scene: Scene) -> None:
    """Two hundred duplicates on pools of five: whoever waits holds no connection."""
    traffic, servers = scene.traffic, scene.servers
    key = new_key()
    order = Order("ada", key, f"crowd {key}")
    await scene.look.execute("SELECT pg_advisory_lock($1)", GATE)
    asking = [
        asyncio.create_task(traffic.ask(order, servers[number % SERVERS]))
        for number in range(CROWD)
    ]

    async def all_wait() -> bool:
        await asyncio.sleep(LOOK_EVERY)
        return sum(await scene.counted("idempotency_waiting")) > 0.9 * CROWD

    try:
        await eventually_async(all_wait)
        others = [other for _ in servers for other in traffic.new()]
        await asyncio.gather(
            *(traffic.ask(other, servers[n % SERVERS]) for n, other in enumerate(others))
        )
        assert not any(task.done() for task in asking), "the others got through meanwhile"
    finally:
        await scene.look.execute("SELECT pg_advisory_unlock($1)", GATE)
    replies = await asyncio.gather(*asking)
    assert len({reply.body for reply in replies}) == 1
    assert sum(reply.replayed for reply in replies) == CROWD - 1
