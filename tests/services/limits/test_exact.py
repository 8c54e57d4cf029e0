"""Exact limits: never more than the quota in any period, whatever the clock does."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handfast.base.settings import Settings
from handfast.db.pool import Database
from handfast.db.redis import GuardedRedis
from handfast.db.statements import load
from handfast.edge.http.policies import RouteLimit
from handfast.services.limits.headers import too_many
from handfast.services.limits.limit import MICROSECOND, Ask, Limit, LimitVerdict
from handfast.services.limits.limiter import Limiter
from handfast.services.limits.pruning import Pruning
from tests.services.limits.exact_model import Window, take_windows
from tests.services.limits.model import Bucket, take
from tests.support.clock import freeze
from tests.support.eventually import eventually_async
from tests.support.exact_asker import Askers, Round, askers
from tests.support.interleave import Stage

pytestmark = pytest.mark.on_every_postgres

START = datetime(2026, 2, 19, 9, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
FIVE = Limit("five", 5, MINUTE, exact=True)
MANY = Limit("many", 2000, HOUR, exact=True)
TAKE = load("limits.take_exact")


async def at(database: Database, seconds: float) -> None:
    await freeze(database, START + timedelta(seconds=seconds))


async def used(limiter: Limiter, limit: Limit, asks: int, subject: str = "x") -> int:
    return sum([(await limiter.take(limit, subject)).admitted for _ in range(asks)])


# --- a quota whose every unit is kept ---------------------------------------------------------


async def test_five_are_five_in_any_minute(database: Database) -> None:
    """Where a plain limit gives nine: five at once, and four that come back meanwhile."""
    limiter = Limiter(database)
    admitted = []
    for second in (0, 12, 24, 36, 48, 59, 60, 61):
        await at(database, second)
        admitted.append(await used(limiter, FIVE, 6))
    assert admitted == [5, 0, 0, 0, 0, 0, 5, 0]


async def test_each_unit_comes_back_by_itself(database: Database) -> None:
    limiter = Limiter(database)
    for second, left in ((0, 4), (10, 3), (20, 2), (30, 1), (40, 0)):
        await at(database, second)
        verdict = await limiter.take(FIVE, "x")
        assert (verdict.admitted, verdict.remaining, verdict.reset) == (True, left, 60.0)
    refused = await limiter.take(FIVE, "x", cost=2)
    assert (refused.admitted, refused.retry_after, refused.reset) == (False, 30.0, 60.0)
    await at(database, 59.999999)
    assert (await limiter.take(FIVE, "x")).retry_after == 0.000001
    await at(database, 60)
    assert await used(limiter, FIVE, 5) == 1
    assert not (await limiter.take(FIVE, "x", cost=0)).admitted, "a look takes nothing"
    assert await used(limiter, FIVE, 5, subject="y") == 5, "others are not touched"


async def test_a_refusal_writes_nothing(database: Database) -> None:
    limiter = Limiter(database)
    await at(database, 0)
    await used(limiter, FIVE, 5)
    async with database.connection() as connection:
        look = "SELECT ctid::text, xmin::text, xmax::text FROM handfast_limits.buckets"
        before = await connection.fetch(look)
        assert await used(limiter, FIVE, 20) == 0
        assert await connection.fetch(look) == before


async def test_a_step_back_frees_nothing_and_holds_nobody_for_long(database: Database) -> None:
    limiter = Limiter(database)
    await at(database, 86_400)
    assert await used(limiter, FIVE, 3) == 3
    await at(database, 86_410)
    assert await used(limiter, FIVE, 3) == 2
    await at(database, 0)
    assert await used(limiter, FIVE, 3) == 0
    refused = await limiter.take(FIVE, "x")
    assert refused.retry_after == 50.0, "three were ten seconds older than the last"
    await at(database, 50)
    assert await used(limiter, FIVE, 5) == 3
    await at(database, 60)
    assert await used(limiter, FIVE, 5) == 2


async def test_a_changed_quota_counts_at_once(database: Database) -> None:
    limiter = Limiter(database)
    await at(database, 0)
    assert await used(limiter, FIVE, 5) == 5
    assert await used(limiter, Limit("five", 7, MINUTE, exact=True), 5) == 2
    lowered = await limiter.take(Limit("five", 2, MINUTE, exact=True), "x")
    assert (lowered.admitted, lowered.remaining, lowered.retry_after) == (False, 0, 60.0)


async def test_a_limit_that_was_not_exact_goes_on_counting(database: Database) -> None:
    limiter = Limiter(database)
    plain = Limit("five", 5, MINUTE)
    await at(database, 0)
    assert await used(limiter, plain, 3) == 3
    assert await used(limiter, FIVE, 5) == 2
    assert await used(limiter, plain, 5) == 0


# --- a large quota ----------------------------------------------------------------------------


async def test_a_large_quota_is_half_a_bucket(database: Database) -> None:
    limiter = Limiter(database)
    assert (MANY.at_once, MANY.unit, MANY.refill) == (1000, 3_600_000, HOUR)
    await at(database, 0)
    assert (await limiter.take(MANY, "x", cost=1000)).admitted
    refused = await limiter.take(MANY, "x")
    assert (refused.admitted, refused.retry_after) == (False, 3.6)
    await at(database, 3599.999999)
    taken = [(await limiter.take(MANY, "x", cost=999)).admitted for _ in range(2)]
    assert taken == [True, False], "1999 in this hour"
    async with database.connection() as connection:
        stamps = await connection.fetchval("SELECT stamps FROM handfast_limits.buckets")
    assert stamps is None
    with pytest.raises(ValueError, match="at most 1000 at once"):
        await limiter.take(MANY, "x", cost=1001)


@pytest.mark.parametrize("period", [timedelta(milliseconds=1), MINUTE, HOUR, timedelta(days=366)])
@pytest.mark.parametrize("quota", [101, 102, 999, 1000])
def test_halves_add_up_to_no_more_than_the_quota(quota: int, period: timedelta) -> None:
    limit = Limit("x", quota, period, exact=True)
    back_in_a_period = -(-(period // MICROSECOND) // limit.unit)  # a window is half open
    assert limit.at_once + back_in_a_period <= quota
    assert limit.refill <= period, "nobody waits longer"
    assert limit.at_once >= quota // 2 - 1


def test_what_is_exact_is_durable() -> None:
    with pytest.raises(ValueError, match="cannot be exact and not durable"):
        Limit("x", 5, MINUTE, durable=False, exact=True)


def test_a_route_may_ask_for_it() -> None:
    limit = RouteLimit("codes", 5, MINUTE, exact=True).limit(Settings())
    assert limit == Limit("codes", 5, MINUTE, exact=True)


# --- several together, and in somebody's transaction ------------------------------------------


async def test_all_or_none(database: Database) -> None:
    limiter = Limiter(database)
    await at(database, 0)
    tight, plain = Limit("tight", 2, HOUR, exact=True), Limit("plain", 50, MINUTE)
    asks = [Ask(FIVE, "x"), Ask(plain, "x"), Ask(tight, "x"), Ask(MANY, "x")]
    answers = [(await limiter.take_all(asks)).admitted for _ in range(4)]
    assert answers == [True, True, False, False]
    refused = await limiter.take_all(asks)
    assert [verdict.admitted for verdict in refused.verdicts] == [True, True, False, True]
    assert [verdict.remaining for verdict in refused.verdicts] == [3, 48, 0, 998]
    assert refused.retry_after == 3600.0
    error = too_many(refused)
    assert (error.status, error.extra["headers"]["Retry-After"]) == (429, "3600")
    assert "'tight' (2 in 3600 s)" in error.detail


async def test_what_a_transaction_took_goes_back_with_it(database: Database) -> None:
    limiter = Limiter(database)
    await at(database, 0)
    asks = [Ask(FIVE, "x", 3), Ask(MANY, "x")]
    with pytest.raises(ZeroDivisionError):
        async with database.transaction() as tx:
            assert (await limiter.take_in(tx, asks)).admitted
            raise ZeroDivisionError
    async with database.transaction() as tx:
        assert (await limiter.take_in(tx, asks)).admitted
    async with database.transaction() as tx:
        refused = await limiter.take_in(tx, asks)
        assert (await limiter.take_in(tx, [])).admitted
    assert [verdict.admitted for verdict in refused.verdicts] == [False, True]
    assert [verdict.remaining for verdict in refused.verdicts] == [2, 999]
    with pytest.raises(ValueError, match="asked twice"):
        async with database.transaction() as tx:
            await limiter.take_in(tx, [Ask(FIVE, "x"), Ask(FIVE, "x")])


async def test_refused_and_rolled_back_after_a_step_back(database: Database) -> None:
    """Nobody who is refused commits, and yet nobody waits longer than a minute."""
    limiter = Limiter(database)
    await at(database, 86_400)
    assert await used(limiter, FIVE, 5) == 5
    await at(database, 0)

    async def refused() -> LimitVerdict:
        with pytest.raises(ZeroDivisionError):
            async with database.transaction() as tx:
                decision = await limiter.take_in(tx, [Ask(FIVE, "x")])
                raise ZeroDivisionError
        return decision.verdicts[0]

    assert (await refused()).retry_after == 60.0

    async def is_mended() -> bool:
        async with database.connection() as connection:
            whole_at = await connection.fetchval("SELECT whole_at FROM handfast_limits.buckets")
        return bool(whole_at == START + MINUTE)

    await eventually_async(is_mended)
    await at(database, 45)
    assert (await refused()).retry_after == 15.0
    await at(database, 60)
    assert await used(limiter, FIVE, 6) == 5


async def test_who_asks_meanwhile_waits_for_the_row(dsn: str) -> None:
    ask = [["one"], ["x"], [1], [HOUR], [1], [True]]
    async with Stage(dsn) as stage:
        a, b = await stage.sessions("a", "b")
        await a.begin()
        assert await a.run(TAKE, *ask) is True
        late = b.start(TAKE, *ask)
        await stage.blocked("b", by="a")
        await a.commit()
        assert await late is False
        await a.begin()
        other = [["one"], ["y"], [1], [HOUR], [1], [True]]
        assert await a.run(TAKE, *other) is True
        late = b.start(TAKE, *other)
        await stage.blocked("b", by="a")
        await a.rollback()
        assert await late is True


async def test_many_at_once_never_exceed_and_use_it_fully(database: Database) -> None:
    limiter = Limiter(database)
    limit = Limit("crowd", 50, HOUR, exact=True)
    verdicts = await asyncio.gather(*(limiter.take(limit, "x") for _ in range(200)))
    assert sum(verdict.admitted for verdict in verdicts) == 50
    left = sorted(verdict.remaining for verdict in verdicts if verdict.admitted)
    assert left == list(range(50)), "each was given a place of its own"


async def test_calls_that_share_limits_in_any_order_do_not_deadlock(database: Database) -> None:
    limiter = Limiter(database)
    limits = [
        Limit(f"n{number}", (100, 10_000)[number % 2], MINUTE, exact=number < 4)
        for number in range(6)
    ]

    async def ask(number: int) -> None:
        order = limits[number % 6 :] + limits[: number % 6]
        chosen = order[: 2 + number % 4]
        await limiter.take_all([Ask(limit, "x") for limit in chosen])

    for _ in range(2):  # the first of them make the rows
        await asyncio.gather(*(ask(number) for number in range(120)))


async def test_redis_is_never_asked(database: Database, redis_url: str) -> None:
    async with GuardedRedis(redis_url, call_seconds=5.0) as redis:
        limiter = Limiter(database, redis)
        fast = Limit("fast-beside", 500, HOUR, durable=False)
        exact = Limit("exact-beside", 5, HOUR, exact=True)
        both = [Ask(exact, "x"), Ask(fast, "x")]
        assert sum([(await limiter.take_all(both)).admitted for _ in range(9)]) == 5
        keys: Any = await redis.client.keys("*-beside:*")
    assert [key.split(b":")[-2] for key in keys] == [b"fast-beside"]


async def test_old_rows_go_and_those_that_count_stay(database: Database) -> None:
    limiter = Limiter(database)
    await at(database, 0)
    await limiter.take(FIVE, "old")
    await at(database, 30)
    await limiter.take(FIVE, "new")
    await at(database, 61)
    assert await Pruning(database).prune() is None
    async with database.connection() as connection:
        rows = await connection.fetch("SELECT subject FROM handfast_limits.buckets")
    assert [row["subject"] for row in rows] == ["new"]


# --- any costs, any clock ---------------------------------------------------------------------

limits = st.builds(
    Limit,
    st.sampled_from(["a", "b", "c"]),
    st.integers(1, 8),
    st.sampled_from([timedelta(seconds=1), MINUTE, timedelta(days=1), timedelta(days=40)]),
    exact=st.just(True),
)
large = st.builds(
    Limit,
    st.sampled_from(["d", "e"]),
    st.integers(101, 300),
    st.timedeltas(timedelta(milliseconds=1), timedelta(days=30)),
    exact=st.just(True),
)
costs = st.lists(st.integers(0, 3), min_size=3, max_size=3)


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    yield loop
    loop.close()


@pytest.fixture
def ask(machine_dsn: str, loop: asyncio.AbstractEventLoop) -> Iterator[Any]:
    """What the function answers to these limits at a microsecond after the start."""
    connection = loop.run_until_complete(asyncpg.connect(machine_dsn))

    async def rows(chosen: list[Limit], subject: str, costs: list[int], at: int) -> Any:
        now = (START + at * MICROSECOND).isoformat()
        await connection.execute("SELECT set_config('handfast.now', $1, false)", now)
        rows = await connection.fetch(
            TAKE,
            [limit.name for limit in chosen],
            [subject] * len(chosen),
            [limit.at_once for limit in chosen],
            [limit.refill for limit in chosen],
            costs,
            [limit.is_window for limit in chosen],
        )
        return [tuple(row)[:4] for row in rows]

    yield lambda *given: loop.run_until_complete(rows(*given))
    loop.run_until_complete(connection.close())


@pytest.mark.hypothesis
def test_windows_answer_as_the_model_does(ask: Any) -> None:
    """Also when the clock is set back and forth."""

    @settings(max_examples=60)
    @given(
        st.lists(limits, min_size=1, max_size=3, unique_by=lambda limit: limit.name),
        st.lists(st.tuples(st.floats(-1.5, 1.5), costs), min_size=1, max_size=25),
    )
    def holds(chosen: list[Limit], walk: Any) -> None:
        windows, subject, now = [Window(limit) for limit in chosen], uuid4().hex, 0
        for passes, drawn in walk:
            now += int(passes * windows[0].period)
            fitting = [min(cost, w.limit.quota) for cost, w in zip(drawn, windows, strict=False)]
            expected = take_windows(windows, fitting, now)
            assert ask(chosen, subject, fitting, now) == expected

    holds()


@pytest.mark.hypothesis
def test_buckets_answer_as_the_model_does(ask: Any) -> None:
    @settings(max_examples=40)
    @given(
        st.lists(large, min_size=1, max_size=2, unique_by=lambda limit: limit.name),
        st.lists(st.tuples(st.floats(0, 0.3), st.integers(0, 50)), min_size=1, max_size=25),
    )
    def holds(chosen: list[Limit], walk: Any) -> None:
        buckets = [Bucket(Limit(limit.name, limit.at_once, limit.refill)) for limit in chosen]
        subject, now = uuid4().hex, 0
        for passes, cost in walk:
            now += int(passes * (chosen[0].period // MICROSECOND))
            fitting = [min(cost, limit.at_once) for limit in chosen]
            assert ask(chosen, subject, fitting, now) == take(buckets, fitting, now)

    holds()


# --- the promise, with many processes ---------------------------------------------------------

PROCESSES = 3


class Observed:
    """What processes were given, by a clock that steps. Whatever it does, ``passed`` only grows: a
    step back is no time, and so a period is one that somebody could have waited."""

    def __init__(self, limit: Limit, asked: Askers) -> None:
        self.limit, self._askers = limit, asked
        self.period = limit.period // MICROSECOND
        self._subject = uuid4().hex
        self._now = self.passed = 0
        self.taken: list[tuple[int, int]] = []

    def ask(self, step: int, costs: list[int]) -> list[Any]:
        self._now += step
        self.passed += max(0, step)
        now = (START + self._now * MICROSECOND).isoformat()
        told = self._askers.ask(Round(now, self.limit.quota, self.period, self._subject, costs))
        self.taken.append((self.passed, sum(one.cost for one in told if one.admitted)))
        assert self.in_a_period() <= self.limit.quota
        assert all(one.retry_after_us <= self.period for one in told), "nobody waits longer"
        assert all((one.retry_after_us == 0) == one.admitted for one in told)
        return [one for one in told if not one.admitted]

    def in_a_period(self) -> int:
        """The most that was taken in any period that ends now."""
        return sum(units for at, units in self.taken if self.passed - at < self.period)


@pytest.mark.hypothesis
def test_processes_never_exceed_it_in_any_window(machine_dsn: str) -> None:
    quotas = st.one_of(st.integers(1, 6), st.sampled_from([100, 101, 140]))
    steps = st.lists(
        st.tuples(
            st.one_of(st.floats(-2, 1.5), st.sampled_from([0, 1, -1])),
            st.lists(st.integers(0, 3), min_size=1, max_size=3),
            st.booleans(),
        ),
        min_size=1,
        max_size=8,
    )
    full: list[bool] = []

    @settings(max_examples=40)
    @given(quotas, st.sampled_from([timedelta(seconds=1), HOUR]), steps)
    def holds(quota: int, period: timedelta, walk: Any) -> None:
        limit = Limit("exact", quota, period, exact=True)
        seen = Observed(limit, asked)
        unit = max(1, limit.at_once // 5)
        for passes, drawn, comes_again in walk:
            costs = [min(limit.at_once, max(1, cost * unit)) for cost in drawn]
            refused = seen.ask(int(passes * seen.period), costs)
            full.append(bool(refused))
            if refused and comes_again and (waiting := seen.ask(0, [0])):
                again = seen.ask(waiting[0].retry_after_us, [1])
                assert len(again) < PROCESSES, "who comes when it was told to is let in"
        seen.ask(0, [1])
        refused = seen.ask(seen.period, [limit.at_once // PROCESSES or 1])
        assert len(refused) == max(0, PROCESSES - limit.at_once), "everything is back"

    with askers(machine_dsn, PROCESSES) as asked:
        holds()
    assert 0.2 < sum(full) / len(full) < 1, "it was used up, and not always"
