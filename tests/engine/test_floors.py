"""Where a worker begins to look, and that nothing below is forgotten."""

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from handfast.engine.floors import FRONT_SECONDS, SHARE, SLACK, SLOW_SECONDS, Floors
from handfast.engine.lease import Claimed
from tests.support.working import Shop

pytestmark = pytest.mark.on_every_postgres

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
QUICK = SLOW_SECONDS / 10


def job(number: int, priority: int = 10) -> Claimed:
    due = (NOON + timedelta(seconds=number)).timestamp()
    return Claimed(number, 1, 1, "t.job", str(number), "{}", 1, due, False, "default", priority)


def noted(
    *jobs: Claimed, wanted: int, took: float = QUICK, lanes: tuple[str, ...] = ("default",)
) -> Floors:
    """A worker whose first claim, from the front, ended at the instant 100."""
    known = Floors(lanes)
    known.note(jobs, wanted=wanted, from_front=True, started=100 - took, ended=100.0)
    return known


def test_behind_a_full_batch_for_a_moment() -> None:
    known = noted(job(1), job(2), wanted=2)
    hint = known.hint(100 + FRONT_SECONDS / 2)
    assert hint is not None
    assert msgspec.json.decode(hint) == [[10, (NOON + timedelta(seconds=2)).isoformat(), 2]]
    assert known.hint(100 + FRONT_SECONDS * 1.5) is None, "then from the front again"


def test_from_the_front_after_a_batch_that_was_not_full() -> None:
    assert noted(job(1), wanted=2).hint(100.0) is None
    assert noted(wanted=2).hint(100.0) is None


def test_several_lanes_begin_at_the_front() -> None:
    assert noted(job(1), job(2), wanted=2, lanes=("a", "b")).hint(100.0) is None


def test_in_bad_times_a_little_below_what_was_seen() -> None:
    slow = SLOW_SECONDS * 2
    known = noted(job(1, 5), job(2, 5), job(3, 9), wanted=10, took=slow)
    hint = known.hint(100 + slow * SHARE / 2)
    assert hint is not None
    assert msgspec.json.decode(hint) == [
        [5, (NOON + timedelta(seconds=1) - SLACK).isoformat()],
        [9, (NOON + timedelta(seconds=3) - SLACK).isoformat()],
    ]
    assert known.hint(100 + slow * SHARE * 1.1) is None


async def test_a_claim_with_a_floor_begins_exactly_behind_it(shop: Shop) -> None:
    for number in range(6):
        await shop.enqueue("t.job", str(number), due=NOON, priority=5)
    await shop.enqueue("t.job", "urgent", due=NOON, priority=1)
    third = await shop.fetch("SELECT id FROM engine.live WHERE key = '2'")
    claim = "SELECT key FROM engine.claim(NULL, '{default}', 2, '1 hour', $1) ORDER BY id"
    floor = msgspec.json.encode([[5, NOON.isoformat(), third]]).decode()
    assert await shop.column(claim, floor) == ["3", "4"]
    assert await shop.column(claim, floor) == ["5"], "what lies below is not looked for"
    assert await shop.column(claim, None) == ["0", "urgent"], "and not forgotten"
