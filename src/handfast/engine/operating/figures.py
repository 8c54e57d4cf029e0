"""Figures over time, read from rows that were written as work was done: nothing is searched.

Throughput, failures and how long attempts took, by the minute and for 14 days; ticks that were
expected and that fired, by the day. What other programs do through the SQL face is not in them:
only our own processes write their figures down.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

import msgspec

from handfast.base.errors import InvalidRequest
from handfast.db.statements import statement
from handfast.db.transaction import AnyConnection, Queryable
from handfast.engine.maintenance import retention
from handfast.engine.schedules.store import late_ticks
from handfast.engine.work.tally import ALL_KINDS, BOUNDS

KEPT = retention.FIGURES
POINTS_MAX = 1500  # a day by the minute, and what a chart can show
KINDS_MAX = 200
KINDS_WINDOW_MAX = timedelta(days=1)  # a row for each kind and minute is read
MINUTE = timedelta(minutes=1)


class FigurePoint(msgspec.Struct, frozen=True, rename="camel"):
    """One step of time. The quantiles are in seconds and of attempts that succeeded, as near as the
    bounds of the buckets allow; null where there were none."""

    at: datetime
    succeeded: int
    failed: int
    lost: int
    died: int
    mean_seconds: float | None
    p50_seconds: float | None
    p95_seconds: float | None


class Figures(msgspec.Struct, frozen=True, rename="camel"):
    """``points`` has those steps in which something was done."""

    kind: str | None
    since: datetime
    until: datetime
    step_seconds: int
    points: list[FigurePoint]


class KindFigures(msgspec.Struct, frozen=True, rename="camel"):
    kind: str
    succeeded: int
    failed: int
    lost: int
    died: int
    mean_seconds: float | None
    p50_seconds: float | None
    p95_seconds: float | None


class TickDay(msgspec.Struct, frozen=True, rename="camel"):
    """``expected`` is all that were due: those that fired (some of them ``caught_up``), those that
    the schedule's policy skipped, and those that are ``late``: due, and not marked by anybody yet.
    Ticks within a pause are not expected."""

    schedule: str
    day: date
    expected: int
    fired: int
    caught_up: int
    skipped: int
    late: int


class _Point(msgspec.Struct, frozen=True):
    at: datetime
    succeeded: int
    failed: int
    lost: int
    died: int
    seconds: float
    buckets: list[int]


class _OfKind(msgspec.Struct, frozen=True):
    kind: str
    succeeded: int
    failed: int
    lost: int
    died: int
    seconds: float
    buckets: list[int]


class _TickDay(msgspec.Struct, frozen=True):
    schedule: str
    day: date
    fired: int
    caught_up: int
    skipped: int


_FIGURES = statement("engine.figures", row=_Point)
_OF_KINDS = statement("engine.figures_of_kinds", row=_OfKind)
_TICK_DAYS = statement("engine.tick_days", row=_TickDay)
_NOW = statement("engine.figures_now", row=datetime)


async def read_figures(
    on: Queryable,
    *,
    kind: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    step: timedelta = MINUTE,
) -> Figures:
    """Of one kind, or of all together. By default the last hour."""
    since, until = await _window(on, since, until)
    if step < MINUTE or (until - since) / step > POINTS_MAX:
        raise InvalidRequest(
            f"That would be more than {POINTS_MAX} points, or steps of less than a minute.",
            hint="Ask for larger steps, or for less time.",
        )
    seconds = int(step.total_seconds())
    rows = await _FIGURES.all(on, kind or ALL_KINDS, since, until, float(seconds))
    points = [
        FigurePoint(row.at, row.succeeded, row.failed, row.lost, row.died, *_latency(row))
        for row in rows
    ]
    return Figures(kind, since, until, seconds, points)


async def figures_of_kinds(
    on: Queryable, *, since: datetime | None = None, until: datetime | None = None
) -> list[KindFigures]:
    """Each kind of which something was done, the busiest first; a day at most."""
    since, until = await _window(on, since, until)
    if until - since > KINDS_WINDOW_MAX:
        raise InvalidRequest("That is more than a day.", hint="One kind can be asked for longer.")
    return [
        KindFigures(row.kind, row.succeeded, row.failed, row.lost, row.died, *_latency(row))
        for row in await _OF_KINDS.all(on, since, until, KINDS_MAX)
    ]


async def tick_days(on: AnyConnection, *, days: int = KEPT.days) -> list[TickDay]:
    """Ticks expected and fired, for each schedule and day of UTC."""
    rows = {(one.schedule, one.day): one for one in await _TICK_DAYS.all(on, days)}
    late = Counter((name, at.date()) for name, at in await late_ticks(on))
    found = []
    for schedule, day in sorted({*rows, *late}):
        row = rows.get((schedule, day)) or _TickDay(schedule, day, 0, 0, 0)
        waiting = late[schedule, day]
        expected = row.fired + row.skipped + waiting
        found.append(
            TickDay(schedule, day, expected, row.fired, row.caught_up, row.skipped, waiting)
        )
    return found


async def _window(
    on: Queryable, since: datetime | None, until: datetime | None
) -> tuple[datetime, datetime]:
    until = until if until is not None else await _NOW.one(on) + MINUTE
    since = since if since is not None else until - timedelta(hours=1)
    if since.tzinfo is None or until.tzinfo is None:
        since, until = (one.replace(tzinfo=one.tzinfo or UTC) for one in (since, until))
    if not timedelta(0) < until - since <= KEPT + timedelta(days=1):
        raise InvalidRequest(
            "`since` is not before `until`, or is too long before it.",
            hint=f"Figures are kept for {KEPT.days} days.",
        )
    return since, until


def _latency(row: _Point | _OfKind) -> tuple[float | None, float | None, float | None]:
    if not row.succeeded:
        return None, None, None
    mean = row.seconds / row.succeeded
    return mean, quantile(row.buckets, 0.5), quantile(row.buckets, 0.95)


def quantile(buckets: Sequence[int], part: float) -> float | None:
    """By interpolation within its bucket; in the last one, which has no end, where that begins."""
    total = sum(buckets)
    if not total:
        return None
    wanted, below = part * total, 0
    for place, (low, high) in enumerate(zip((0.0, *BOUNDS), (*BOUNDS, BOUNDS[-1]), strict=True)):
        count = buckets[place]
        if count and below + count >= wanted:
            return low + (high - low) * (wanted - below) / count
        below += count
    return BOUNDS[-1]
