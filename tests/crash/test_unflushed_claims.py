"""A worker's claim is not waited for on the disk: what a crash of PostgreSQL can make of that.

On a server whose log writer hardly ever writes by itself, so that the crash really does swallow the
claims; the tests fail when it does not.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest

from handfast import Context
from handfast.db.embedded import EmbeddedServer
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from handfast.engine.errors import LeaseLost
from handfast.engine.jobs.retry import FailureClass
from handfast.engine.work import lease
from handfast.engine.work.lease import Claimed
from tests.support.eventually import eventually_async
from tests.support.forgetful_server import (
    crash,
    forgetful_server,
    just_after_a_flush,
    kill_all,
    postmaster_of,
    target_of,
)
from tests.support.workers_here import Workers

JOBS = 120
KINDS = [("t.job", 1)]


@pytest.fixture
def forgetful(tmp_path: Path, postgres_bin: Path | None) -> Iterator[EmbeddedServer]:
    with forgetful_server(tmp_path / "pg", postgres_bin) as server:
        yield server


@pytest.fixture
async def shop(forgetful: EmbeddedServer) -> AsyncIterator[Workers]:
    async with await Database.open(target_of(forgetful)) as database:
        await migrate(database)
        shop = Workers(database)
        await shop.fetch("CREATE TABLE effects (key text NOT NULL)")
        await shop.fetch("CHECKPOINT")
        yield shop


async def after_the_crash(shop: Workers, sql: str, *args: Any) -> Any:
    """Ask until the server is back."""

    async def ask() -> list[Any] | None:
        try:
            return await shop.column(sql, *args)
        except Exception:
            return None

    return await eventually_async(ask)


async def put(
    shop: Workers, kind: str = "t.job", count: int = JOBS, *, lane: str = "default", **options: Any
) -> None:
    for number in range(count):
        await shop.enqueue(kind, f"{lane}-{number}", lane=lane, **options)


async def register(shop: Workers, lane: str = "default") -> int:
    """A worker of its own, durably: what is lost must be the claim alone."""
    async with shop.database.connection() as connection:
        return await lease.register_worker(connection, "w", [lane], timedelta(hours=1), KINDS)


async def claim(
    shop: Workers, worker: int, lane: str = "default", *kinds: tuple[str, int]
) -> list[Claimed]:
    async with shop.database.connection() as connection:
        return await lease.claim(connection, worker, [lane], kinds or KINDS, JOBS)


async def test_a_claim_that_is_swallowed_comes_back_with_another_token(shop: Workers) -> None:
    """The first worker lives on and finishes: none of it is accepted, whoever has the job now."""
    await put(shop)
    first = await register(shop)
    second = await register(shop)
    await just_after_a_flush(shop.database)
    late = await claim(shop, first)
    assert len(late) == JOBS
    await crash(shop.database)
    states = await after_the_crash(shop, "SELECT state::text FROM handfast_engine.live")
    assert states == ["ready"] * JOBS, "if the crash kept the claims, this test is void"
    async with shop.database.connection() as connection:
        assert await lease.finish(connection, late, [None] * JOBS) == frozenset()
    now = await claim(shop, second)
    assert {job.id for job in now} == {job.id for job in late}
    assert not {job.token for job in now} & {job.token for job in late}
    async with shop.database.connection() as connection:
        assert await lease.finish(connection, late, [None] * JOBS) == frozenset()
        assert await lease.hold(connection, late) == frozenset()
        for job in late[:3]:
            assert await lease.fail(connection, job, FailureClass.TRANSIENT, "late") is None
        assert len(await lease.finish(connection, now, [None] * JOBS)) == JOBS
    outcomes = await shop.column("SELECT outcome::text FROM handfast_engine.attempts")
    assert outcomes == ["succeeded"] * JOBS


async def test_every_job_once_when_its_rows_are_in_its_transaction(shop: Workers) -> None:
    """The server dies as the first handler of a claim begins; they all go on when it is back."""
    victim: list[psutil.Process] = []
    lost: list[str] = []
    back = asyncio.Event()

    @shop.hf.job("t.job")
    async def job(ctx: Context) -> None:
        if victim:
            kill_all(victim.pop())
            back.clear()
        await back.wait()
        try:
            async with ctx.completing() as tx:
                await tx.execute("INSERT INTO effects VALUES ($1)", ctx.key)
        except LeaseLost:
            lost.append(ctx.key)
            raise

    await shop.declare()
    keys: list[str] = []
    async with shop.working(concurrency=20):
        # Again, if somebody else's commit came in between and took the claim to the disk with it.
        for number in range(20):
            more = [f"{number}-{n}" for n in range(20)]
            keys += more
            victim.append(await postmaster_of(shop.database))
            async with shop.database.transaction() as tx:
                await shop.hf.enqueue_many(tx, job, [(key, {}) for key in more])
            await eventually_async(lambda: asyncio.sleep(0, not victim), within=60)
            await after_the_crash(shop, "SELECT 1")
            back.set()
            await shop.drained(within=60)
            if lost:
                break
    assert lost, "the crash kept every claim: this test is void"
    assert sorted(await shop.column("SELECT key FROM effects")) == sorted(keys)
    succeeded = "SELECT count(*) FROM handfast_engine.attempts WHERE outcome = 'succeeded'"
    assert await shop.fetch(succeeded) == len(keys)


async def test_claims_that_must_be_flushed_are(shop: Workers) -> None:
    """Through the SQL face, of jobs in a group, of kinds that say so; and whatever is claimed in
    the same breath."""

    @shop.hf.job("t.durable", durable_claim=True)
    async def durable(ctx: Context) -> None: ...

    await shop.declare()
    for why in ("sql", "group", "kind", "mixed"):
        if why == "mixed":
            await put(shop, "t.job", 5, lane=why)
        kind = "t.durable" if why in ("kind", "mixed") else "t.job"
        await put(shop, kind, 5, lane=why, **({"group": "g"} if why == "group" else {}))
        await shop.fetch("UPDATE handfast_engine.groups SET max_running = 5")
        wanted = 10 if why == "mixed" else 5
        if why == "sql":
            sql = "SELECT id FROM handfast_engine.claim(NULL, '{sql}', 100, '1 hour')"
            assert len(await shop.column(sql)) == wanted
        else:
            worker = await register(shop, why)
            assert len(await claim(shop, worker, why, *KINDS, ("t.durable", 1))) == wanted
        await crash(shop.database)
        states = await after_the_crash(
            shop, "SELECT state::text FROM handfast_engine.live WHERE lane = $1", why
        )
        assert states == ["running"] * wanted, why
