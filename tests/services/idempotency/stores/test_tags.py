"""Answers that belong to a sign-in are not replayed when it has ended."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
import redis.asyncio as aioredis

from handfast.db.pool import Database
from handfast.services.idempotency import (
    Encryption,
    PostgresStore,
    RedisCache,
    RedisStore,
    drop_tag,
    required,
)
from handfast.services.idempotency.stores import redis as redis_store
from handfast.services.idempotency.stores.store import Call, ClaimAnswer
from tests.support.clock import freeze
from tests.support.eventually import eventually_async
from tests.support.keyed_shop import Shop, new_key, open_shop
from tests.support.valkey import Valkey

pytestmark = pytest.mark.on_every_postgres

SIGN_IN = "sign-in:42"
SECRET = "a secret that is long enough for it"


@pytest.fixture
async def shop(database: Database) -> AsyncIterator[Shop]:
    async with open_shop(database) as shop:
        yield shop


async def dropped(database: Database, tag: str = SIGN_IN) -> int:
    async with database.transaction() as tx:
        return await drop_tag(tx, tag)


def is_withdrawn(response: Any) -> bool:
    return (response.status_code, response.json()["code"]) == (409, "IDEMPOTENCY_RESPONSE_NOT_KEPT")


async def test_it_is_replayed_until_its_tag_is_dropped(shop: Shop, database: Database) -> None:
    mine, other, plain = new_key(), new_key(), new_key()
    await shop.post(key=mine, what="mine", tag=SIGN_IN)
    await shop.post(key=other, what="other", tag="sign-in:43")
    await shop.post(key=plain, what="plain")
    assert (await shop.post(key=mine, what="mine", tag=SIGN_IN)).status_code == 201
    assert await dropped(database) == 1
    assert await dropped(database) == 0, "there is nothing left to drop"
    assert is_withdrawn(await shop.post(key=mine, what="mine", tag=SIGN_IN))
    assert (await shop.post(key=other, what="other", tag="sign-in:43")).status_code == 201
    assert (await shop.post(key=plain, what="plain")).status_code == 201
    assert await shop.effects() == ["mine", "other", "plain"], "and nothing is done again"


@pytest.mark.parametrize(
    "wish", [{"take": False, "say_started": True, "status": 404}, {"size": 20_000}]
)
async def test_however_it_was_recorded(
    shop: Shop, database: Database, wish: dict[str, Any]
) -> None:
    """A refusal of its own commit, and a body that is too long to travel with COMMIT."""
    key = new_key()
    first = await shop.post(key=key, tag=SIGN_IN, **wish)
    again = await shop.post(key=key, tag=SIGN_IN, **wish)
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again.headers["idempotent-replayed"] == "true"
    assert await dropped(database) == 1
    assert is_withdrawn(await shop.post(key=key, tag=SIGN_IN, **wish))


async def test_a_logout_that_is_rolled_back_drops_nothing(shop: Shop, database: Database) -> None:
    key = new_key()
    await shop.post(key=key, tag=SIGN_IN)
    with pytest.raises(ZeroDivisionError):
        async with database.transaction() as tx:
            assert await drop_tag(tx, SIGN_IN) == 1
            raise ZeroDivisionError
    assert (await shop.post(key=key, tag=SIGN_IN)).status_code == 201


class Pausing(PostgresStore):
    """Stops after it has read the record, and before anybody is told."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.has_read, self.may_go_on = asyncio.Event(), asyncio.Event()

    async def claim(self, call: Call) -> ClaimAnswer:
        answer = await super().claim(call)
        if answer.answer is not None:
            assert answer.answer.body is not None
            self.has_read.set()
            await self.may_go_on.wait()
        return answer


async def test_a_replay_that_had_read_the_record_before_the_logout(
    shop: Shop, database: Database
) -> None:
    key, store = new_key(), Pausing(database)
    await shop.post(key=key, tag=SIGN_IN)
    async with open_shop(database, store) as other:
        replay = asyncio.create_task(other.post(key=key, tag=SIGN_IN))
        waiting = asyncio.create_task(other.post(key=key, tag=SIGN_IN))
        await store.has_read.wait()
        assert await dropped(database) == 1
        store.may_go_on.set()
        assert is_withdrawn(await replay)
        assert is_withdrawn(await waiting), "in the same process, from memory"


async def test_waiters_of_this_process_look_too(shop: Shop, database: Database) -> None:
    """The answer that they wait for goes from hand to hand; the tag is looked at all the same."""
    key, looks = new_key(), 0
    has_tag = shop.store.has_tag

    async def logged_out_first(call: Call, tag: str) -> bool:
        nonlocal looks
        looks += 1
        await dropped(database)
        return bool(await has_tag(call, tag))

    shop.store.has_tag = logged_out_first
    first = asyncio.create_task(shop.post(key=key, tag=SIGN_IN, gated=True))
    await eventually_async(shop.is_called)
    duplicate = asyncio.create_task(shop.post(key=key, tag=SIGN_IN, gated=True))
    await asyncio.sleep(0)  # begun: it finds the first at work
    shop.gate.set()
    assert (await first).status_code == 201, "whoever made it gets it"
    assert is_withdrawn(await duplicate)
    assert looks == 1


async def test_a_new_use_of_an_old_key_has_no_tag(database: Database) -> None:
    rules = [required("POST /orders", ttl=timedelta(seconds=1))]
    async with open_shop(database, rules=rules) as shop:
        key = new_key()
        await freeze(database, datetime(2026, 3, 29, 12, tzinfo=UTC))
        await shop.post(key=key, tag=SIGN_IN)
        await freeze(database, datetime(2026, 3, 29, 13, tzinfo=UTC))
        await shop.post(key=key, what="again")
        assert await dropped(database) == 0
        assert (await shop.effects()) == ["x", "again"]


@pytest.mark.parametrize("tag", ["", "a b", "x" * 201, "tab\t", ":42"])
async def test_what_is_no_tag_is_refused(shop: Shop, database: Database, tag: str) -> None:
    with pytest.raises(ValueError, match="cannot be a tag"):
        await dropped(database, tag)
    if tag:
        assert (await shop.post(key=new_key(), tag=tag)).status_code == 500


async def test_without_a_key_it_means_nothing(shop: Shop, database: Database) -> None:
    assert (await shop.post("/orders/1/notes", tag=SIGN_IN)).status_code == 201
    assert await dropped(database) == 0


# --- Redis ------------------------------------------------------------------------------------


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[Valkey]:
    with Valkey(tmp_path) as running:
        yield running


async def keys_in(valkey: Valkey) -> Any:
    async with aioredis.Redis.from_url(valkey.url, protocol=2) as client:
        return await client.keys("*")


async def test_tagged_and_encrypted_answers_are_never_in_redis(
    database: Database, valkey: Valkey
) -> None:
    cache = RedisCache(valkey.url, timeout=10.0)  # a busy machine is no Redis that is away
    store = PostgresStore(database, cache=cache, seal=Encryption(SECRET))
    rules = [required("POST /orders"), required("POST /tokens", encrypted=True)]
    async with open_shop(database, store, rules=rules) as shop:
        tagged, sealed, plain = new_key(), new_key(), new_key()
        for _ in range(2):  # made, and read again
            await shop.post(key=tagged, tag=SIGN_IN)
            await shop.post("/tokens", key=sealed)
        await shop.post(key=plain)

        async def plain_is_there() -> bool:
            return any(plain.encode() in name for name in await keys_in(valkey))

        await eventually_async(plain_is_there)  # it was the last
        assert len(await keys_in(valkey)) == 1
        await dropped(database)
        assert is_withdrawn(await shop.post(key=tagged, tag=SIGN_IN))


async def test_in_redis_alone_a_tagged_answer_is_not_kept(
    database: Database, valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_store, "TIMEOUT_SECONDS", 10.0)  # of a busy machine
    async with open_shop(database, RedisStore(valkey.url)) as shop:
        key = new_key()
        wish: dict[str, Any] = {"take": False, "say_started": True, "tag": SIGN_IN}
        assert (await shop.post(key=key, **wish)).status_code == 201
        assert is_withdrawn(await shop.post(key=key, **wish))
        assert shop.calls == ["x"]


# --- whose key it is, from the body -----------------------------------------------------------


def by_item(scope: Any, body: bytes) -> str | None:
    found: str | None = msgspec.json.decode(body).get("what")
    return found if found != "nobody" else None


async def test_a_principal_in_the_body(database: Database) -> None:
    rules = [required("POST /orders", body_principal=by_item)]
    async with open_shop(database, rules=rules) as shop:
        key = new_key()
        first = await shop.post(key=key, what="tea", user="ada")
        other = await shop.post(key=key, what="rye", user="ada")
        assert (first.status_code, other.status_code) == (201, 201), "keys of two, no conflict"
        again = await shop.post(key=key, what="tea", user="eve")
        assert again.content == first.content, "whoever sends it"
        assert (await shop.post(key=key, what="nobody", user="ada")).status_code == 201
        mine = await shop.post(key=key, what="nobody", user="ada", status=200)
        assert mine.json()["code"] == "IDEMPOTENCY_KEY_REUSED", "as without it"
        assert shop.calls == ["tea", "rye", "nobody"]
        # What a body says is nobody who was authenticated.
        assert (await shop.post(key=key, what="user:ada", user="eve")).status_code == 201
