"""Lists in pages: how much one may hold, whether more follow, and the place at which it ended.

    class DeadPlace(Place):
        died_at: Instant
        job_id: Id

    place = DeadPlace.read(after)            # raises InvalidRequest
    ...
    shown, last = cut(rows, limit)           # of limit + 1 rows
    next = None if last is None else DeadPlace(last.died_at, last.id).cursor()

A list that is sorted by one id alone needs none of that: its cursor is the id, and the id's type
says what one looks like.
"""

import base64
import binascii
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Self, TypeVar

import msgspec

from handfast.base.errors import InvalidRequest
from handfast.base.text import is_storable

PAGE_MAX = 1000  # rows: a second's work for whoever reads them, and some hundred kilobytes
CURSOR_LENGTH_MAX = 2000  # the longest id that a place holds is 200 characters
# A place is a list, and the bracket that it begins with is always encoded as W. So no cursor begins
# with a dash, which a command line would take for an option.
CURSOR_PATTERN = r"^W[A-Za-z0-9_-]*$"

Id = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Instant = Annotated[datetime, msgspec.Meta(tz=True)]

T = TypeVar("T")


class Place(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A place in a list: what the last row of a page is sorted by. Subclasses name the columns."""

    def cursor(self) -> str:
        """The place in letters that need no escaping in a query, for whoever asks on."""
        return base64.urlsafe_b64encode(msgspec.json.encode(self)).decode().rstrip("=")

    @classmethod
    def read(cls, cursor: str) -> Self:
        """The place that a cursor stands for, or ``InvalidRequest``: anybody can send anything."""
        place = _decoded(cls, cursor)
        if place is None or not all(_usable(value) for value in msgspec.structs.astuple(place)):
            raise InvalidRequest(
                f"{cursor[:100]!r} is not a place in this list.",
                hint="Pass on the `next` of the page before, unchanged; the first page needs none.",
            )
        return place


P = TypeVar("P", bound=Place)


def bounded(limit: int, most: int = PAGE_MAX) -> int:
    return max(1, min(limit, most))


def cut(found: Sequence[T], limit: int) -> tuple[list[T], T | None]:
    """Of up to ``limit + 1`` rows those of the page, and the last of them if there are more."""
    shown = list(found[:limit])
    return shown, shown[-1] if len(found) > limit else None


def _decoded(place: type[P], cursor: str) -> P | None:
    if len(cursor) > CURSOR_LENGTH_MAX or not cursor.isascii():
        return None
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        return msgspec.json.decode(raw, type=place)
    except (binascii.Error, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _usable(value: object) -> bool:
    """Whether a statement can take it as a parameter."""
    if isinstance(value, str):
        return is_storable(value)
    if isinstance(value, datetime):
        return _is_in_utc_too(value)
    return True


def _is_in_utc_too(instant: datetime) -> bool:
    try:
        instant.astimezone(UTC)
    except OverflowError:  # the first hours of the year 1, in a zone that is ahead
        return False
    return True
