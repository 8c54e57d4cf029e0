"""Local times and instants, by the pinned ``tzdata`` package and nothing else.

Machines disagree about time zones: each has the tables of the day it was last upgraded. A tick is
computed by any of many schedulers, so all must use the same tables: those of the package that our
lock file pins. They are read directly, not through ``zoneinfo.TZPATH``, which prefers the
machine's and belongs to the whole process. Only Python does this arithmetic; SQL stores instants.

A local time that does not exist means the first instant after the gap; one that exists twice means
the first of the two (ruling R20). A *date* that does not exist in a zone (Samoa had no 30 December
2011) has no instant at all: there was no such day to do anything on.
"""

import difflib
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo

from handfast.engine.errors import ScheduleInvalid

_SECOND = timedelta(seconds=1)
_DAY = timedelta(days=1)


@cache
def zone_names() -> frozenset[str]:
    """Every zone of the pinned tables, old names included."""
    return frozenset(resources.files("tzdata").joinpath("zones").read_text().split())


@cache
def zone(name: str) -> ZoneInfo:
    """The zone of this name, as the pinned tables describe it."""
    if name not in zone_names():
        near = difflib.get_close_matches(str(name), sorted(zone_names()), n=1)
        meant = f"Did you mean {near[0]!r}? " if near else ""
        raise ScheduleInvalid(
            f"There is no time zone {name!r}.",
            hint=f"{meant}Allowed: 'UTC' or an IANA name such as 'Europe/Berlin' or "
            "'Asia/Kathmandu'.",
        )
    with resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as table:
        return ZoneInfo.from_file(table, key=name)


def local_of(instant: datetime, where: ZoneInfo) -> datetime:
    """What a clock on the wall shows; naive, with ``fold`` set the second time it shows it."""
    return instant.astimezone(where).replace(tzinfo=None)


def instant_of(local: datetime, where: ZoneInfo) -> datetime | None:
    """The instant that a local time means; None if its whole date was skipped."""
    first = local.replace(fold=0)
    # In a fold, fold=0 is the first of the two; in a gap, the offset from before it.
    instant = first.replace(tzinfo=where).astimezone(UTC)
    if local_of(instant, where) == first:
        return instant
    earlier = first.replace(tzinfo=where, fold=1).astimezone(UTC)
    end = _end_of_gap(earlier, instant, where)
    if _skipped(first.date(), end, where):
        return None
    return end


def fold_at(instant: datetime, where: ZoneInfo) -> timedelta:
    """How far the clock was put back, if this instant is in the repeated time; else zero."""
    local = instant.astimezone(where)
    if not local.fold:
        return timedelta(0)
    return _offset(local.replace(fold=0)) - _offset(local)


def _end_of_gap(before: datetime, after: datetime, where: ZoneInfo) -> datetime:
    """The instant at which the clock jumped, somewhere in (before, after]; on a whole second."""
    target = _offset(after.astimezone(where))
    low, high = before.replace(microsecond=0), after.replace(microsecond=0)
    while high - low > _SECOND:
        middle = low + timedelta(seconds=(high - low) // _SECOND // 2)
        if _offset(middle.astimezone(where)) == target:
            high = middle
        else:
            low = middle
    return high


def _skipped(day: date, end: datetime, where: ZoneInfo) -> bool:
    midnight = datetime.combine(day, time())
    jumped_from = local_of(end - _SECOND, where) + _SECOND
    return jumped_from <= midnight and local_of(end, where) >= midnight + _DAY


def _offset(local: datetime) -> timedelta:
    offset = local.utcoffset()
    assert offset is not None  # noqa: S101  # every zone has one
    return offset
