"""A process is believed to live while it has claims, whatever its handlers do; and no longer."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
from bench.roundtrips import counted

from handfast.base.telemetry import REGISTRY
from handfast.db.connect import Target
from handfast.db.errors import DatabaseUnreachable
from handfast.db.pool import Database
from handfast.services.idempotency import PostgresStore, prune
from handfast.services.idempotency.answers import KeptAnswer
from handfast.services.idempotency.fingerprint import scope_of
from handfast.services.idempotency.stores import postgres, server_process
from handfast.services.idempotency.stores.claims import CLAIM_MANY
from handfast.services.idempotency.stores.store import Call, ClaimOutcome, Released
from tests.support.clock import freeze
from tests.support.eventually import eventually, eventually_async

pytestmark = pytest.mark.on_every_postgres

ANSWER = KeptAnswer(201, [], b"made")
SHORT = timedelta(seconds=0.3)
LONG = timedelta(hours=1)  # nothing is renewed during a test
NOON = datetime(2026, 3, 29, 12, tzinfo=UTC)


def call() -> Call:
    return Call(scope_of("user:ada"), uuid4(), b"f" * 32, timedelta(hours=24))


@pytest.fixture
async def store(database: Database) -> AsyncIterator[PostgresStore]:
    async with PostgresStore(database, lease=SHORT) as store:
        yield store


async def servers(database: Database) -> dict[int, datetime]:
    async with database.connection() as connection:
        rows = await connection.fetch("SELECT id, alive_until FROM handfast_idempotency.servers")
    return {row["id"]: row["alive_until"] for row in rows}


async def test_an_idle_process_costs_nothing(dsn: str) -> None:
    async with (
        counted(dsn) as wire,
        await Database.open(Target(wire.dsn), pool_size=1) as database,
        PostgresStore(database, lease=SHORT) as store,
    ):
        one = call()
        claimed = await store.claim(one)
        await store.record(one, claimed.token, ANSWER)
        thread = store._server._thread
        assert thread is not None
        await asyncio.to_thread(eventually, lambda: thread._quiet > 1)  # whatever was on its way
        wire.reset()
        await asyncio.to_thread(eventually, lambda: thread._asleep)
        assert wire.trips == 0, "not even once"
        assert thread._connection is None, "nor a connection"
        # And it is awake again with the next claim.
        known = await servers(database)
        await store.claim(call())
        [old] = known.values()

        async def renewed_by_the_thread() -> bool:
            [until] = (await servers(database)).values()
            return until > old and thread._connection is not None

        await eventually_async(renewed_by_the_thread)


async def test_a_handler_that_blocks_the_loop_stops_nothing(
    database: Database, store: PostgresStore
) -> None:
    await store.claim(call())
    [before] = (await servers(database)).values()
    name = store._server.id
    renewed_at = store._server._renewed_at[name]
    eventually(lambda: store._server._renewed_at[name] > renewed_at)  # nothing else runs meanwhile
    [after] = (await servers(database)).values()
    assert after > before


async def test_a_loop_that_never_turns_again_is_not_believed(
    database: Database, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_process, "BLOCKED_SECONDS_MAX", 0.0)
    one = call()
    await store.claim(one)
    async with PostgresStore(database, lease=LONG) as other:

        async def taken_over() -> bool:
            return (await other.claim(one)).taken_over

        await eventually_async(taken_over)


async def test_claims_on_a_busy_server_do_not_renew_it(database: Database) -> None:
    async with PostgresStore(database, lease=LONG) as store:
        await store.claim(call())
        known = await servers(database)
        for _ in range(3):
            await store.claim(call())
        assert await servers(database) == known, "it was done just now"


async def test_replays_and_duplicates_do_not_renew_it(database: Database) -> None:
    async with (
        PostgresStore(database, lease=LONG) as store,
        PostgresStore(database, lease=LONG) as other,
    ):
        one, running = call(), call()
        claimed = await store.claim(one)
        await store.record(one, claimed.token, ANSWER)
        await store.claim(running)
        known = await servers(database)
        assert (await other.claim(one)).outcome is ClaimOutcome.REPLAY
        assert (await other.claim(running)).outcome is ClaimOutcome.IN_FLIGHT
        assert await servers(database) == known, "the other has claimed nothing"
        await freeze(database, datetime.now(UTC) + 2 * LONG)
        twice = await asyncio.gather(other.claim(running), other.claim(running))
        assert [said.taken_over for said in twice] == [True, False], "in one batch"
        assert twice[1].outcome is ClaimOutcome.IN_FLIGHT
        assert len(await servers(database)) == 2


async def test_a_claim_that_nobody_was_told_of_ends(
    database: Database, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection breaks after the commit. The process lives, has other claims and renews them;
    this one dies with the name that it was made under."""
    running, lost = call(), call()
    claimed, name = await store.claim(running), store._server.id
    claim_many = CLAIM_MANY.all

    async def and_then_nothing(*given: Any) -> Sequence[Any]:
        await claim_many(*given)
        raise ConnectionResetError("gone")

    with monkeypatch.context() as broken:
        broken.setattr(type(CLAIM_MANY), "all", lambda _, *given: and_then_nothing(*given))
        with pytest.raises(DatabaseUnreachable):
            await store.claim(lost)
    assert store._server.id != name
    assert set(store._server._held.values()) == {name}, "renewed for what runs under it"
    async with PostgresStore(database, lease=LONG) as other:
        assert await store.record(running, claimed.token, ANSWER)
        await store.claim(call())

        async def taken_over() -> bool:
            return (await other.claim(lost)).taken_over

        await eventually_async(taken_over)
    assert len(await servers(database)) == 3, "two names of one process, and the other"


async def test_a_claim_beside_one_that_failed_is_given_back(
    database: Database, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record is locked, so each is claimed by itself; the first is, and then the connection
    breaks. Both are told that it did."""
    claim_many, asked = CLAIM_MANY.all, []

    async def locked_then_broken(*given: Any) -> Sequence[Any]:
        asked.append(given)
        if len(asked) == 1:
            raise asyncpg.LockNotAvailableError("locked")
        if len(asked) == 2:
            return await claim_many(*given)
        raise ConnectionResetError("gone")

    one, two = call(), call()
    with monkeypatch.context() as broken:
        broken.setattr(type(CLAIM_MANY), "all", lambda _, *given: locked_then_broken(*given))
        told = await asyncio.gather(store.claim(one), store.claim(two), return_exceptions=True)
    assert [type(each) for each in told] == [DatabaseUnreachable, DatabaseUnreachable]

    async def given_back() -> bool:
        return not store._server._held

    await eventually_async(given_back)
    async with PostgresStore(database, lease=LONG) as other:
        assert (await other.claim(one)).outcome is ClaimOutcome.EXECUTE


async def test_a_claim_that_could_not_be_given_back_ends(
    database: Database, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = call()
    claimed = await store.claim(one)

    async def broken(*_: Any) -> str:
        raise ConnectionResetError("gone")

    with monkeypatch.context() as cut:
        cut.setattr(type(postgres._RELEASE), "one", lambda _, *given: broken(*given))
        with pytest.raises(DatabaseUnreachable):
            await store.release(one, claimed.token, begun=True)
    await store.claim(call())  # it goes on, under another name

    async def free() -> bool:
        async with database.connection() as connection:
            return bool(
                await connection.fetchval(
                    "SELECT s.alive_until <= handfast_db.now() FROM handfast_idempotency.records"
                    " AS r JOIN handfast_idempotency.servers AS s ON s.id = r.server"
                    " WHERE r.key = $1",
                    one.key,
                )
            )

    await eventually_async(free)


async def test_the_database_goes_away_for_a_while(database: Database, store: PostgresStore) -> None:
    """Its connections are cut again and again: each time the next round renews."""
    await store.claim(call())
    for _ in range(3):
        [before] = (await servers(database)).values()

        async def renewed(before: datetime = before) -> bool:
            [until] = (await servers(database)).values()
            return until > before

        await eventually_async(renewed)
        async with database.connection() as connection:
            await connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE application_name = 'handfast-idempotency' AND datname = current_database()"
            )


async def test_a_fork_has_a_name_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    server = server_process.ServerProcess(LONG)
    mine = server.id
    assert server.id == mine
    monkeypatch.setattr(os, "getpid", lambda: 1)
    child = server.id
    assert child != mine
    assert server.due(child) == LONG, "which nobody has heard of"


async def test_servers_that_are_long_dead_are_pruned(database: Database) -> None:
    store, one = PostgresStore(database, lease=LONG), call()
    await freeze(database, NOON)
    claimed = await store.claim(one)
    await freeze(database, NOON + 2 * LONG)
    await prune(database)
    assert len(await servers(database)) == 1
    await freeze(database, NOON + 2 * LONG + timedelta(seconds=1))
    await prune(database)
    assert await servers(database) == {}
    other = PostgresStore(database, lease=LONG)
    second = await other.claim(one)
    assert (second.outcome, second.taken_over) == (ClaimOutcome.EXECUTE, True)
    assert await store.release(one, claimed.token, begun=True) is Released.LOST
    await store.close()
    await other.close()


async def test_the_thread_ends_with_the_store(database: Database) -> None:
    store = PostgresStore(database, lease=SHORT)
    await store.claim(call())
    thread = store._server._thread
    assert thread is not None
    await store.close()
    assert not thread.is_alive()
    deaths = REGISTRY.get_sample_value(
        "handfast_background_deaths_total", {"task": "idempotency-renewal"}
    )
    assert not deaths


def test_nor_does_it_outlive_its_loop(machine_dsn: str) -> None:
    """A program that forgets to close its store."""

    async def main() -> Any:
        async with await Database.open(Target(machine_dsn)) as database:
            store = PostgresStore(database, lease=SHORT)
            await store.claim(call())
            return store._server._thread

    thread = asyncio.run(main())
    eventually(lambda: not thread.is_alive())
