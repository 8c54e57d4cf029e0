"""Limits in PostgreSQL: exact in frozen time, and shared by everybody who asks."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from handfast.base.telemetry import REGISTRY
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.services.limits.limit import Ask, Limit
from handfast.services.limits.limiter import Limiter
from handfast.services.limits.pruning import Pruning
from tests.support.clock import freeze

pytestmark = pytest.mark.on_every_postgres

START = datetime(2026, 2, 19, 9, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
SEVEN = Limit("seven", 7, MINUTE)  # a minute does not divide by seven
UNIT = 60_000_000 // 7 / 1e6


def metric(name: str) -> float:
    return REGISTRY.get_sample_value(name) or 0.0


async def at(database: Database, seconds: float) -> None:
    await freeze(database, START + timedelta(seconds=seconds))


async def used(limiter: Limiter, limit: Limit, subject: str, asks: int = 50) -> int:
    taken = [(await limiter.take(limit, subject)).admitted for _ in range(asks)]
    return sum(taken)


async def test_exact_to_the_microsecond(database: Database) -> None:
    limiter = Limiter(database)
    await at(database, 0)
    for left in range(6, -1, -1):
        verdict = await limiter.take(SEVEN, "x")
        assert (verdict.admitted, verdict.remaining, verdict.retry_after) == (True, left, 0.0)
        assert verdict.reset == pytest.approx((7 - left) * UNIT, abs=1e-9)
    refused = await limiter.take(SEVEN, "x")
    assert (refused.admitted, refused.remaining) == (False, 0)
    assert refused.retry_after == UNIT
    await at(database, UNIT - 1e-6)
    assert not (await limiter.take(SEVEN, "x")).admitted
    await at(database, UNIT)
    assert (await limiter.take(SEVEN, "x")).admitted
    assert not (await limiter.take(SEVEN, "x")).admitted
    await at(database, 3600)
    assert await used(limiter, SEVEN, "x") == 7, "whole again, and no more than whole"


async def test_a_refusal_does_not_push_the_end_away(database: Database) -> None:
    limiter = Limiter(database)
    await at(database, 0)
    assert await used(limiter, SEVEN, "x", asks=500) == 7
    await at(database, UNIT)
    assert (await limiter.take(SEVEN, "x")).admitted


async def test_a_refusal_writes_nothing(database: Database) -> None:
    limiter = Limiter(database)
    await at(database, 0)
    await used(limiter, SEVEN, "x")
    async with database.connection() as connection:
        look = "SELECT ctid::text, xmin::text, xmax::text FROM handfast_limits.buckets"
        before = await connection.fetch(look)
        assert await used(limiter, SEVEN, "x") == 0
        assert await connection.fetch(look) == before


async def test_subjects_and_limits_do_not_touch_each_other(database: Database) -> None:
    limiter = Limiter(database)
    await at(database, 0)
    other = Limit("other", 3, MINUTE)
    assert await used(limiter, SEVEN, "x") == 7
    assert await used(limiter, SEVEN, "y") == 7
    assert await used(limiter, other, "x") == 3
    assert await used(limiter, SEVEN, "x" * 5000) == 7, "any subject counts, also a silly one"
    assert await used(limiter, SEVEN, "x" * 5000) == 0
    assert await used(limiter, SEVEN, "nul\0 and \ud800") == 7
    assert await used(limiter, SEVEN, "") == 7


async def test_all_or_none(database: Database) -> None:
    limiter = Limiter(database)
    await at(database, 0)
    tight = Limit("tight", 2, MINUTE)
    both = [Ask(SEVEN, "x"), Ask(tight, "x")]
    answers = [(await limiter.take_all(both)).admitted for _ in range(5)]
    assert answers == [True, True, False, False, False]
    looked = await limiter.take(SEVEN, "x", cost=0)
    assert (looked.admitted, looked.remaining) == (True, 5), "refusals of the other took nothing"
    refused = await limiter.take_all(both)
    assert [verdict.admitted for verdict in refused.verdicts] == [True, False]
    assert refused.retry_after == 30.0
    with pytest.raises(ValueError, match="asked twice"):
        await limiter.take_all([Ask(SEVEN, "x"), Ask(SEVEN, "x")])
    assert (await limiter.take_all([])).admitted


async def test_costs(database: Database) -> None:
    limiter = Limiter(database)
    await at(database, 0)
    assert (await limiter.take(SEVEN, "x", cost=5)).remaining == 2
    refused = await limiter.take(SEVEN, "x", cost=3)
    assert (refused.admitted, refused.remaining) == (False, 2)
    assert refused.retry_after == UNIT
    assert (await limiter.take(SEVEN, "x", cost=2)).admitted
    assert not (await limiter.take(SEVEN, "x", cost=0)).admitted, "nothing is left to look at"
    for wrong in (-1, 8):
        with pytest.raises(ValueError, match="can never be taken"):
            await limiter.take(SEVEN, "x", cost=wrong)


async def test_a_changed_quota_counts_at_once(database: Database) -> None:
    limiter = Limiter(database)
    await at(database, 0)
    assert await used(limiter, Limit("six", 6, MINUTE), "x") == 6
    await at(database, 30)
    assert await used(limiter, Limit("six", 60, MINUTE), "x", asks=100) == 30, "half is back"
    assert await used(limiter, Limit("six", 1, MINUTE), "x") == 0


async def test_many_at_once_never_exceed_and_use_it_fully(database: Database) -> None:
    limiter = Limiter(database)
    await at(database, 0)
    limit = Limit("many", 50, MINUTE)
    verdicts = await asyncio.gather(*(limiter.take(limit, "x") for _ in range(300)))
    assert sum(verdict.admitted for verdict in verdicts) == 50
    left = sorted(verdict.remaining for verdict in verdicts if verdict.admitted)
    assert left == list(range(50)), "each was given a place of its own"


async def test_calls_that_share_limits_in_any_order_do_not_deadlock(database: Database) -> None:
    limiter = Limiter(database)
    names = [Limit(f"n{number}", 10_000, MINUTE) for number in range(6)]

    async def ask(number: int) -> bool:
        order = names[number % 6 :] + names[: number % 6]
        if number % 2:
            order.reverse()
        chosen = order[: 2 + number % 4]
        return (await limiter.take_all([Ask(limit, "x") for limit in chosen])).admitted

    for _ in range(3):  # the first of them make the rows
        assert all(await asyncio.gather(*(ask(number) for number in range(200))))


@pytest.mark.parametrize(
    ("name", "quota", "period"),
    [
        ("", 1, MINUTE),
        ("Upper", 1, MINUTE),
        ('quo"te', 1, MINUTE),
        ("x" * 101, 1, MINUTE),
        ("x", 0, MINUTE),
        ("x", -1, MINUTE),
        ("x", 10**10, MINUTE),
        ("x", 1, timedelta(0)),
        ("x", 1, timedelta(days=400)),
        ("x", 1_000_000, timedelta(milliseconds=1)),
    ],
)
def test_a_limit_that_makes_no_sense_is_refused(name: str, quota: int, period: timedelta) -> None:
    with pytest.raises(ValueError, match=r"name|quota|period|microsecond"):
        Limit(name, quota, period)


async def test_the_largest_limit_still_fits_the_arithmetic(database: Database) -> None:
    limiter = Limiter(database)
    await at(database, 0)
    large = Limit("large", 10**9, timedelta(days=366))
    verdict = await limiter.take(large, "x", cost=10**9)
    assert (verdict.admitted, verdict.remaining) == (True, 0)
    assert verdict.reset == (large.period // timedelta(microseconds=1) // 10**9 * 10**9) / 1e6


# --- pruning ----------------------------------------------------------------------------------


async def rows(database: Database) -> list[str]:
    async with database.connection() as connection:
        found = await connection.fetch(
            "SELECT subject FROM handfast_limits.buckets ORDER BY subject"
        )
    return [row["subject"] for row in found]


async def test_old_rows_go_in_batches_and_the_others_stay(database: Database) -> None:
    limiter = Limiter(database)
    await at(database, 0)
    for number in range(10):
        await limiter.take(SEVEN, f"old{number}")
    await at(database, 1000)
    await limiter.take(SEVEN, "new")
    pruning = Pruning(database, batch=4)
    assert await pruning.prune() == 1.0
    assert len(await rows(database)) == 7 or len(await rows(database)) == 8
    assert await pruning.prune() == 1.0
    assert await pruning.prune() is None
    assert await rows(database) == ["new"]
    assert await pruning.prune() is None, "and from the beginning again"


async def test_a_row_in_use_is_not_pruned(database: Database) -> None:
    limiter = Limiter(database)
    await at(database, 0)
    await limiter.take(SEVEN, "x")
    await at(database, 1000)
    async with database.transaction() as tx:
        await tx.execute("SELECT 1 FROM handfast_limits.buckets FOR UPDATE")
        assert await Pruning(database).prune() is None
    assert await rows(database) == ["x"]


async def test_pruning_among_traffic_gives_nothing_away(database: Database, dsn: str) -> None:
    """Old rows, that one side wants to take from and the other to remove."""
    limiter = Limiter(database)
    limit = Limit("fought-for", 5, MINUTE)
    subjects = [f"s{number}" for number in range(100)]
    await at(database, 0)
    await asyncio.gather(*(limiter.take(limit, subject) for subject in subjects))
    await at(database, 1000)
    over, at_work = False, asyncio.Event()

    async def prune() -> None:
        async with await Database.open(Target(dsn), pool_size=1) as own:  # it does not queue up
            pruning = Pruning(own, batch=7)
            while not over:
                await pruning.prune()
                at_work.set()

    before = metric("handfast_limit_rows_pruned_total")
    pruner = asyncio.create_task(prune())
    await at_work.wait()  # else all rows may have been taken from before it has a connection
    asks = [limiter.take(limit, subject) for _ in range(8) for subject in subjects]
    verdicts = await asyncio.gather(*asks)
    over = True
    await pruner
    assert sum(verdict.admitted for verdict in verdicts) == 500
    assert metric("handfast_limit_rows_pruned_total") > before, "there was a fight"


@pytest.mark.parametrize("until", ["2400-01-01Z", "9999-12-30Z"])
async def test_nobody_owes_more_than_the_whole_quota(database: Database, until: str) -> None:
    """The clock was set back, or somebody has written rubbish."""
    limiter = Limiter(database)
    await at(database, 0)
    await limiter.take(SEVEN, "x")
    async with database.connection() as connection:
        await connection.execute(f"UPDATE handfast_limits.buckets SET whole_at = '{until}'")
    refused = await limiter.take(SEVEN, "x")
    assert (refused.admitted, refused.remaining) == (False, 0)
    assert refused.retry_after == UNIT
    assert refused.reset == pytest.approx(7 * UNIT)
    await at(database, UNIT)
    assert (await limiter.take(SEVEN, "x")).admitted, "it came when it was told to come"
    await at(database, 3600)
    assert await used(limiter, SEVEN, "x") == 7


async def test_a_clock_that_was_set_back_holds_nobody_for_long(database: Database) -> None:
    limiter = Limiter(database)
    await at(database, 400 * 86_400)
    assert await used(limiter, SEVEN, "x") == 7
    await at(database, 0)
    assert (await limiter.take(SEVEN, "x")).retry_after == UNIT
    await at(database, UNIT)
    assert (await limiter.take(SEVEN, "x")).admitted
