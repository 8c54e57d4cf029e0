"""Documents of fixtures, whatever is in them: nothing raises, and every match is accounted for."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st

from handfast.apps.fixtures.errors import LineupsUnavailable
from handfast.apps.fixtures.formats.kickoffs import kickoff_of
from handfast.apps.fixtures.formats.raw_match import StoredFacts
from handfast.apps.fixtures.ingest.sources import SourceDocument, read_document
from handfast.apps.fixtures.steps.lineup_providers import read_lineups
from handfast.engine.schedules.zones import local_of, zone

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=30)
)
ANY = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=10,
)
# What a match may look like, with anything in any place.
SAID = st.sampled_from(["2026-08-15", "2026-03-29", "15:00", "01:30", "TBD", "Arsenal", "A", "B"])
MATCH = st.dictionaries(
    st.sampled_from(
        [
            *("date", "time", "team1", "team2", "score", "score1", "score2", "status", "round"),
            *("id", "zone", "competition", "season"),
        ]
    ),
    SAID | ANY | st.fixed_dictionaries({"ft": st.lists(SCALARS, max_size=3)}),
)


def read(name: str, content: bytes) -> Any:
    stem, _, suffix = name.rpartition(".")
    return read_document(
        SourceDocument(name, stem, "2026-27", f".{suffix}", content, "test"),
        StoredFacts(zone="Europe/London"),
    )


@given(st.lists(MATCH | ANY, max_size=8))
@example([{"date": "2026-08-15", "team1": "A", "team2": "B"}] * 3)
def test_every_match_of_a_document_is_a_row_or_a_reject(matches: list[Any]) -> None:
    reading = read("en.1.json", msgspec.json.encode({"matches": matches}))
    assert len(reading.rows) + len(reading.rejects) == len(matches)
    names = [row.external_id for row in reading.rows]
    assert len(names) == len(set(names))
    for row in reading.rows:
        assert row.home != row.away
        assert row.kickoff is None or row.kickoff.tzinfo is UTC
        assert (row.home_goals is None) == (row.away_goals is None)
        assert row.external_id is not None
        "".join(filter(None, (row.home, row.away, row.round, row.external_id))).encode()
    assert all(reject.reason and reject.place for reject in reading.rejects)
    msgspec.json.encode(reading.rejects)


@given(ANY)
def test_any_json_is_read_or_rejected(document: Any) -> None:
    read("x.json", msgspec.json.encode(document))


@given(st.binary(max_size=200), st.sampled_from(["x.json", "x.csv", "x.txt"]))
@example(b"\xff\xfe", "x.json")
def test_any_bytes_are_read_or_rejected(content: bytes, name: str) -> None:
    read(name, content)


@given(st.binary(max_size=300))
@example(b"a,b,2026-08-15\n" * 3)
def test_every_line_of_a_csv_is_a_row_or_a_reject(content: bytes) -> None:
    reading = read("en.1.csv", b"home,away,date\n" + content)
    assert all(one.place.startswith("line ") for one in reading.rejects)


@given(st.binary(max_size=200) | ANY.map(msgspec.json.encode))
def test_lineups_are_whole_or_not_there(content: bytes) -> None:
    try:
        found = read_lineups(content, "x")
    except LineupsUnavailable:
        return
    assert found.home.starting
    assert found.away.starting


@given(
    st.dates(date(1950, 1, 1), date(2037, 12, 31)),
    st.times().map(lambda at: at.replace(second=0, microsecond=0)),
    st.sampled_from(
        ["Europe/London", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"]
    ),
)
@example(date(2026, 3, 29), time(1, 30), "Europe/London")
@example(date(2026, 10, 25), time(1, 30), "Europe/London")
@example(date(2026, 4, 5), time(1, 45), "Australia/Lord_Howe")
def test_a_local_kickoff_is_what_the_clock_shows_or_is_said(day: date, at: time, name: str) -> None:
    kickoff = kickoff_of(str(day), f"{at:%H:%M}", name)
    assert kickoff.instant is not None
    local, where = datetime.combine(day, at), zone(name)
    shown = local_of(kickoff.instant, where)
    if shown != local:  # skipped: the first instant after the gap, and it is said
        assert kickoff.note is not None
        assert "does not exist" in kickoff.note
        assert shown > local
        before = local_of(kickoff.instant - timedelta(seconds=1), where)
        assert before < local
        return
    twice = [
        shift
        for minutes in (30, 60, 120)
        for shift in (timedelta(minutes=minutes),)
        if local_of(kickoff.instant + shift, where) == local
    ]
    assert bool(twice) == (kickoff.note is not None and "twice" in kickoff.note)
    earlier = [local_of(kickoff.instant - timedelta(minutes=m), where) for m in (30, 60, 120)]
    assert local not in earlier, "of two, the first"
