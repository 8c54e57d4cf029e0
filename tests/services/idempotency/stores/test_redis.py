"""The store for applications without PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from structlog.testing import capture_logs

from handfast.db.errors import RedisAway
from handfast.db.pool import Database
from handfast.services.idempotency import Encryption, RedisStore
from handfast.services.idempotency.answers import KeptAnswer, pack
from handfast.services.idempotency.fingerprint import scope_of
from handfast.services.idempotency.stores import redis as redis_store
from handfast.services.idempotency.stores.store import Call, ClaimOutcome, Released
from tests.support.keyed_shop import new_key, open_shop
from tests.support.odd_redis import answering
from tests.support.valkey import Valkey

pytestmark = [pytest.mark.on_every_redis, pytest.mark.on_lowest]

ANSWER = KeptAnswer(201, [(b"location", b"/orders/1")], b"made")


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine is no Redis that is away."""
    monkeypatch.setattr(redis_store, "TIMEOUT_SECONDS", 10.0)


@pytest.fixture
async def store(redis_url: str) -> AsyncIterator[RedisStore]:
    made = RedisStore(redis_url, lease=timedelta(seconds=0.5), prefix=f"test:{uuid4()}:")
    yield made
    await made.close()


def call(ttl: timedelta = timedelta(hours=24), *, encrypted: bool = False) -> Call:
    return Call(scope_of("user:ada"), uuid4(), b"f" * 32, ttl, encrypted)


async def lease_left(store: RedisStore, one: Call) -> timedelta:
    """How long the claim still holds, by Redis' clock."""
    client: Any = store._redis.client
    until = await client.execute_command("HGET", store._name(one), "lease")
    seconds, microseconds = await client.execute_command("TIME")
    now = timedelta(seconds=int(seconds), microseconds=int(microseconds))
    return timedelta(milliseconds=int(until)) - now


async def run_out(store: RedisStore, one: Call) -> None:
    """As if nobody had renewed the claim for the whole of its lease."""
    client: Any = store._redis.client
    await client.execute_command("HSET", store._name(one), "lease", "1")


async def test_claims_are_fenced(store: RedisStore) -> None:
    store.lease = timedelta(minutes=1)  # which runs out when we say so
    one = call()
    first = await store.claim(one)
    assert first.outcome is ClaimOutcome.EXECUTE
    store._renewals.drop(one)  # its process does not live on, and we renew by hand
    assert timedelta(0) < await lease_left(store, one) <= store.lease
    assert (await store.claim(one)).outcome is ClaimOutcome.IN_FLIGHT
    await run_out(store, one)
    assert await store.renew([(one, first.token)]) == {first.token}
    assert timedelta(0) < await lease_left(store, one) <= store.lease
    assert (await store.claim(one)).outcome is ClaimOutcome.IN_FLIGHT
    await run_out(store, one)
    second = await store.claim(one)
    assert (second.outcome, second.taken_over) == (ClaimOutcome.EXECUTE, True)
    assert second.token > first.token
    assert not await store.record(one, first.token, ANSWER)
    assert await store.release(one, first.token, begun=False) is Released.LOST
    assert await store.renew([(one, first.token)]) == set()
    assert await store.record(one, second.token, ANSWER)
    replay = await store.claim(one)
    assert (replay.outcome, replay.answer) == (ClaimOutcome.REPLAY, ANSWER)
    assert await store.release(one, second.token, begun=True) is Released.DONE
    other = Call(one.scope, one.key, b"g" * 32, one.ttl)
    assert (await store.claim(other)).outcome is ClaimOutcome.CONFLICT


async def test_released_expired_and_not_kept(store: RedisStore) -> None:
    one = call()
    claimed = await store.claim(one)
    assert await store.release(one, claimed.token, begun=True) is Released.RELEASED
    other = Call(one.scope, one.key, b"g" * 32, one.ttl)
    assert (await store.claim(other)).outcome is ClaimOutcome.CONFLICT
    claimed = await store.claim(one)
    assert (claimed.outcome, claimed.taken_over) == (ClaimOutcome.EXECUTE, False)
    assert await store.release(one, claimed.token, begun=False) is Released.RELEASED
    claimed = await store.claim(other)
    assert claimed.outcome is ClaimOutcome.EXECUTE
    await store.record(other, claimed.token, KeptAnswer(200, [], None))
    assert (await store.claim(other)).answer == KeptAnswer(200, [], None)
    short = call(timedelta(seconds=0.2))
    claimed = await store.claim(short)
    await store.record(short, claimed.token, ANSWER)
    await asyncio.sleep(0.3)
    assert (await store.claim(short)).outcome is ClaimOutcome.EXECUTE


async def test_sealed(redis_url: str) -> None:
    seal = Encryption("a secret that is certainly long enough")
    store = RedisStore(redis_url, seal=seal, prefix=f"test:{uuid4()}:")
    one = call(encrypted=True)
    claimed = await store.claim(one)
    await store.record(one, claimed.token, ANSWER)
    assert (await store.claim(one)).answer == ANSWER
    await store.close()


async def test_behind_the_middleware(database: Database, store: RedisStore) -> None:
    async with open_shop(database, store) as shop:
        key = new_key()
        answers = await asyncio.gather(
            *(shop.post(key=key, take=False, seconds=0.2) for _ in range(10))
        )
        assert {a.status_code for a in answers} == {201}
        assert len({a.content for a in answers}) == 1
        assert shop.calls == ["x"]
        with capture_logs() as log:
            refused = await shop.post(key=new_key(), take=True)
        assert refused.status_code == 503
        assert "PostgresStore" in str(log), "for those who run the server, and for nobody else"


async def test_without_redis_nothing_is_carried_out(database: Database, tmp_path: Path) -> None:
    valkey = Valkey(tmp_path)
    valkey.start()
    async with open_shop(database, RedisStore(valkey.url)) as shop:
        assert (await shop.post(key=new_key(), take=False)).status_code == 201
        valkey.kill()
        answer = await shop.post(key=new_key(), take=False)
        assert answer.status_code == 503
        assert answer.json()["code"] == RedisAway.code
        assert "retry-after" in answer.headers
        assert shop.calls == ["x"]


FINGERPRINT = b"f" * 32
PACKED = pack(ANSWER)
UNREADABLE: list[Any] = [
    "a string",
    "5",
    ["a", "list"],
    {"something": "else"},
    {"fingerprint": "short", "state": "done", "status": "201"},
    {"fingerprint": FINGERPRINT, "state": "nope"},
    {"fingerprint": FINGERPRINT, "state": "done", "status": "2e2", "response": PACKED},
    {"fingerprint": FINGERPRINT, "state": "done", "status": "inf", "response": PACKED},
    {"fingerprint": FINGERPRINT, "state": "done", "status": "200", "response": b"\x05"},
    {"fingerprint": FINGERPRINT, "state": "done", "status": "200", "response": b"\x92\x05\x05"},
    {"fingerprint": FINGERPRINT, "state": "running"},
    {"fingerprint": FINGERPRINT, "state": "running", "lease": "soon"},
    {"fingerprint": FINGERPRINT, "state": "running", "lease": "inf"},
    {"fingerprint": FINGERPRINT, "state": "free", "token": "inf"},
    {"fingerprint": FINGERPRINT, "state": "free", "token": "nan"},
]


@pytest.mark.parametrize("rubbish", UNREADABLE, ids=str)
async def test_what_cannot_be_read_is_no_record(store: RedisStore, rubbish: Any) -> None:
    one, name = call(), store._name
    redis = store._redis.client
    match rubbish:
        case dict():
            await redis.hset(name(one), mapping=rubbish)
        case list():
            await redis.rpush(name(one), *rubbish)
        case _:
            await redis.set(name(one), rubbish)
    claimed = await store.claim(one)
    assert (claimed.outcome, claimed.taken_over) == (ClaimOutcome.EXECUTE, False)
    assert await redis.pttl(name(one)) > 0, "and it will go by itself"
    assert await store.record(one, claimed.token, ANSWER)
    assert (await store.claim(one)).answer == ANSWER


async def test_a_claim_that_was_overwritten_is_lost(store: RedisStore) -> None:
    one = call()
    claimed = await store.claim(one)
    await store._redis.client.set(store._name(one), "rubbish")
    assert await store.renew([(one, claimed.token)]) == set()
    assert not await store.record(one, claimed.token, ANSWER)
    assert await store.release(one, claimed.token, begun=True) is Released.LOST


@pytest.mark.parametrize("answer", [b":5\r\n", b"*0\r\n", b"*1\r\n:1\r\n", b"$1\r\nx\r\n"])
async def test_something_else_that_answers_is_no_redis(answer: bytes) -> None:
    async with answering(answer) as url:
        store = RedisStore(url)
        with pytest.raises(RedisAway):
            await store.claim(call())
        await store.close()
