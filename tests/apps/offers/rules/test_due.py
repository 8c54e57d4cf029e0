"""Each local date of every zone has one due instant."""

from datetime import UTC, date, datetime, time, timedelta
from importlib import resources
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handfast.apps.offers.rules.due import due_at, local_day
from handfast.engine.schedules.zones import local_of, zone, zone_names

DAY = timedelta(days=1)


def local_dates(name: str, first: date, last: date) -> set[date]:
    """Those that a clock on the wall shows at some quarter of an hour."""
    where, found = zone(name), set()
    at = datetime(first.year, first.month, first.day, tzinfo=UTC) - DAY
    while at < datetime(last.year, last.month, last.day, tzinfo=UTC) + 2 * DAY:
        found.add(local_of(at, where).date())
        at += timedelta(hours=6)
    return {day for day in found if first <= day <= last}


def different_zones() -> list[str]:
    """One name for each table: more than two hundred names are old ones of another zone."""
    tables = resources.files("tzdata").joinpath("zoneinfo")
    known = {tables.joinpath(*name.split("/")).read_bytes(): name for name in zone_names()}
    return sorted(known.values())


def test_every_zone_has_one_instant_for_each_date_of_two_years() -> None:
    first, count = date(2026, 1, 1), 2 * 365
    days = [first + n * DAY for n in range(count)]
    for name in different_zones():
        where: ZoneInfo = zone(name)
        instants = [due_at(name, day) for day in days]
        known = [one for one in instants if one is not None]
        assert len(known) == count, f"{name} has all dates of 2026 and 2027"
        assert all(one < other for one, other in pairwise(known)), name
        assert [one.astimezone(where).date() for one in known] == days, f"{name}: the local date"


@given(st.sampled_from(sorted(zone_names())), st.dates(date(1975, 1, 1), date(2036, 12, 31)))
@example("Pacific/Apia", date(2011, 12, 30))
@example("Pacific/Kwajalein", date(1993, 8, 21))
def test_a_date_that_exists_has_one_instant_at_nine_or_just_after(name: str, day: date) -> None:
    where, due = zone(name), due_at(name, day)
    assert (due is not None) == (day in local_dates(name, day, day))
    if due is None:
        return
    local, before = local_of(due, where), local_of(due - timedelta(seconds=1), where)
    assert local.date() == day
    assert local.time() >= time(9)
    assert before.time() < time(9) or before.date() < day, "the first such instant"


def test_a_date_that_a_zone_does_not_have_has_none() -> None:
    name, around = "Pacific/Apia", [date(2011, 12, 28) + n * DAY for n in range(5)]
    dates = {day for day in around if due_at(name, day) is not None}
    assert dates == local_dates(name, around[0], around[-1]) == set(around) - {date(2011, 12, 30)}
    before = local_day(name, date(2011, 12, 29), 1)
    assert before is not None
    assert before.ends_at == datetime(2011, 12, 30, 10, tzinfo=UTC), "the clock jumps at midnight"
    assert before.expires_at == due_at(name, date(2011, 12, 31)), "on the next date there is"


@pytest.mark.parametrize(
    ("name", "day", "due"),
    [
        ("Asia/Kathmandu", date(2026, 2, 19), datetime(2026, 2, 19, 3, 15, tzinfo=UTC)),
        ("Pacific/Kiritimati", date(2026, 2, 19), datetime(2026, 2, 18, 19, tzinfo=UTC)),
        ("Europe/Berlin", date(2026, 3, 29), datetime(2026, 3, 29, 7, tzinfo=UTC)),
        ("Europe/Berlin", date(2026, 10, 25), datetime(2026, 10, 25, 8, tzinfo=UTC)),
    ],
)
def test_nine_in_the_morning(name: str, day: date, due: datetime) -> None:
    assert due_at(name, day) == due


def test_offers_expire_at_nine_six_days_later() -> None:
    found = local_day("Europe/Berlin", date(2026, 3, 27), 6)
    assert found is not None
    assert found.due_at == datetime(2026, 3, 27, 8, tzinfo=UTC)
    assert found.ends_at == datetime(2026, 3, 27, 23, tzinfo=UTC)
    assert found.expires_at == datetime(2026, 4, 2, 7, tzinfo=UTC), "summer time began meanwhile"
