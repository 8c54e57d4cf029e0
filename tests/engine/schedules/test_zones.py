"""Local times and instants: gaps, folds, odd offsets, a day that never was."""

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handfast.engine.errors import ScheduleInvalid
from handfast.engine.schedules.zones import fold_at, instant_of, local_of, zone, zone_names

MODERN = [
    "UTC",
    "Europe/Berlin",
    "Europe/Dublin",
    "America/New_York",
    "America/Sao_Paulo",
    "America/St_Johns",
    "Africa/Casablanca",
    "Africa/Cairo",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Asia/Gaza",
    "Australia/Lord_Howe",
    "Australia/Eucla",
    "Pacific/Apia",
    "Pacific/Chatham",
    "Pacific/Kwajalein",
    "Antarctica/Troll",
]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("name", "local", "instant"),
    [
        # Ordinary, with offsets that are no whole hours.
        ("Asia/Kolkata", "2026-02-19 09:00", "2026-02-19 03:30+00:00"),
        ("Asia/Kathmandu", "2026-02-19 09:00", "2026-02-19 03:15+00:00"),
        ("Pacific/Chatham", "2026-02-19 09:00", "2026-02-18 19:15+00:00"),
        # Gaps: the first instant after, wherever in the gap the time is.
        ("Europe/Berlin", "2026-03-29 02:00", "2026-03-29 01:00+00:00"),
        ("Europe/Berlin", "2026-03-29 02:30", "2026-03-29 01:00+00:00"),
        ("Europe/Berlin", "2026-03-29 02:59", "2026-03-29 01:00+00:00"),
        ("Europe/Berlin", "2026-03-29 03:00", "2026-03-29 01:00+00:00"),
        ("America/New_York", "2026-03-08 02:30", "2026-03-08 07:00+00:00"),
        ("Australia/Lord_Howe", "2026-10-04 02:15", "2026-10-03 15:30+00:00"),
        ("America/Sao_Paulo", "2018-11-04 00:00", "2018-11-04 03:00+00:00"),
        # Dublin's winter is its summer time minus an hour: the gap is in spring all the same.
        ("Europe/Dublin", "2026-03-29 01:30", "2026-03-29 01:00+00:00"),
        # Across midnight: the date exists, only its end does not.
        ("America/Toronto", "1919-03-30 23:45", "1919-03-31 04:30+00:00"),
        # Folds: the first of the two.
        ("Europe/Berlin", "2026-10-25 02:30", "2026-10-25 00:30+00:00"),
        ("Europe/Dublin", "2026-10-25 01:30", "2026-10-25 00:30+00:00"),
        ("America/New_York", "2026-11-01 01:30", "2026-11-01 05:30+00:00"),
        ("Australia/Lord_Howe", "2026-04-05 01:45", "2026-04-04 14:45+00:00"),
    ],
)
def test_instant_of_a_local_time(name: str, local: str, instant: str) -> None:
    assert instant_of(at(local), zone(name)) == at(instant)


@pytest.mark.parametrize(
    ("name", "day"), [("Pacific/Apia", "2011-12-30"), ("Pacific/Kwajalein", "1993-08-21")]
)
def test_a_day_that_never_was_has_no_instants(name: str, day: str) -> None:
    where = zone(name)
    assert [instant_of(at(f"{day} {h:02}:30"), where) for h in range(24)] == [None] * 24
    before, after = at(f"{day} 09:00") - timedelta(days=1), at(f"{day} 09:00") + timedelta(days=1)
    first, second = instant_of(before, where), instant_of(after, where)
    assert first is not None
    assert second is not None
    assert second - first == timedelta(days=1)


def test_how_far_the_clock_was_put_back() -> None:
    berlin, howe = zone("Europe/Berlin"), zone("Australia/Lord_Howe")
    assert fold_at(at("2026-10-25 00:30+00:00"), berlin) == timedelta(0)
    assert fold_at(at("2026-10-25 01:30+00:00"), berlin) == timedelta(hours=1)
    assert fold_at(at("2026-04-04 15:10+00:00"), howe) == timedelta(minutes=30)


@pytest.mark.parametrize("name", ["Mars/Olympus", "europe/berlin", "", "../etc/passwd", "EST5"])
def test_an_unknown_zone_is_refused(name: str) -> None:
    with pytest.raises(ScheduleInvalid, match="IANA name such as 'Europe/Berlin'"):
        zone(name)


def test_a_misspelt_zone_is_guessed() -> None:
    with pytest.raises(ScheduleInvalid, match="Did you mean 'Europe/Berlin'"):
        zone("Europe/Berlln")


def test_every_zone_can_be_read() -> None:
    assert len(zone_names()) > 500
    for name in zone_names():
        assert zone(name).key == name


def test_the_pinned_tables_are_used_whatever_the_machine_has(tmp_path: Path) -> None:
    """A machine whose Berlin is Tokyo: zoneinfo believes it, we do not."""
    tokyo = resources.files("tzdata").joinpath("zoneinfo", "Asia", "Tokyo").read_bytes()
    (tmp_path / "Europe").mkdir()
    (tmp_path / "Europe" / "Berlin").write_bytes(tokyo)
    program = (
        "from datetime import datetime; from zoneinfo import ZoneInfo\n"
        "from handfast.engine.schedules.zones import zone, instant_of\n"
        "noon = datetime(2026, 1, 1, 12)\n"
        "print(noon.replace(tzinfo=ZoneInfo('Europe/Berlin')).utcoffset(),"
        " instant_of(noon, zone('Europe/Berlin')))"
    )
    said = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONTZPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.strip() == "9:00:00 2026-01-01 11:00:00+00:00"


instants = st.datetimes(
    datetime(1975, 1, 1),  # noqa: DTZ001  # hypothesis wants them naive
    datetime(2037, 12, 31),  # noqa: DTZ001
    timezones=st.just(UTC),
)


@given(instants, st.sampled_from(MODERN))
def test_a_wall_clock_is_read_back(instant: datetime, name: str) -> None:
    where = zone(name)
    back = instant_of(local_of(instant, where), where)
    assert back == instant - fold_at(instant, where)


@given(instants, st.timedeltas(timedelta(0), timedelta(days=3)), st.sampled_from(MODERN))
def test_later_on_the_wall_is_never_earlier(instant: datetime, step: timedelta, name: str) -> None:
    where = zone(name)
    local = local_of(instant, where).replace(fold=0)
    first, second = instant_of(local, where), instant_of(local + step, where)
    if first is not None and second is not None:
        assert first <= second
