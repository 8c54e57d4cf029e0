"""One schedule at one instant: what is due of it, and where."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from handfast.base.logs import get_logger
from handfast.db.transaction import Queryable
from handfast.engine.errors import ScheduleInvalid
from handfast.engine.schedules.catch_up import CatchUpDecision, decide
from handfast.engine.schedules.declared import Schedule, Tick
from handfast.engine.schedules.store import StoredSchedule, knows_its_zones, zones_in_use
from handfast.engine.schedules.ticks import DailySpec, Spec, TickLine, decode_spec
from handfast.engine.schedules.zones import zone_names

Due = tuple[Tick, CatchUpDecision]

log = get_logger(__name__)


@dataclass(frozen=True)
class Look:
    """A schedule as the program declares it and as it is stored, at ``now``."""

    schedule: Schedule
    row: StoredSchedule
    now: datetime
    first: bool  # of this scheduler; the stored next tick may stem from older zone tables

    @cached_property
    def spec(self) -> Spec:
        """As stored; a newer program may have stored what this one cannot read."""
        return decode_spec(self.row.spec)

    @property
    def asks(self) -> bool:
        """Whether the zones are the program's to name, by a query or a function."""
        return isinstance(self.spec, DailySpec) and self.spec.zones is None

    @property
    def worth_it(self) -> bool:
        """Nothing can be due before the next tick, if the zones are always the same."""
        known = not self.asks and not self.first
        return not known or self.row.next_at is None or self.row.next_at <= self.now

    def due(self, lines: Sequence[TickLine]) -> list[Due]:
        return [
            (Tick(self.row.name, d.moment.at, line.zone, d.moment.day), d)
            for line in lines
            for d in decide(self.spec.catch_up, line, self.row.cursor, self.now)
        ]

    async def zones(self, on: Queryable, seconds: float) -> list[str]:
        """Where a daily schedule ticks, if its specification does not say; the program has so many
        seconds to answer. A name that no table knows is left out and logged: one customer's typo
        must not stop all the others."""
        found: Iterable[str] = await zones_in_use(on, self.spec, seconds=seconds)
        if not knows_its_zones(self.spec):
            if self.schedule.zones_of is None:
                raise ScheduleInvalid(
                    "Another program declared this schedule, with zones that only it can name."
                )
            async with asyncio.timeout(seconds):
                found = await self.schedule.zones_of(on)
        names = dict.fromkeys(found)
        unknown = [name for name in names if name not in zone_names()]
        if unknown:
            log.warning("zones_unknown", schedule=self.row.name, zones=unknown[:10])
        return [name for name in names if name in zone_names()]
