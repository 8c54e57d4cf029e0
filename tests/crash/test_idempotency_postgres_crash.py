"""The claim's commit is not waited for: what a crash of PostgreSQL can make of that.

On a server of its own, whose log writer hardly ever writes by itself, so that a crash really does
swallow a claim; the tests fail when it does not.
"""

from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest

from handfast.db.embedded import EmbeddedServer
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from handfast.services.idempotency import PostgresStore
from handfast.services.idempotency.answers import KeptAnswer
from handfast.services.idempotency.asgi.execution import Execution
from handfast.services.idempotency.errors import IdempotencyInProgress
from handfast.services.idempotency.fingerprint import scope_of
from handfast.services.idempotency.stores.store import Call, ClaimAnswer, ClaimOutcome
from tests.support.eventually import eventually_async
from tests.support.forgetful_server import crash, forgetful_server, just_after_a_flush, target_of
from tests.support.keyed_shop import TABLE, effects

ANSWER = KeptAnswer(201, [], b"made")


@pytest.fixture
def forgetful(tmp_path: Path, postgres_bin: Path | None) -> Iterator[EmbeddedServer]:
    with forgetful_server(tmp_path / "pg", postgres_bin) as server:
        yield server


@pytest.fixture
async def database(forgetful: EmbeddedServer) -> AsyncIterator[Database]:
    async with await Database.open(target_of(forgetful)) as database:
        await migrate(database)
        async with database.connection() as connection:
            await connection.execute(TABLE)
            await connection.execute("CHECKPOINT")
        yield database


async def claimed(store: PostgresStore, call: Call) -> ClaimAnswer:
    """Ask until the server is back."""

    async def ask() -> ClaimAnswer | None:
        try:
            return await store.claim(call)
        except Exception:
            return None

    found = await eventually_async(ask)
    assert found is not None
    return found


def execution(store: PostgresStore, call: Call, claimed: ClaimAnswer) -> Execution:
    return Execution(store, call, claimed, lambda _: None)


async def write(run: Execution) -> None:
    tx = await run.begin("read_committed")
    await tx.execute("INSERT INTO effects (what) VALUES ('x')")


def new_call() -> Call:
    return Call(scope_of("user:ada"), uuid4(), b"f" * 32, timedelta(hours=24))


async def test_a_claim_that_is_swallowed_has_done_nothing(database: Database) -> None:
    store, call = PostgresStore(database), new_call()
    await just_after_a_flush(database)
    first = await store.claim(call)
    await crash(database)
    second = await claimed(store, call)
    # Not in flight: of the first claim nothing is left. (If the crash kept it, this test is void.)
    assert second.outcome is ClaimOutcome.EXECUTE
    assert not second.taken_over
    assert second.token > first.token, "the fence did not go back with it"
    # The first process lives on, and its handler finishes: the fence keeps it from committing.
    zombie = execution(store, call, first)
    await write(zombie)
    with pytest.raises(IdempotencyInProgress):
        await zombie.settle(ANSWER)
    assert await effects(database) == []
    owner = execution(store, call, second)
    await write(owner)
    assert await owner.settle(ANSWER)
    assert await effects(database) == ["x"]


async def test_what_was_committed_keeps_its_claim(database: Database) -> None:
    """The business commit is waited for, and takes the claim, earlier in the log, with it."""
    store, call = PostgresStore(database), new_call()
    first = await store.claim(call)
    run = execution(store, call, first)
    await write(run)
    assert await run.settle(ANSWER)
    await crash(database)
    replay = await claimed(store, call)
    assert (replay.outcome, replay.answer) == (ClaimOutcome.REPLAY, ANSWER)
    assert await effects(database) == ["x"]


async def test_a_request_that_was_answered_is_durable(
    database: Database, forgetful: EmbeddedServer
) -> None:
    """The record alone, without a transaction of the request's: its commit is waited for too."""
    store, call = PostgresStore(database), new_call()
    first = await store.claim(call)
    assert await store.record(call, first.token, ANSWER)
    await crash(database)
    assert (await claimed(store, call)).answer == ANSWER
    connection = await asyncpg.connect(forgetful.dsn())
    assert await connection.fetchval("SHOW synchronous_commit") == "on"
    await connection.close()
