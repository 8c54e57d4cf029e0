"""Pauses: lanes, kinds and schedules of which nothing begins until somebody resumes them.

They are rows with who and why, and outlive every process. Every claim looks at them, so that what
is paused is not begun from the moment of the commit on; what a worker had claimed before and not
begun, it hands back within two seconds. What runs goes on.
"""

from datetime import datetime
from enum import StrEnum

import msgspec

from handfast.base.errors import InvalidRequest
from handfast.base.text import cleaned
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.operating.dead_letters import check_reason
from handfast.engine.schedules.store import begin_pause, end_pause

NAME_LENGTH_MAX = 200


class Pausable(StrEnum):
    LANE = "lane"
    KIND = "kind"
    SCHEDULE = "schedule"


class Pause(msgspec.Struct, frozen=True, rename="camel"):
    """``paused_by`` and ``reason`` are null for a schedule that a program paused."""

    what: Pausable
    name: str
    paused_at: datetime
    paused_by: str | None
    reason: str | None


class _PauseRow(msgspec.Struct, frozen=True):
    what: str
    name: str
    paused_at: datetime
    paused_by: str | None
    reason: str | None


_PAUSE = statement("engine.pause", row=str)
_RESUME = statement("engine.resume", row=bool)
_PAUSES = statement("engine.pauses", row=_PauseRow)


async def pause(tx: Queryable, what: Pausable, name: str, *, by: str, reason: str) -> bool:
    """False if it was paused before: then that pause stays, with its own who and why."""
    reason, name = check_reason(reason), _checked(name)
    if what is Pausable.SCHEDULE:
        return await begin_pause(tx, name, by=by, reason=reason)
    return await _PAUSE.maybe(tx, what, name, cleaned(by)[:NAME_LENGTH_MAX], reason) is not None


async def resume(tx: Queryable, what: Pausable, name: str, *, catch_up: bool = False) -> bool:
    """False if it was not paused. ``catch_up`` is for schedules: the ticks of the pause, too."""
    if what is Pausable.SCHEDULE:
        return await end_pause(tx, _checked(name), catch_up=catch_up)
    return await _RESUME.one(tx, what, _checked(name))


async def list_pauses(on: Queryable) -> list[Pause]:
    return [
        Pause(Pausable(row.what), row.name, row.paused_at, row.paused_by, row.reason)
        for row in await _PAUSES.all(on)
    ]


def _checked(name: str) -> str:
    if not name or len(name) > NAME_LENGTH_MAX or cleaned(name) != name:
        raise InvalidRequest(
            f"A lane, kind or schedule has a name of 1 to {NAME_LENGTH_MAX} characters.",
            hint="`handfast doctor` shows the lanes of the workers that there are.",
        )
    return name
