"""When schedules tick: clock changes both ways, odd zones, skipped days, and always in order."""

import time as clock
from datetime import UTC, datetime, time, timedelta
from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handfast.engine.schedules.catch_up import CatchUp
from handfast.engine.schedules.declared import cron_spec, daily_spec
from handfast.engine.schedules.ticks import Moment, TickLine, decode_spec, encode_spec, next_moment
from tests.engine.schedules.test_zones import MODERN, instants

pytestmark = pytest.mark.on_lowest


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def cron(expression: str, zone: str = "UTC") -> TickLine:
    return cron_spec(expression, zone, CatchUp.latest).lines()[0]


def daily(when: time, zone: str) -> TickLine:
    return daily_spec(when, [zone], CatchUp.latest)[0].lines()[0]


def forward(line: TickLine, start: str, count: int) -> list[Moment]:
    found: list[Moment] = []
    instant = at(start)
    for _ in range(count):
        found.append(line.after(instant))
        instant = found[-1].at
    return found


def utc(moments: list[Moment]) -> list[str]:
    return [f"{m.at:%m-%d %H:%M}" for m in moments]


def test_a_nightly_job_when_clocks_go_forward() -> None:
    line = cron("30 2 * * *", "Europe/Berlin")
    assert utc(forward(line, "2026-03-27 12:00+00:00", 3)) == [
        "03-28 01:30",  # 02:30 +01:00
        "03-29 01:00",  # 02:30 does not exist; 03:00 +02:00 is the first instant after
        "03-30 00:30",  # 02:30 +02:00
    ]


def test_a_nightly_job_when_clocks_go_back() -> None:
    line = cron("30 2 * * *", "Europe/Berlin")
    assert utc(forward(line, "2026-10-24 12:00+00:00", 2)) == ["10-25 00:30", "10-26 01:30"]
    # Asked in the repeated hour, it has been.
    assert utc(forward(line, "2026-10-25 01:10+00:00", 1)) == ["10-26 01:30"]


def test_a_frequent_job_counts_each_local_time_once() -> None:
    line = cron("*/20 * * * *", "Europe/Berlin")
    spring = utc(forward(line, "2026-03-29 00:35+00:00", 3))
    assert spring == ["03-29 00:40", "03-29 01:00", "03-29 01:20"]
    autumn = utc(forward(line, "2026-10-25 00:35+00:00", 3))
    assert autumn == ["10-25 00:40", "10-25 02:00", "10-25 02:20"]
    # In UTC nothing of this happens.
    assert utc(forward(cron("*/20 * * * *"), "2026-10-25 00:35+00:00", 3)) == [
        "10-25 00:40",
        "10-25 01:00",
        "10-25 01:20",
    ]


@pytest.mark.parametrize(
    ("zone", "first"),
    [
        ("Asia/Kolkata", "02-19 03:30"),
        ("Asia/Kathmandu", "02-19 03:15"),
        ("Australia/Eucla", "02-19 00:15"),
        ("Pacific/Chatham", "02-19 19:15"),
        ("America/St_Johns", "02-19 12:30"),
        ("Australia/Lord_Howe", "02-19 22:00"),
    ],
)
def test_nine_o_clock_in_odd_zones(zone: str, first: str) -> None:
    assert utc(forward(daily(time(9), zone), "2026-02-19 00:00+00:00", 1)) == [first]


def test_half_an_hour_of_summer_time() -> None:
    line = daily(time(2, 15), "Australia/Lord_Howe")
    assert utc(forward(line, "2026-10-02 12:00+00:00", 3)) == [
        "10-02 15:45",  # +10:30
        "10-03 15:30",  # 02:15 does not exist: 02:30 +11:00
        "10-04 15:15",  # +11:00
    ]


def test_negative_summer_time() -> None:
    line = daily(time(1, 30), "Europe/Dublin")
    assert utc(forward(line, "2026-03-28 00:00+00:00", 3)) == [
        "03-28 01:30",
        "03-29 01:00",
        "03-30 00:30",
    ]
    assert utc(forward(line, "2026-10-24 12:00+00:00", 2)) == ["10-25 00:30", "10-26 01:30"]


@pytest.mark.parametrize(
    ("zone", "start", "days"),
    [
        ("Pacific/Apia", "2011-12-28 00:00+00:00", ["12-28", "12-29", "12-31", "01-01"]),
        ("Pacific/Kwajalein", "1993-08-19 00:00+00:00", ["08-19", "08-20", "08-22", "08-23"]),
    ],
)
def test_a_zone_that_skips_a_day(zone: str, start: str, days: list[str]) -> None:
    for line in (daily(time(9), zone), cron("0 9 * * *", zone)):
        moments = forward(line, start, 5)
        assert [f"{m.day:%m-%d}" for m in moments if f"{m.day:%m-%d}" in days] == days
        assert {b.at - a.at for a, b in pairwise(moments)} == {timedelta(days=1)}
        backward = list(islice(line.newest(moments[-1].at), 5))
        assert backward == moments[::-1]


def test_the_soonest_of_many_zones() -> None:
    spec, _ = daily_spec(time(9), ["Europe/Berlin", "Asia/Tokyo"], CatchUp.all)
    moment = next_moment(spec.lines(), at("2026-02-18 12:00+00:00"))
    assert moment is not None
    assert moment.at == at("2026-02-19 09:00+09:00")
    assert next_moment([], at("2026-02-18 12:00+00:00")) is None


def test_a_specification_survives_being_stored() -> None:
    window = CatchUp.within(timedelta(hours=6)).capped(7)
    for spec in (
        cron_spec("*/5  *  * * MON-FRI", "Asia/Tokyo", window),
        daily_spec(time(18, 30), ["UTC", "Asia/Kolkata"], CatchUp.all)[0],
        daily_spec(time(9), "SELECT 'UTC'", CatchUp.latest)[0],
    ):
        assert decode_spec(encode_spec(spec)) == spec


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (
            cron_spec("*/5 * * * *", "UTC", CatchUp.all),
            "every fifth minute of every hour, UTC time",
        ),
        (daily_spec(time(9), ["UTC"], CatchUp.all)[0], "daily at 09:00 in UTC"),
        (daily_spec(time(9), "SELECT 1", CatchUp.all)[0], "daily at 09:00 in the zones in use"),
        (daily_spec(time(9), MODERN, CatchUp.all)[0], f"daily at 09:00 in {len(MODERN)} zones"),
    ],
)
def test_in_words(spec: "object", words: str) -> None:
    assert getattr(spec, "words") == words  # noqa: B009


def test_rare_ticks_are_found_quickly() -> None:
    """Years are stepped over, not walked minute by minute."""
    start = at("2026-03-01 00:00+00:00")
    began = clock.process_time()
    rare = [cron(e, "Europe/Berlin") for e in ("0 0 29 2 *", "30 2 L 12 *", "0 0 29 2 MON#5")]
    for line in rare:
        line.after(start)
        next(line.newest(start))
    dailies = daily_spec(time(9), MODERN * 1, CatchUp.all)[0].lines()
    next_moment(dailies, start)
    assert clock.process_time() - began < 1.0


# --- properties -------------------------------------------------------------------------------

field_minute = st.sampled_from(["*", "0", "30", "*/7", "5,35", "59"])
field_hour = st.sampled_from(["*", "0", "1", "2", "3", "23", "*/6", "1-3"])
field_day = st.sampled_from(["*", "*", "*", "1", "29", "31", "L"])
field_month = st.sampled_from(["*", "*", "*", "3", "10", "2"])
field_weekday = st.sampled_from(["*", "*", "SUN", "MON-FRI", "SUN#1", "7"])
expressions = st.tuples(field_minute, field_hour, field_day, field_month, field_weekday).map(
    " ".join
)
modern = st.sampled_from(MODERN)
lines = st.one_of(
    st.builds(cron, expressions.filter(lambda e: "31 2" not in e), modern),
    st.builds(daily, st.times().map(lambda t: t.replace(second=0, microsecond=0)), modern),
)


@given(lines, instants)
def test_ticks_strictly_increase_and_come_after(line: TickLine, start: datetime) -> None:
    found = [start]
    for _ in range(6):
        found.append(line.after(found[-1]).at)
    assert all(a < b for a, b in pairwise(found))


@given(lines, instants)
def test_backward_is_forward_reversed(line: TickLine, start: datetime) -> None:
    moments = [line.after(start)]
    for _ in range(5):
        moments.append(line.after(moments[-1].at))
    assert [m.at for m in islice(line.newest(moments[-1].at), 6)] == [m.at for m in moments[::-1]]
    # Nothing between, and nothing missed just before.
    before = next(line.newest(moments[0].at - timedelta(microseconds=1)))
    assert before.at <= start


@given(
    st.times().map(lambda t: t.replace(second=0, microsecond=0)),
    st.sampled_from(MODERN),
    instants,
)
def test_one_tick_for_each_local_date(when: time, zone: str, start: datetime) -> None:
    line = daily(when, zone)
    moments = [line.after(start)]
    for _ in range(40):
        moments.append(line.after(moments[-1].at))
    days = [m.day for m in moments]
    assert len(set(days)) == len(days)
    # Every date has one, but for those that the zone skipped.
    missing = (days[-1] - days[0]).days + 1 - len(days)
    assert missing == 0 or (missing == 1 and zone in ("Pacific/Apia", "Pacific/Kwajalein"))
