"""What holds for a job besides its identity, payload and due time."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec

from handfast.base.text import why_unstorable
from handfast.engine.errors import JobInvalid

LANE_LENGTH_MAX = 100

# As the database has it (handfast_db.instant): a day within Python's calendar, for every time zone.
FIRST_INSTANT = datetime(1, 1, 2, tzinfo=UTC)
END_OF_INSTANTS = datetime(9999, 12, 31, tzinfo=UTC)


class Options(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a caller says of one job, or what a kind declares for all of its jobs."""

    lane: str | None = None
    priority: int | None = None
    deadline: datetime | None = None
    group: str | None = None
    anchor: str | None = None
    offset: timedelta | None = None
    version: int | None = None
    requires: Sequence[tuple[str, str]] = ()

    def over(self, declared: "Options") -> "Options":
        """These, and what is declared where these say nothing."""
        return Options(
            lane=self.lane if self.lane is not None else declared.lane,
            priority=self.priority if self.priority is not None else declared.priority,
            deadline=self.deadline,
            group=self.group or declared.group,
            anchor=self.anchor,
            offset=self.offset,
            version=self.version or declared.version,
            requires=self.requires,
        )

    @property
    def everyday(self) -> bool:
        """Whether the job has no ties: to a group, an anchor, a deadline or other jobs."""
        return (
            self.group is None
            and self.anchor is None
            and self.deadline is None
            and not self.requires
        )

    def as_data(self, *, wake_later: bool = False) -> str:
        """As ``handfast_engine.enqueue_bulk`` takes them; ``wake_later``: it tells nobody."""
        if self is NO_OPTIONS and not wake_later:
            return "{}"
        data: dict[str, Any] = {
            name: value
            for name in ("lane", "priority", "group", "anchor", "version")
            if (value := getattr(self, name)) is not None
        }
        if self.deadline is not None:
            data["deadline"] = self.deadline.isoformat()
        if self.offset is not None:
            data["offset"] = f"{self.offset.total_seconds():f} seconds"  # never with an exponent
        if self.requires:
            data["requires"] = [list(pair) for pair in self.requires]
        if wake_later:
            data["wake"] = "later"
        return msgspec.json.encode(data).decode()

    def checked(self) -> "Options":
        """These, if they can be stored."""
        if self is NO_OPTIONS:
            return self
        if self.priority is not None and not 1 <= self.priority <= 1000:
            raise JobInvalid(f"Priority {self.priority} is not between 1 and 1000.")
        if self.lane is not None and not 1 <= len(self.lane) <= LANE_LENGTH_MAX:
            raise JobInvalid(f"A lane's name has 1 to {LANE_LENGTH_MAX} characters.")
        for name in ("lane", "group", "anchor"):
            value = getattr(self, name)
            if value is not None:
                check_text(f"The {name}", value)
        if self.deadline is not None:
            aware("deadline", self.deadline)
        return self


NO_OPTIONS: Final = Options()


def check_text(what: str, text: str) -> str:
    why = why_unstorable(text)
    if why is not None:
        raise JobInvalid(f"{what} {why}.")
    return text


def aware(name: str, instant: datetime) -> datetime:
    if instant.tzinfo is None:
        raise JobInvalid(
            f"{name} is {instant.isoformat()}, without a time zone.",
            hint="Every instant is aware; use datetime(…, tzinfo=UTC).",
        )
    if not FIRST_INSTANT <= instant < END_OF_INSTANTS:
        raise JobInvalid(
            f"{name} is {instant.isoformat()}, which cannot be stored.",
            hint=f"An instant is from {FIRST_INSTANT:%Y-%m-%d} until before "
            f"{END_OF_INSTANTS:%Y-%m-%d}, by UTC.",
        )
    return instant
