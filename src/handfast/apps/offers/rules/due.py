"""When a set is due: at 09:00 of the user's own day, whatever the zone does on it (ruling R20)."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from handfast.engine.schedules.zones import instant_of, zone

DUE = time(9)
_DAY = timedelta(days=1)
_SKIPPED_MAX = 2  # dates in a row that a zone may not have; tzdata knows of one


@dataclass(frozen=True)
class LocalDay:
    """One date in one zone: when its sets are due, when the day is over, when offers expire."""

    zone: str
    day: date
    due_at: datetime
    ends_at: datetime
    expires_at: datetime


def due_at(zone_name: str, day: date) -> datetime | None:
    """The one instant; None if the zone has no such date."""
    return instant_of(datetime.combine(day, DUE), zone(zone_name))


def local_day(zone_name: str, day: date, expiry_days: int) -> LocalDay | None:
    """None if the zone has no such date. What would end on a missing date ends on the next one."""
    due = due_at(zone_name, day)
    if due is None:
        return None
    ends = _first(zone_name, day + _DAY, time())
    expires = _first(zone_name, day + expiry_days * _DAY, DUE)
    return LocalDay(zone_name, day, due, ends, expires)


def _first(zone_name: str, day: date, at: time) -> datetime:
    where = zone(zone_name)
    for later in range(_SKIPPED_MAX + 1):
        found = instant_of(datetime.combine(day + later * _DAY, at), where)
        if found is not None:
            return found
    raise ValueError(f"{zone_name} has no date from {day} on")
