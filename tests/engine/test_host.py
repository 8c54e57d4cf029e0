"""One host for a process: what its crews share, what each has for itself, and how it sleeps."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from typing import Any

import asyncpg
import pytest

from handfast import Context, Handfast, RetryPolicy
from handfast.base import supervise
from handfast.db.pool import Database
from handfast.engine.crew import Crew, WorkerOptions
from handfast.engine.host import Host, HostOptions
from handfast.engine.maintenance import janitor, pace
from handfast.engine.schedules.scheduler import Scheduler
from handfast.engine.work import worker
from tests.support.eventually import eventually_async
from tests.support.hosts import running
from tests.support.workers_here import Workers

LONG = 600.0  # whoever sleeps so long was not woken
SOON = 60.0  # on a busy machine; a thousandth of it on an idle one


async def until(look: Any) -> None:
    await eventually_async(lambda: asyncio.sleep(0, bool(look())))


def crews(hf: Handfast, *lanes: str, **options: Any) -> list[Crew]:
    return [
        Crew(hf.kinds, WorkerOptions(lanes=(lane,), name=lane, **options), hf.groups)
        for lane in lanes
    ]


# --- crews ------------------------------------------------------------------------------------


async def test_crews_share_a_heartbeat_and_a_listener(shop: Workers) -> None:
    """And each is a worker of its own to the database, with its own lease."""
    # Who registered a second later than the others is beaten with them when all are due again.
    host = Host(shop.database, shop.direct, crews(shop.hf, *"abcdef", lease=timedelta(seconds=30)))
    async with running(host):
        await until(lambda: host.working and host.listener.hears)
        await eventually_async(lambda: beaten(shop, 6))
        assert await shop.column(
            "SELECT application_name FROM pg_stat_activity WHERE datname = current_database()"
            " AND application_name LIKE 'handfast-%' ORDER BY 1"
        ) == ["handfast-heartbeat", "handfast-listener"]
        names = [thread.name for thread in threading.enumerate()]
        assert names.count("handfast-heartbeat") == 1
    assert (
        await shop.fetch("SELECT count(*) FROM handfast_engine.workers WHERE ended_at IS NULL") == 0
    )


async def beaten(shop: Workers, count: int) -> bool:
    """All of them, together, and after they began."""
    beats = await shop.column(
        "SELECT beat_at FROM handfast_engine.workers WHERE beat_at > started_at"
    )
    return len(beats) == count and max(beats) - min(beats) < timedelta(seconds=1)


async def test_a_crew_whose_places_are_taken_takes_none_from_another(shop: Workers) -> None:
    release = asyncio.Event()

    @shop.hf.job("t.slow", lane="slow")
    async def slow(ctx: Context) -> None:
        await release.wait()

    @shop.hf.job("t.quick", lane="quick")
    async def quick(ctx: Context) -> None: ...

    await shop.declare()
    for number in range(20):
        await shop.enqueue(slow, str(number))
    host = Host(shop.database, shop.direct, crews(shop.hf, "slow", "quick", concurrency=2))
    async with running(host):
        await until(lambda: len(host.running) == 2)
        await shop.reaches(await shop.enqueue(quick), "succeeded", within=SOON)
        assert len(host.running) == 2
        release.set()
        await shop.drained()


async def test_one_crew_that_loses_its_lease_leaves_the_others_alone(shop: Workers) -> None:
    host = Host(shop.database, shop.direct, crews(shop.hf, "a", "b"))
    async with running(host):
        await until(lambda: host.working)
        first, second = (worker.id for worker in host.workers)
        await shop.fetch("UPDATE handfast_engine.workers SET lost = true WHERE id = $1", first)
        host.wake()
        await until(lambda: host.working and host.workers[0].id != first)
        assert host.workers[1].id == second


async def test_nobody_claims_before_every_crew_has_begun(shop: Workers) -> None:
    began: list[str] = []

    @shop.hf.job("t.job")
    async def job(ctx: Context) -> None:
        assert began == ["away", "there"]

    async def begin() -> None:
        began.append("there" if began else "away")
        if began == ["away"]:
            raise asyncpg.CannotConnectNowError("the database system is starting up")

    made = await shop.enqueue(job)
    plain = Crew(shop.hf.kinds)
    starts = Crew(Handfast().kinds, WorkerOptions(lanes=("other",)), begin=begin)
    async with running(Host(shop.database, shop.direct, [plain, starts])):
        await shop.reaches(made, "succeeded")


async def test_what_a_crew_needs_is_open_as_long_as_it_runs_something(shop: Workers) -> None:
    is_open = False

    @asynccontextmanager
    async def around() -> AsyncIterator[None]:
        nonlocal is_open
        is_open = True
        yield
        is_open = False

    @shop.hf.job("t.long")
    async def long(ctx: Context) -> bool:
        await asyncio.sleep(0.3)
        return is_open

    job = await shop.enqueue(long)
    host = Host(shop.database, shop.direct, [Crew(shop.hf.kinds, around=around)])
    async with running(host):
        await until(lambda: host.running)
    assert not is_open
    assert await shop.state(job) == "succeeded"
    assert await shop.fetch("SELECT result::text FROM handfast_engine.attempts") == "true"


async def test_a_part_that_dies_is_begun_again_and_is_seen(
    shop: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervise, "PAUSE_SECONDS_MIN", 0.3)
    look = Scheduler._look
    looks = 0

    async def odd(self: Scheduler) -> float:
        nonlocal looks
        looks += 1
        if looks == 1:
            raise OverflowError("year 10000 is out of range")
        return await look(self)

    monkeypatch.setattr(Scheduler, "_look", odd)

    @shop.hf.job("t.tick")
    async def tick(ctx: Context) -> None: ...

    shop.hf.cron("s", tick, "0 0 1 1 *")
    crew = Crew(shop.hf.kinds, WorkerOptions(lanes=()), schedules=shop.hf.schedules)
    async with running(Host(shop.database, shop.direct, [crew])):
        await until(lambda: "scheduler" in supervise.ailing())
        await until(lambda: looks > 1)


async def test_without_crews_it_listens_for_others_and_asks_nothing(shop: Workers) -> None:
    heard: list[str] = []
    host = Host(shop.database, shop.direct)
    async with running(host):
        with counted(shop.database) as asked:
            await asyncio.sleep(0.3)
        assert asked == []
        assert not host.listener.connected.is_set(), "nobody subscribed"
        end = host.listener.subscribe("news", heard.append)
        await until(lambda: heard == [""])
        await shop.fetch("SELECT pg_notify('news', 'one')")
        await until(lambda: heard == ["", "one"])
        end()
        await until(lambda: not host.listener.connected.is_set())


@contextmanager
def counted(database: Database) -> Iterator[list[float]]:
    """When the pool was asked for a connection."""
    asked: list[float] = []
    lend = database.lend

    async def counting(begin: str = "") -> Any:
        asked.append(time.monotonic())
        return await lend(begin)

    database.lend = counting  # type: ignore[method-assign]
    try:
        yield asked
    finally:
        database.lend = lend  # type: ignore[method-assign]


# --- sleeping ---------------------------------------------------------------------------------


@pytest.fixture
def calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """All is calm at once, and then one sleeps for ever."""
    monkeypatch.setattr(pace, "CALM_SECONDS", 0.3)
    monkeypatch.setattr(janitor, "SLEEP_SECONDS", LONG)


@asynccontextmanager
async def asleep(shop: Workers, *lanes: str) -> AsyncIterator[Host]:
    options = HostOptions(poll=0.1, grace=1.0)
    wanted = crews(shop.hf, *(lanes or ("default",)))
    async with running(Host(shop.database, shop.direct, wanted, options)) as host:
        await eventually_async(lambda: sleeps(shop))
        yield host


async def sleeps(shop: Workers) -> bool:
    return bool(await shop.fetch("SELECT bool_or(asleep) FROM handfast_engine.workers"))


@pytest.mark.usefixtures("calm")
async def test_a_sleeper_hears_of_a_job(shop: Workers) -> None:
    @shop.hf.job("t.job")
    async def job(ctx: Context) -> None: ...

    async with asleep(shop):
        await shop.reaches(await shop.enqueue(job), "succeeded", within=SOON)
        await eventually_async(lambda: sleeps(shop))
        await shop.reaches(await shop.enqueue(job, "two"), "succeeded", within=SOON)


@pytest.mark.usefixtures("calm")
@pytest.mark.parametrize("how", ["one", "many", "sql", "retry"])
async def test_a_sleeper_hears_of_what_is_due_soon(shop: Workers, how: str) -> None:
    @shop.hf.job("t.job", retry=RetryPolicy(retries=1, waits=(0.5,)))
    async def job(ctx: Context) -> None:
        if how == "retry" and ctx.attempt == 1:
            raise OSError("the network")

    delay = timedelta(seconds=0.5)
    async with asleep(shop):
        if how == "one":
            made = await shop.enqueue(job, delay=delay)
        elif how == "retry":
            made = await shop.enqueue(job)
        elif how == "many":
            due = await shop.fetch("SELECT handfast_db.now() + $1::interval", delay)
            async with shop.database.transaction() as tx:
                [one, _] = await shop.hf.enqueue_many(tx, job, [("a", {}), ("b", {})], due=due)
            made = one.id
        else:
            made = await shop.fetch(
                "SELECT id FROM handfast_engine.enqueue('t.job', 'a', '{}', handfast_db.now() +"
                " $1::interval)",
                delay,
            )
        await shop.reaches(made, "succeeded", within=SOON)


@pytest.mark.usefixtures("calm")
async def test_a_sleeper_knows_when_the_next_job_is_due(
    shop: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    @shop.hf.job("t.job")
    async def job(ctx: Context) -> None: ...

    await shop.declare()
    made = await shop.enqueue(job, delay=timedelta(seconds=3))
    async with asleep(shop):
        await shop.reaches(made, "succeeded", within=3 + SOON)


async def test_who_enqueued_before_it_was_idle_has_told_nobody(
    shop: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The transaction ends while it sleeps: so it looks often until such ones are over."""
    monkeypatch.setattr(janitor, "SLEEP_SECONDS", LONG)

    @shop.hf.job("t.job")
    async def job(ctx: Context) -> None: ...

    await shop.declare()
    async with shop.database.transaction() as tx:  # begun before the host, committed after
        made = (await shop.hf.enqueue(tx, job, key="one")).id
        host = Host(shop.database, shop.direct, crews(shop.hf, "default"), HostOptions(poll=0.1))
        task = asyncio.create_task(host.run())
        await until(lambda: host.working and host.workers[0].sleeping)
    await shop.reaches(made, "succeeded", within=SOON)
    host.stop()
    await task


@pytest.mark.usefixtures("calm")
async def test_a_sleeper_rescues_what_a_plain_client_left(shop: Workers) -> None:
    @shop.hf.job("t.job")
    async def job(ctx: Context) -> None: ...

    async with asleep(shop, "other"):
        made = await shop.enqueue(job)
        await shop.fetch(
            "SELECT id FROM handfast_engine.claim(NULL, '{default}', 1, interval '0.5 s')"
        )
        await shop.reaches(made, "ready", within=SOON)


@pytest.mark.usefixtures("calm")
async def test_a_sleeper_rescues_what_a_worker_left_that_came_and_died(shop: Workers) -> None:
    @shop.hf.job("t.job")
    async def job(ctx: Context) -> None: ...

    async with asleep(shop, "other"):
        made = await shop.enqueue(job)
        dead = await shop.fetch(
            "SELECT handfast_engine.register_worker('x', '{default}', interval '5 s')"
        )
        await shop.fetch("SELECT id FROM handfast_engine.claim($1, '{default}', 1)", dead)
        await shop.reaches(made, "ready", within=5 + SOON)


@pytest.mark.usefixtures("calm")
async def test_what_sleep_costs_does_not_grow_with_the_crews(shop: Workers) -> None:
    async with asleep(shop, *(f"lane{n}" for n in range(12))):
        with counted(shop.database) as asked:
            await asyncio.sleep(worker.AUDIT_SECONDS + 1)  # the last audit, and what begins later
            # On a busy machine it goes on for longer.
            await until(lambda: not asked or time.monotonic() - asked[-1] > 1)
        with counted(shop.database) as asked:
            await asyncio.sleep(2)
        assert len(asked) <= 2, "an escalation, perhaps; nothing for each crew"


async def test_a_lost_notification_is_found_by_looking(shop: Workers) -> None:
    """As if nobody had known that the worker is idle."""

    @shop.hf.job("t.job")
    async def job(ctx: Context) -> None: ...

    async with shop.working(poll=0.1, lanes=("default", "more")) as host:
        await until(lambda: host.working and host.workers[0].sleeping)
        await shop.fetch("UPDATE handfast_engine.workers SET idle = false")
        await shop.reaches(await shop.enqueue(job), "succeeded", within=SOON)


@pytest.mark.usefixtures("calm")
async def test_who_hears_nothing_does_not_sleep(
    shop: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As behind a pooler that gives the session to others: LISTEN succeeds, and nothing comes."""
    # A look that is slow because the machine is must not put the next one off for a minute.
    monkeypatch.setattr(janitor, "SLOW_SECONDS", LONG)

    async def deaf(*_: Any) -> None: ...

    monkeypatch.setattr(asyncpg.Connection, "add_listener", deaf)

    @shop.hf.job("t.job")
    async def job(ctx: Context) -> None: ...

    async with shop.working(poll=0.1):
        await asyncio.sleep(1)
        assert not await sleeps(shop)
        await shop.reaches(await shop.enqueue(job), "succeeded", within=SOON)
        later = await shop.enqueue(job, "later", delay=timedelta(seconds=0.3))
        await shop.reaches(later, "succeeded", within=SOON)
