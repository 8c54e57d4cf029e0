"""What a program declares: something that recurs, and the job that each tick of it makes.

Everything wrong is refused here, at declaration, not at three in the morning.
"""

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

import msgspec

from handfast.db.transaction import Queryable
from handfast.engine.errors import KindInvalid, ScheduleInvalid
from handfast.engine.jobs.enqueue import check_key
from handfast.engine.jobs.kinds import Kind, Kinds
from handfast.engine.schedules.catch_up import CatchUp
from handfast.engine.schedules.cron import check_cron
from handfast.engine.schedules.ticks import CronSpec, DailySpec, Spec
from handfast.engine.schedules.zones import zone

_NAME = re.compile(r"[a-z][a-z0-9_.-]{0,99}")
_QUERY = re.compile(r"\s*(select|with|values|table)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Tick:
    """One due instant of a schedule."""

    schedule: str
    at: datetime  # UTC
    zone: str
    day: date  # the local date, in the zone


Payload = Mapping[str, Any] | Callable[[Tick], Mapping[str, Any]]
Key = Callable[[Tick], str]
ZonesOf = Callable[[Queryable], Awaitable[Iterable[str]]]
Zones = Sequence[str] | str | ZonesOf


@dataclass(frozen=True)
class Schedule:
    """A declared schedule. ``zones_of`` asks the program where the specification cannot say."""

    name: str
    kind: Kind
    spec: Spec
    payload: Payload | None = None
    key: Key | None = None
    zones_of: ZonesOf | None = None

    def payload_at(self, tick: Tick) -> str:
        """The payload of the tick's job, checked against the handler's annotations."""
        if self.payload is None:
            return self.kind.encode(self._facts(tick))
        return self.kind.encode(self.payload(tick) if callable(self.payload) else self.payload)

    def key_at(self, tick: Tick) -> str:
        if self.key is not None:
            return check_key(self.key(tick))
        if isinstance(self.spec, DailySpec):
            return f"{self.name}:{tick.day.isoformat()}:{tick.zone}"
        return f"{self.name}:{tick.at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"

    def _facts(self, tick: Tick) -> dict[str, Any]:
        """Of the tick's own facts, those that the handler takes."""
        wanted = {field.name for field in msgspec.structs.fields(self.kind.payload)}
        facts = {"at": tick.at, "zone": tick.zone, "day": tick.day}
        return {name: fact for name, fact in facts.items() if name in wanted}


class DeclaredSchedules:
    """The schedules that a program has declared."""

    def __init__(self) -> None:
        self._by_name: dict[str, Schedule] = {}

    def __iter__(self) -> Iterator[Schedule]:
        return iter(list(self._by_name.values()))

    def __len__(self) -> int:
        return len(self._by_name)

    def get(self, name: str) -> Schedule | None:
        return self._by_name.get(name)

    def add(self, schedule: Schedule) -> Schedule:
        if _NAME.fullmatch(str(schedule.name)) is None:
            raise ScheduleInvalid(
                f"{schedule.name!r} is not a schedule's name.",
                hint="Allowed: 1 to 100 lower-case letters, digits, dots, hyphens and "
                "underscores, a letter first. Example: 'reports.hourly'.",
            )
        if schedule.name in self._by_name:
            raise ScheduleInvalid(
                f"The schedule {schedule.name!r} is declared twice.",
                hint="Two schedules of one job need two names.",
            )
        if not isinstance(schedule.spec.catch_up, CatchUp):
            raise ScheduleInvalid(
                f"catch_up is {schedule.spec.catch_up!r}.",
                hint="Allowed: CatchUp.latest, CatchUp.all or CatchUp.within(timedelta(hours=6)).",
            )
        # A payload that is known now is checked now; so is one made of the tick's own facts.
        if not callable(schedule.payload):
            schedule.payload_at(
                Tick(schedule.name, datetime(2026, 1, 1, tzinfo=UTC), "UTC", date(2026, 1, 1))
            )
        self._by_name[schedule.name] = schedule
        return schedule


def cron_spec(expression: str, zone_name: str, catch_up: CatchUp) -> CronSpec:
    zone(zone_name)
    return CronSpec(check_cron(expression), zone_name, catch_up)


def daily_spec(at: time, zones: Zones, catch_up: CatchUp) -> tuple[DailySpec, ZonesOf | None]:
    if not _is_local_minute(at):
        raise ScheduleInvalid(
            f"at is {at!r}.",
            hint="Allowed: a local time of day, to the minute, without a zone of its own (each "
            "zone has its own). Example: at=time(9) or at=time(18, 30).",
        )
    at = at.replace(fold=0)
    if callable(zones):
        if not inspect.iscoroutinefunction(zones):
            raise ScheduleInvalid(f"zones is {zones!r}, not an async function.", hint=_ZONES)
        return DailySpec(at, catch_up), zones
    if isinstance(zones, str):
        if _QUERY.match(zones) is None:
            raise ScheduleInvalid(f"zones is the text {zones!r}.", hint=_ZONES)
        return DailySpec(at, catch_up, query=zones), None
    names = tuple(dict.fromkeys(zones))
    if not names:
        raise ScheduleInvalid("zones is empty, so the schedule would never fire.", hint=_ZONES)
    for name in names:
        zone(name)
    return DailySpec(at, catch_up, zones=names), None


def _is_local_minute(at: object) -> bool:
    return isinstance(at, time) and at.tzinfo is None and not (at.second or at.microsecond)


def kind_of(kinds: Kinds, what: str | Kind | Callable[..., Any]) -> Kind:
    """The kind that each tick makes a job of; it must be declared first."""
    try:
        found = kinds.of(what)
    except KindInvalid as undeclared:
        raise ScheduleInvalid(undeclared.detail, hint=undeclared.hint) from undeclared
    if found is None:
        known = ", ".join(sorted(kind.name for kind in kinds)) or "none"
        raise ScheduleInvalid(
            f"There is no kind {what!r} here.",
            hint=f"Declare it before its schedule: @hf.job({what!r}). Declared so far: {known}.",
        )
    return found


_ZONES = (
    "Allowed: a list of names, a query whose first column is a name, or an async function that "
    "takes a connection and answers names. Example: zones=['Europe/Berlin', 'Asia/Tokyo'] or "
    "zones='SELECT DISTINCT zone FROM customers'."
)
