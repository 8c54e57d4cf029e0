"""When a schedule ticks: instants, computed from what is stored about it.

A specification is data, kept in the database, so that every scheduler follows the same one and an
operator's tools can show the next ticks without the program at hand. It unfolds into lines: one
per zone, each an endless sequence of moments in strict order.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import partial

import msgspec

from handfast.engine.errors import ScheduleInvalid
from handfast.engine.schedules import cron
from handfast.engine.schedules.catch_up import CatchUp
from handfast.engine.schedules.zones import fold_at, instant_of, local_of, zone

_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Moment:
    """One due instant, and the local date that it stands for."""

    at: datetime
    day: date


@dataclass(frozen=True)
class TickLine:
    """The moments of one zone."""

    zone: str
    after_local: Callable[[datetime], Iterator[datetime]]
    until_local: Callable[[datetime], Iterator[datetime]]

    def after(self, instant: datetime) -> Moment:
        """The first moment later than this instant."""
        where = zone(self.zone)
        for local in self.after_local(local_of(instant, where)):
            at = instant_of(local, where)
            if at is not None and at > instant:
                return Moment(at, local.date())
        raise ScheduleInvalid("The schedule never fires again.")

    def newest(self, until: datetime) -> Iterator[Moment]:
        """The moments up to this instant, newest first. Stepping back costs what is looked at,
        however long ago the last tick was."""
        where = zone(self.zone)
        # In a repeated hour, the later local times have had their first occurrence already.
        start = local_of(until, where) + fold_at(until, where)
        last: datetime | None = None
        for local in self.until_local(start):
            at = instant_of(local, where)
            # Several local times in one gap mean the same instant, once.
            if at is not None and at <= until and at != last:
                last = at
                yield Moment(at, local.date())


class CronSpec(msgspec.Struct, frozen=True, tag="cron"):
    cron: str
    zone: str
    catch_up: CatchUp

    def lines(self, _zones: Sequence[str] = ()) -> list[TickLine]:
        return [
            TickLine(
                self.zone,
                partial(cron.locals_after, self.cron),
                partial(cron.locals_until, self.cron),
            )
        ]

    @property
    def words(self) -> str:
        return f"{cron.in_words(self.cron)}, {self.zone} time"


class DailySpec(msgspec.Struct, frozen=True, tag="daily"):
    """``zones`` is None when they come from a query or from the program."""

    at: time
    catch_up: CatchUp
    zones: tuple[str, ...] | None = None
    query: str | None = None

    def lines(self, zones: Sequence[str] = ()) -> list[TickLine]:
        return [
            TickLine(name, partial(_days_after, self.at), partial(_days_until, self.at))
            for name in (zones if self.zones is None else self.zones)
        ]

    @property
    def words(self) -> str:
        where = "the zones in use" if self.zones is None else _listed(self.zones)
        return f"daily at {self.at:%H:%M} in {where}"


Spec = CronSpec | DailySpec


def encode_spec(spec: Spec) -> str:
    return msgspec.json.encode(spec).decode()


def decode_spec(stored: str) -> Spec:
    return msgspec.json.decode(stored, type=CronSpec | DailySpec)


def next_moment(lines: Sequence[TickLine], after: datetime) -> Moment | None:
    """The soonest of all lines; None when there are none."""
    return min((line.after(after) for line in lines), key=lambda m: m.at, default=None)


def check_instant(instant: datetime) -> datetime:
    if instant.tzinfo is None:
        raise ScheduleInvalid(
            f"{instant.isoformat()} has no time zone.",
            hint="Instants are aware. Example: datetime(2026, 3, 29, 9, tzinfo=UTC).",
        )
    return instant.astimezone(UTC)


def _days_after(at: time, local: datetime) -> Iterator[datetime]:
    day = local.date() if local.time() < at else local.date() + _DAY
    while True:
        yield datetime.combine(day, at)
        day += _DAY


def _days_until(at: time, local: datetime) -> Iterator[datetime]:
    day = local.date() if local.time() >= at else local.date() - _DAY
    while True:
        yield datetime.combine(day, at)
        day -= _DAY


def _listed(zones: Sequence[str]) -> str:
    return ", ".join(zones) if len(zones) <= 3 else f"{len(zones)} zones"
