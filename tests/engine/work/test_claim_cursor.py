"""Where a worker begins to look, and that nothing below is forgotten."""

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from handfast.engine.work.claim_cursor import FRONT_SECONDS, SHARE, SLACK, SLOW_SECONDS, ClaimCursor
from handfast.engine.work.lease import Claimed
from tests.support.workers_here import Workers

pytestmark = pytest.mark.on_every_postgres

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
QUICK = SLOW_SECONDS / 10


def job(number: int, priority: int = 10, version: int = 2, lane: str = "default") -> Claimed:
    due = (NOON + timedelta(seconds=number)).timestamp()
    return Claimed(number, 1, 1, "t.job", str(number), "{}", version, due, False, lane, priority)


def noted(*jobs: Claimed, wanted: int, took: float = QUICK) -> ClaimCursor:
    """A worker whose first claim, from the front, ended at the instant 100."""
    known = ClaimCursor([("t.job", 2), ("t.other", 1)])
    known.note(jobs, wanted=wanted, from_front=True, started=100 - took, ended=100.0)
    return known


def test_behind_a_full_batch_for_a_moment() -> None:
    known = noted(job(1), job(2), wanted=2)
    hint = known.look(100 + FRONT_SECONDS / 2).floors
    assert hint is not None
    assert msgspec.json.decode(hint) == [[10, (NOON + timedelta(seconds=2)).isoformat(), 2]]
    assert known.look(100 + FRONT_SECONDS * 1.5).floors is None, "then from the front again"


def test_from_the_front_after_a_batch_that_was_not_full() -> None:
    assert noted(job(1), wanted=2).look(100.0).floors is None
    assert noted(wanted=2).look(100.0).floors is None


def test_the_last_of_several_lanes_speaks_for_all() -> None:
    hint = noted(job(1, lane="b"), job(2, lane="a"), wanted=2).look(100.0).floors
    assert hint is not None
    assert msgspec.json.decode(hint) == [[10, (NOON + timedelta(seconds=2)).isoformat(), 2]]


def test_older_versions_are_asked_for_once_they_were_seen() -> None:
    known = noted(job(1), wanted=1)
    assert known.look(100.0).kinds == [("t.job", 2), ("t.other", 1)]
    known.note([job(2, version=1)], wanted=1, from_front=True, started=100.0, ended=100.0)
    assert known.look(100.0).kinds == [("t.job", 2), ("t.other", 1), ("t.job", 1)]
    assert known.look(200.0).kinds == [("t.job", 2), ("t.other", 1)], "the front finds all of them"


def test_in_bad_times_a_little_below_what_was_seen() -> None:
    slow = SLOW_SECONDS * 2
    known = noted(job(1, 5), job(2, 5), job(3, 9), wanted=10, took=slow)
    hint = known.look(100 + slow * SHARE / 2).floors
    assert hint is not None
    assert msgspec.json.decode(hint) == [
        [5, (NOON + timedelta(seconds=1) - SLACK).isoformat()],
        [9, (NOON + timedelta(seconds=3) - SLACK).isoformat()],
    ]
    assert known.look(100 + slow * SHARE * 1.1).floors is None


async def test_a_claim_with_a_floor_begins_exactly_behind_it(shop: Workers) -> None:
    for number in range(6):
        await shop.enqueue("t.job", str(number), due=NOON, priority=5)
    await shop.enqueue("t.job", "urgent", due=NOON, priority=1)
    third = await shop.fetch("SELECT id FROM handfast_engine.live WHERE key = '2'")
    claim = "SELECT key FROM handfast_engine.claim(NULL, '{default}', 2, '1 hour', $1) ORDER BY id"
    floor = msgspec.json.encode([[5, NOON.isoformat(), third]]).decode()
    assert await shop.column(claim, floor) == ["3", "4"]
    assert await shop.column(claim, floor) == ["5"], "what lies below is not looked for"
    assert await shop.column(claim, None) == ["0", "urgent"], "and not forgotten"
