"""The store of record: who may go ahead, for how long, and what the database itself refuses."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
from bench.roundtrips import counted

from handfast.base.errors import SettingsError
from handfast.db.connect import Target
from handfast.db.errors import ConstraintViolated, DatabaseUnreachable
from handfast.db.migrations.errors import MigrationsPending
from handfast.db.pool import Database
from handfast.services.idempotency import Encryption, PostgresStore, RedisStore, prune, required
from handfast.services.idempotency.answers import KeptAnswer
from handfast.services.idempotency.asgi.middleware import IdempotencyMiddleware
from handfast.services.idempotency.fingerprint import scope_of
from handfast.services.idempotency.stores import retention
from handfast.services.idempotency.stores.store import Call, ClaimAnswer, ClaimOutcome, Released
from tests.support.clock import freeze
from tests.support.eventually import eventually_async
from tests.support.keyed_shop import make_shop, new_key, open_shop, who

pytestmark = [pytest.mark.on_every_postgres, pytest.mark.on_lowest]

NOON = datetime(2026, 3, 29, 12, tzinfo=UTC)
ANSWER = KeptAnswer(201, [(b"location", b"/orders/1")], b"made")
DAY = timedelta(hours=24)
HOUR = timedelta(hours=1)
# Renewed in time on a busy machine too: after a third of it, and connecting may take another.
LEASE = timedelta(seconds=9)


def server(database: Database) -> PostgresStore:
    """Lives for an hour of the clock of the house, and renews nothing during a test."""
    return PostgresStore(database, lease=HOUR)


def call(**more: Any) -> Call:
    return Call(
        **{
            "scope": scope_of("user:ada"),
            "key": uuid4(),
            "fingerprint": b"f" * 32,
            "ttl": DAY,
            **more,
        }
    )


async def test_a_claim_is_held_while_its_server_lives(database: Database) -> None:
    dead, store, one = server(database), server(database), call()
    await freeze(database, NOON)
    first = await dead.claim(one)
    assert first.outcome is ClaimOutcome.EXECUTE
    assert (await dead.claim(one)).outcome is ClaimOutcome.IN_FLIGHT
    await freeze(database, NOON + HOUR - timedelta(seconds=1))
    assert (await store.claim(one)).outcome is ClaimOutcome.IN_FLIGHT
    await freeze(database, NOON + HOUR)
    second = await store.claim(one)
    assert (second.outcome, second.taken_over) == (ClaimOutcome.EXECUTE, True)
    assert second.token > first.token
    # The first comes back: whatever it tries, it has lost.
    assert not await store.record(one, first.token, ANSWER)
    assert await store.release(one, first.token, begun=True) is Released.LOST
    assert second.expires_at == NOON + DAY, "24 h from the first use"
    assert await store.record(one, second.token, ANSWER)
    assert await store.release(one, second.token, begun=True) is Released.DONE
    assert (await store.claim(one)).answer == ANSWER
    await store.close()


async def test_who_is_believed_dead_may_still_record_if_nobody_took_over(
    database: Database,
) -> None:
    store, one = server(database), call()
    await freeze(database, NOON)
    claimed = await store.claim(one)
    await freeze(database, NOON + 10 * HOUR)
    assert await store.record(one, claimed.token, ANSWER)


async def test_a_key_is_kept_for_its_time_and_no_longer(database: Database) -> None:
    store, one = PostgresStore(database), call(ttl=timedelta(minutes=5))
    await freeze(database, NOON)
    claimed = await store.claim(one)
    await store.record(one, claimed.token, ANSWER)
    await freeze(database, NOON + timedelta(minutes=5, seconds=-1))
    assert (await store.claim(one)).outcome is ClaimOutcome.REPLAY
    other = call(key=one.key, fingerprint=b"g" * 32)
    assert (await store.claim(other)).outcome is ClaimOutcome.CONFLICT
    await freeze(database, NOON + timedelta(minutes=5))
    again = await store.claim(other)
    assert again.outcome is ClaimOutcome.EXECUTE, "expired: it may be another request now"
    assert again.token > claimed.token
    assert (await store.claim(one)).outcome is ClaimOutcome.CONFLICT


async def test_an_expired_key_does_not_let_a_second_one_in(database: Database) -> None:
    store, one = PostgresStore(database), call(ttl=timedelta(seconds=1))
    await freeze(database, NOON)
    claimed = await store.claim(one)
    await freeze(database, NOON + timedelta(seconds=2))
    assert (await store.claim(one)).outcome is ClaimOutcome.IN_FLIGHT
    assert await prune(database) == 0, "a request that runs keeps its record"
    await store.record(one, claimed.token, ANSWER)
    assert (await store.claim(one)).outcome is ClaimOutcome.EXECUTE


async def test_expired_records_are_pruned(database: Database) -> None:
    store = PostgresStore(database)
    await freeze(database, NOON)
    for ttl in (1, 1, 1, 100):
        one = call(ttl=timedelta(minutes=ttl))
        claimed = await store.claim(one)
        await store.record(one, claimed.token, ANSWER)
    await freeze(database, NOON + timedelta(minutes=2))
    assert await prune(database) == 3
    assert await prune(database) == 0


async def test_an_old_token_is_never_given_again(database: Database) -> None:
    """Also when the row it was in is gone, as after a crash that swallowed the claim."""
    store, one = PostgresStore(database), call()
    first = await store.claim(one)
    async with database.connection() as connection:
        await connection.execute("DELETE FROM handfast_idempotency.records")
    second = await store.claim(one)
    assert second.token > first.token
    assert not await store.record(one, first.token, ANSWER)


async def test_many_claimants_one_claim(dsn: str, database: Database) -> None:
    """Each store has batches of its own, as separate processes have."""
    stores = [PostgresStore(dsn, pool_size=1) for _ in range(8)]
    calls = [call() for _ in range(20)]
    claimed = await asyncio.gather(
        *(store.claim(one) for store in stores for one in calls),
        *(store.claim(one) for store in stores for one in reversed(calls)),
    )
    outcomes = [c.outcome for c in claimed]
    assert outcomes.count(ClaimOutcome.EXECUTE) == 20
    assert outcomes.count(ClaimOutcome.IN_FLIGHT) == 300
    for store in stores:
        await store.close()


async def test_a_claim_that_nobody_waits_for_is_given_back(database: Database) -> None:
    store, one = PostgresStore(database), call()
    async with database.connection() as connection:
        await connection.execute(
            "CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN PERFORM pg_sleep(0.3); RETURN NEW; END $$;"
            "CREATE TRIGGER slowly BEFORE INSERT ON handfast_idempotency.records FOR EACH ROW"
            " EXECUTE FUNCTION slowly()"
        )
    asking = asyncio.create_task(store.claim(one))
    await asyncio.sleep(0.1)
    asking.cancel()

    async def given_back() -> bool:
        again = await store.claim(one)
        assert not again.taken_over, "its process lives"
        return again.outcome is ClaimOutcome.EXECUTE

    await eventually_async(given_back)
    await store.close()


# --- what the database refuses ----------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE handfast_idempotency.records SET response = 'another'",
        "UPDATE handfast_idempotency.records SET status = 200",
        "UPDATE handfast_idempotency.records SET status = 200, response = NULL",
        ("UPDATE handfast_idempotency.records SET status = NULL, response = NULL, server = 1"),
        "UPDATE handfast_idempotency.records SET token = 1",
        "UPDATE handfast_idempotency.records SET scope = 'short'",
    ],
)
async def test_an_answer_once_given_stays(database: Database, change: str) -> None:
    store, one = PostgresStore(database), call()
    claimed = await store.claim(one)
    await store.record(one, claimed.token, ANSWER)
    with pytest.raises(ConstraintViolated):
        async with database.transaction() as tx:
            await tx.execute(change)


async def test_the_fence_is_never_lowered(database: Database) -> None:
    store, one = PostgresStore(database), call()
    await store.claim(one)
    with pytest.raises(ConstraintViolated):
        async with database.transaction() as tx:
            await tx.execute("UPDATE handfast_idempotency.records SET token = token - 1")


async def test_without_the_schema_it_says_what_to_do(empty_dsn: str) -> None:
    store = PostgresStore(empty_dsn)
    with pytest.raises(MigrationsPending, match="handfast migrate"):
        await store.claim(call())
    await store.close()


# --- encryption -------------------------------------------------------------------------------

SECRETS = ["a first secret that is long enough!!", "another secret that is long enough!!"]


async def test_sealed_responses_are_not_to_be_read_in_the_table(database: Database) -> None:
    store, one = PostgresStore(database, seal=Encryption(SECRETS[0])), call(encrypted=True)
    claimed = await store.claim(one)
    await store.record(one, claimed.token, KeptAnswer(200, [], b'{"token":"tell nobody"}'))
    async with database.connection() as connection:
        row = await connection.fetchrow(
            "SELECT response, encrypted FROM handfast_idempotency.records"
        )
    assert row is not None
    assert row["encrypted"]
    assert b"tell nobody" not in row["response"]
    rotated = PostgresStore(database, seal=Encryption([SECRETS[1], SECRETS[0]]))
    opened = (await rotated.claim(one)).answer
    assert opened is not None
    assert opened.body == b'{"token":"tell nobody"}'
    # Without the secret, and moved to another key, it does not open: it was not kept, as it were.
    for stranger in (PostgresStore(database, seal=Encryption(SECRETS[1])), PostgresStore(database)):
        lost = (await stranger.claim(one)).answer
        assert lost is not None
        assert lost.body is None
    moved = call(encrypted=True)
    async with database.connection() as connection:
        await connection.execute(
            "INSERT INTO handfast_idempotency.records SELECT $1, token, first_used_at, expires_at,"
            " server, status, encrypted, scope, fingerprint, response"
            " FROM handfast_idempotency.records",
            moved.key,
        )
    elsewhere = (await store.claim(moved)).answer
    assert elsewhere is not None
    assert elsewhere.body is None


async def test_encryption_without_a_secret_is_refused_at_the_start(database: Database) -> None:
    rules = [required("POST /tokens", encrypted=True)]
    for store in (PostgresStore(database), RedisStore("redis://localhost")):
        with pytest.raises(SettingsError, match="POST /tokens"):
            IdempotencyMiddleware(make_shop(), store, principal=who, rules=rules)
    with pytest.raises(SettingsError, match="32 characters"):
        Encryption("too short")


async def test_what_a_principal_was_answered_can_be_forgotten(database: Database) -> None:
    store, one, hers = PostgresStore(database), call(), call(scope=scope_of("user:eve"))
    for each in (one, hers):
        claimed = await store.claim(each)
        await store.record(each, claimed.token, ANSWER)
    await store.forget("user:ada")
    assert (await store.claim(one)).outcome is ClaimOutcome.EXECUTE
    assert (await store.claim(hers)).outcome is ClaimOutcome.REPLAY


# --- cost -------------------------------------------------------------------------------------


async def test_round_trips(dsn: str, database: Database) -> None:
    """Two more than without a key on first use, one on replay; counted on the wire."""
    async with (
        counted(dsn) as wire,
        await Database.open(Target(wire.dsn), pool_size=1) as counting,
        open_shop(counting, server(counting)) as shop,
    ):
        await shop.post("/elsewhere")  # every statement is prepared after these
        await shop.post(key=new_key())
        wire.reset()
        await shop.post("/elsewhere")
        bare = wire.trips
        assert bare == 3, "BEGIN, INSERT, COMMIT"
        key = new_key()
        wire.reset()
        assert (await shop.post(key=key)).status_code == 201
        assert wire.trips == bare + 1, "the claim; the record goes with COMMIT"
        wire.reset()
        assert (await shop.post(key=key)).headers["idempotent-replayed"] == "true"
        assert wire.trips == 1


async def test_a_server_lives_while_handlers_hold_every_connection(dsn: str) -> None:
    """A pool of one, held by a handler for longer than the lease; nobody else gets in."""
    one = PostgresStore(dsn, pool_size=1, lease=LEASE)
    two = PostgresStore(dsn, pool_size=1, lease=LEASE)
    async with (
        open_shop(await one.database(), one) as first,
        open_shop(await two.database(), two) as second,
    ):
        key = new_key()
        slow = asyncio.create_task(first.post(key=key, gated=True))
        await eventually_async(first.is_called)
        began = time.monotonic()
        asking = asyncio.create_task(second.post(key=key, gated=True))
        while time.monotonic() < began + 1.2 * LEASE.total_seconds():
            assert not asking.done()
            await asyncio.sleep(0.05)
        first.gate.set()
        late = await asking
        assert late.headers["idempotent-replayed"] == "true"
        assert (await slow).status_code == 201
        assert first.calls + second.calls == ["x"]


async def test_a_replay_does_not_wait_for_handlers_that_hold_every_connection(dsn: str) -> None:
    store = PostgresStore(dsn, pool_size=1)
    async with open_shop(await store.database(), store) as shop:
        key = new_key()
        assert (await shop.post(key=key)).status_code == 201
        shop.calls.clear()
        slow = asyncio.create_task(shop.post(key=new_key(), gated=True))
        await eventually_async(shop.is_called)
        assert (await shop.post(key=key)).headers["idempotent-replayed"] == "true"
        assert not slow.done()
        shop.gate.set()
        assert (await slow).status_code == 201


async def test_closing_leaves_no_claim_that_is_nobodys(database: Database) -> None:
    """Who was on its way is claimed, who had not left is refused, and nobody is in between."""
    store, calls = PostgresStore(database), [call() for _ in range(250)]
    await store.claim(call())
    tasks = [asyncio.create_task(store.claim(one)) for one in calls]
    for _ in range(2):  # they ask, and the first batch leaves; a pause might let the second go too
        await asyncio.sleep(0)
    await store.close()
    told = await asyncio.gather(*tasks, return_exceptions=True)
    claimed = sum(isinstance(one, ClaimAnswer) for one in told)
    assert claimed + sum(isinstance(one, DatabaseUnreachable) for one in told) == len(calls)
    assert 0 < claimed < len(calls)
    async with database.connection() as connection:
        held = await connection.fetchval("SELECT count(*) FROM handfast_idempotency.records")
    assert held == claimed + 1
    assert (await store.claim(call())).outcome is ClaimOutcome.EXECUTE, "the database is still open"


async def test_two_hundred_waiters_on_a_pool_of_five(dsn: str, database: Database) -> None:
    """The first is in another process, as far as the store can tell."""
    small = PostgresStore(dsn, pool_size=5)
    async with (
        open_shop(database, server(database)) as elsewhere,
        open_shop(database, small) as here,
    ):
        key = new_key()
        first = asyncio.create_task(elsewhere.post(key=key, gated=True))
        await eventually_async(elsewhere.is_called)
        waiting = [asyncio.create_task(here.post(key=key, gated=True)) for _ in range(200)]
        await asyncio.sleep(0.1)
        assert (await here.post(key=new_key(), what="other")).status_code == 201
        assert not first.done()
        elsewhere.gate.set()
        answers = await asyncio.gather(*waiting)
        assert {a.status_code for a in answers} == {201}
        assert {a.content for a in answers} == {(await first).content}
        assert await here.effects() == ["x", "other"]


async def test_a_held_row_makes_nobody_wait_on_a_connection(dsn: str, database: Database) -> None:
    """A frozen owner between its record and its COMMIT: others are told that it is in flight."""
    frozen, store, one = server(database), server(database), call()
    await frozen.claim(one)
    async with database.connection() as connection:
        await connection.execute(
            "UPDATE handfast_idempotency.servers SET alive_until = '2020-01-01'"
        )
    holder = await asyncpg.connect(dsn)
    try:
        async with holder.transaction():
            await holder.execute("SELECT FROM handfast_idempotency.records FOR UPDATE")
            async with asyncio.timeout(60):
                assert (await store.claim(one)).outcome is ClaimOutcome.IN_FLIGHT
    finally:
        await holder.close()
    assert (await store.claim(one)).outcome is ClaimOutcome.EXECUTE


LOCKS = {
    "forgotten": "DELETE FROM handfast_idempotency.records WHERE scope = $1",
    "changed": "UPDATE handfast_idempotency.records SET server = server WHERE scope = $1",
    "being made": (
        "INSERT INTO handfast_idempotency.records (scope, key, fingerprint, token, first_used_at, "
        "expires_at, server) VALUES ($1, $2, sha256('f'), 1, now(), now() + interval '1 day', 1)"
    ),
}


@pytest.mark.parametrize("how", LOCKS)
async def test_a_record_that_is_locked_holds_up_nobody_else(
    dsn: str, database: Database, how: str
) -> None:
    """All claims of a process share a connection: strangers' keys must not wait on it for the
    transaction in which, say, somebody is being logged out."""
    store, locked = PostgresStore(database), call()
    if how != "being made":
        claimed = await store.claim(locked)
    if how == "forgotten":
        await store.record(locked, claimed.token, ANSWER)
    others = [call(scope=scope_of(f"user:{n}")) for n in range(5)]
    holder = await asyncpg.connect(dsn)
    try:
        async with holder.transaction():
            keys = (locked.scope, locked.key)[: LOCKS[how].count("$")]
            await holder.execute(LOCKS[how], *keys)
            async with asyncio.timeout(60):  # and not until the holder ends, which is never
                told = await asyncio.gather(*(store.claim(one) for one in [locked, *others]))
        answered = ClaimOutcome.REPLAY if how == "forgotten" else ClaimOutcome.IN_FLIGHT
        assert [one.outcome for one in told] == [answered] + 5 * [ClaimOutcome.EXECUTE]
    finally:
        await holder.close()
    await store.close()


async def test_pruning_walks_through_the_whole_table(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "PAGES", 2)
    async with database.connection() as connection:
        await connection.execute(
            "INSERT INTO handfast_idempotency.records (scope, key, fingerprint, token,"
            " first_used_at,"
            " expires_at, status, response) SELECT sha256('s'), gen_random_uuid(),"
            " sha256('f'), 1, now() - interval '2 days',"
            " now() + CASE WHEN n % 3 = 0 THEN interval '1 day' ELSE interval '-1 day' END,"
            " 200, 'x' FROM generate_series(1, 300) AS n"
        )
        pages = await connection.fetchval(
            "SELECT pg_relation_size('handfast_idempotency.records') / 8192 FROM"
            " handfast_idempotency.records LIMIT 1"
        )
        assert pages > 4, "more than one step"
    assert await prune(database) == 200
    assert await prune(database) == 0
    async with database.connection() as connection:
        assert await connection.fetchval("SELECT count(*) FROM handfast_idempotency.records") == 100
