"""Putting dead letters back, and letting them go."""

from typing import Annotated

import msgspec
from msgspec.structs import replace

from handfast.base.masking import MASK
from handfast.engine.operating.dead_letters import DeadFilter, DeadPage

Ids = Annotated[list[int], msgspec.Meta(max_length=10_000)]
Reason = Annotated[str, msgspec.Meta(max_length=500, pattern=r"^[^\x00-\x20\x7f-\xa0][^\x00]*$")]


class Requeue(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """These ids, and all that match the filter; an empty filter matches every dead letter."""

    ids: Ids = []
    filter: DeadFilter | None = None


class Discard(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """These ids, and all that match the filter; the reason is kept."""

    reason: Reason
    ids: Ids = []
    filter: DeadFilter | None = None


class Requeued(msgspec.Struct, rename="camel"):
    requeued: int


class Discarded(msgspec.Struct, rename="camel"):
    discarded: int


def dead_letters_for_viewers(page: DeadPage) -> DeadPage:
    """Of an error its class."""
    return replace(page, letters=[replace(letter, error=MASK) for letter in page.letters])
