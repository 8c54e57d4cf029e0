"""Schedules in the database: declaring, reading, pausing; what every surface shows of them."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from types import NoneType

import msgspec

from handfast.base.errors import NotFound
from handfast.base.logs import get_logger
from handfast.db.statements import statement
from handfast.db.transaction import AnyConnection, Queryable
from handfast.engine.schedules.declared import Schedule
from handfast.engine.schedules.guard import ANSWER_SECONDS_MAX, ScheduleFailed, theirs
from handfast.engine.schedules.ticks import CronSpec, DailySpec, Spec, decode_spec, encode_spec
from handfast.engine.schedules.zones import zone_names

SCHEDULES_CHANNEL = "handfast_schedules"
LATE_MAX = 1500  # ticks of one schedule in one zone: a day, if it ticks every minute
SEEN_EVERY = timedelta(minutes=1)
SEEN_WITHIN = timedelta(minutes=5)  # silent for longer: no running program has the schedule

log = get_logger(__name__)


class StoredSchedule(msgspec.Struct, frozen=True):
    """What a scheduler needs to know, and the time by the database's clock."""

    name: str
    spec: str
    cursor: datetime
    next_at: datetime | None
    paused_at: datetime | None
    revision: int
    seen_at: datetime
    now: datetime


class Fired(msgspec.Struct, frozen=True):
    fired: int
    skipped: int
    conflicts: int
    refused: bool


class _Listed(msgspec.Struct, frozen=True):
    name: str
    kind: str
    words: str
    cursor: datetime
    next_at: datetime | None
    paused_at: datetime | None
    last_tick: datetime | None
    last_skipped: str | None
    last_fired: datetime | None
    seen_at: datetime
    spec: str
    now: datetime
    paused_by: str | None
    pause_reason: str | None


class ScheduleView(msgspec.Struct, frozen=True, rename="camel"):
    """A schedule as people and programs look at it."""

    name: str
    kind: str
    words: str
    cursor: datetime
    next_at: datetime | None
    last_tick: datetime | None
    last_fired: datetime | None
    last_skipped: str | None  # why, if the last tick was skipped
    paused: bool
    declared: bool  # a scheduler that has it was seen lately
    late_by: timedelta | None  # how long the next tick has been waiting for a scheduler
    paused_at: datetime | None = None
    paused_by: str | None = None
    pause_reason: str | None = None


_DECLARE = statement("engine.declare_schedules", row=NoneType)
_READ = statement("engine.read_schedules", row=StoredSchedule)
_SEE = statement("engine.see_schedules", row=NoneType)
_LIST = statement("engine.list_schedules", row=_Listed)
_PAUSE = statement("engine.pause_schedule", row=str)
_RESUME = statement("engine.resume_schedule", row=str)


async def declare_schedules(on: Queryable, schedules: Iterable[Schedule]) -> None:
    """Store what is declared. New ones begin now; changed ones go on from where they were."""
    declared = list(schedules)
    await _DECLARE.run(
        on,
        [s.name for s in declared],
        [s.kind.name for s in declared],
        [encode_spec(s.spec) for s in declared],
        [s.spec.words for s in declared],
    )


async def read_schedules(on: Queryable, names: Sequence[str]) -> list[StoredSchedule]:
    return await _READ.all(on, names)


async def see_schedules(on: Queryable, names: Sequence[str]) -> None:
    """Say that a running scheduler has these; written at most once a minute."""
    await _SEE.run(on, names, SEEN_EVERY)


async def list_schedules(on: Queryable) -> list[ScheduleView]:
    """Every schedule that was ever declared, by name."""
    return [_view(row) for row in await _LIST.all(on, None)]


async def pause_schedule(
    on: Queryable, name: str, *, by: str | None = None, reason: str | None = None
) -> ScheduleView:
    """Nothing fires until it is resumed. Pausing what is paused changes nothing."""
    await begin_pause(on, name, by=by, reason=reason)
    return (await _found(on, name))[0]


async def begin_pause(on: Queryable, name: str, *, by: str | None, reason: str | None) -> bool:
    """Whether that is our doing."""
    ours = await _PAUSE.maybe(on, name, by, reason) is not None
    if not ours:
        await _found(on, name)
    return ours


async def resume_schedule(on: Queryable, name: str, *, catch_up: bool = False) -> ScheduleView:
    """Go on from now; with ``catch_up``, from where it was paused, by the schedule's policy."""
    await end_pause(on, name, catch_up=catch_up)
    return (await _found(on, name))[0]


async def end_pause(on: Queryable, name: str, *, catch_up: bool) -> bool:
    """Whether it was paused."""
    ours = await _RESUME.maybe(on, name, catch_up) is not None
    if not ours:
        await _found(on, name)
    return ours


async def next_ticks(on: Queryable, name: str, count: int) -> list[tuple[datetime, str]]:
    """The next instants of a schedule, each with its zone, from what is stored alone."""
    view, row = await _found(on, name)
    spec = decode_spec(row.spec)
    in_use = dict.fromkeys(await zones_in_use(on, spec))
    lines = spec.lines([zone for zone in in_use if zone in zone_names()])
    found: list[tuple[datetime, str]] = []
    for line in lines:
        instant = max(view.cursor, row.now)
        for _ in range(count):
            instant = line.after(instant).at
            found.append((instant, line.zone))
    return sorted(found)[:count]


async def late_ticks(
    on: AnyConnection, *, answer_within: float = ANSWER_SECONDS_MAX
) -> list[tuple[str, datetime]]:
    """Ticks that are due and that no scheduler has marked, of every schedule that is followed and
    whose zones are known here; up to a bound for each. One that cannot be read has none. ``on`` is
    in no transaction: a query that fails would spoil it."""
    found: list[tuple[str, datetime]] = []
    rows = await _LIST.all(on, None)
    if not rows:
        return found
    # Not by the time of day: while no scheduler runs at all, everything is late, and must be seen.
    # One that others were seen without is not waited for any more, as after a release without it.
    lately = max(row.seen_at for row in rows) - SEEN_WITHIN
    for row in rows:
        waits = row.next_at is None or row.next_at <= row.now
        if row.paused_at is None and waits and row.seen_at > lately:
            try:
                found += [(row.name, at) for at in await _late(on, row, answer_within)]
            except ScheduleFailed as why:
                log.warning("late_ticks_unknown", schedule=row.name, reason=str(why))
    return found


async def _late(on: AnyConnection, row: _Listed, answer_within: float) -> list[datetime]:
    found: list[datetime] = []
    with theirs(on):
        spec = decode_spec(row.spec)
        if not knows_its_zones(spec):
            return []
        in_use = dict.fromkeys(await zones_in_use(on, spec, seconds=answer_within))
        for line in spec.lines([zone for zone in in_use if zone in zone_names()]):
            instant = line.after(row.cursor).at
            for _ in range(LATE_MAX):
                if instant > row.now:
                    break
                found.append(instant.astimezone(UTC))
                instant = line.after(instant).at
    return found


async def zones_in_use(
    on: Queryable, spec: Spec, *, seconds: float = ANSWER_SECONDS_MAX
) -> list[str]:
    """The zones that a stored query answers; none for a schedule that has no query."""
    if isinstance(spec, CronSpec) or spec.query is None:
        return []
    found = await on.fetch(spec.query, timeout=seconds)
    return [str(row[0]) for row in found if row[0] is not None]


def knows_its_zones(spec: Spec) -> bool:
    """False when only the program can say in which zones the schedule ticks."""
    return not isinstance(spec, DailySpec) or spec.zones is not None or spec.query is not None


async def _found(on: Queryable, name: str) -> tuple[ScheduleView, _Listed]:
    row = await _LIST.maybe(on, name)
    if row is None:
        raise NotFound(
            f"There is no schedule {name!r}.", hint="`handfast schedules list` shows all of them."
        )
    return _view(row), row


def _view(row: _Listed) -> ScheduleView:
    paused = row.paused_at is not None
    late = None if paused or row.next_at is None else row.now - row.next_at
    return ScheduleView(
        name=row.name,
        kind=row.kind,
        words=row.words,
        cursor=row.cursor,
        next_at=row.next_at,
        last_tick=row.last_tick,
        last_fired=row.last_fired,
        last_skipped=row.last_skipped,
        paused=paused,
        declared=row.now - row.seen_at < SEEN_WITHIN,
        late_by=late if late is not None and late > timedelta(0) else None,
        paused_at=row.paused_at,
        paused_by=row.paused_by,
        pause_reason=row.pause_reason,
    )
