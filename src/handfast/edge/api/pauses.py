"""What is paused, pausing it and going on."""

from typing import Annotated

import msgspec
from msgspec.structs import replace

from handfast.base.text import NO_NUL
from handfast.edge.api.dead_letters import Reason
from handfast.edge.api.viewing import masked
from handfast.engine.operating.pauses import NAME_LENGTH_MAX, Pausable, Pause

PausedName = Annotated[str, msgspec.Meta(min_length=1, max_length=NAME_LENGTH_MAX, pattern=NO_NUL)]


class Pauses(msgspec.Struct, rename="camel"):
    pauses: list[Pause]


class BeginPause(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    what: Pausable
    name: PausedName
    reason: Reason


class EndPause(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """``catch_up``: a schedule also makes up for the ticks of its pause, by its own policy."""

    what: Pausable
    name: PausedName
    catch_up: bool = False


class PauseChanged(msgspec.Struct, rename="camel"):
    """``changed`` is false if it was so before; then nothing was changed, not even the reason."""

    changed: bool
    pauses: list[Pause]


def pauses_for_viewers(answer: Pauses) -> Pauses:
    return Pauses([replace(one, reason=masked(one.reason)) for one in answer.pauses])
