"""What may be asked for of all that match: an action, a filter that fits it, and why."""

from datetime import datetime
from enum import StrEnum

import msgspec

from handfast.base.errors import InvalidRequest
from handfast.engine.jobs.states import JobState
from handfast.engine.operating.dead_letters import Text, as_instant, refuse_empty


class BulkAction(StrEnum):
    RETRY = "retry"
    CANCEL = "cancel"
    REQUEUE = "requeue"
    DISCARD = "discard"
    REVIVE = "revive"
    REPAIR = "repair"


class BulkFilter(
    msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    """``key`` is how a key begins. ``text`` is found in the error, or begins the key. Which fields
    an action takes is in ``FIELDS``."""

    kind: Text | None = None
    lane: Text | None = None
    state: JobState | None = None
    key: Text | None = None
    error_class: Text | None = None
    text: Text | None = None
    since: datetime | float | None = None
    expectation: Text | None = None

    @property
    def said(self) -> list[str]:
        return [name for name in self.__struct_fields__ if getattr(self, name) is not None]


_OF_DEAD = frozenset({"kind", "lane", "error_class", "text", "since"})
_OF_LIVE = frozenset({"kind", "lane", "state", "key"})
FIELDS = {
    BulkAction.RETRY: _OF_LIVE,
    BulkAction.CANCEL: _OF_LIVE,
    BulkAction.REQUEUE: _OF_DEAD,
    BulkAction.DISCARD: _OF_DEAD,
    BulkAction.REVIVE: frozenset({"kind", "state", "key"}),
    BulkAction.REPAIR: frozenset({"expectation"}),
}
_STATES = {
    BulkAction.RETRY: {JobState.SCHEDULED},
    BulkAction.CANCEL: {state for state in JobState if not state.final},
    BulkAction.REVIVE: {JobState.SUCCEEDED, JobState.CANCELLED, JobState.SKIPPED},
}


class BulkRequest(msgspec.Struct, frozen=True):
    action: BulkAction
    filter: BulkFilter

    def checked(self) -> "BulkRequest":
        """Raises if the filter names what the action does not know."""
        odd = [name for name in self.filter.said if name not in FIELDS[self.action]]
        if odd:
            raise InvalidRequest(
                f"{self.action} cannot be narrowed by {', '.join(odd)}.",
                hint=f"It takes {', '.join(sorted(FIELDS[self.action]))}.",
            )
        state = self.filter.state
        if state is not None and state not in _STATES[self.action]:
            raise InvalidRequest(
                f"There is nothing to {self.action} about jobs that are {state}.",
                hint=f"It is for {', '.join(sorted(_STATES[self.action]))} ones.",
            )
        refuse_empty(self.filter)
        since = as_instant(self.filter.since)
        return BulkRequest(self.action, msgspec.structs.replace(self.filter, since=since))

    @property
    def everything(self) -> bool:
        """Nothing narrows it down."""
        return not self.filter.said
