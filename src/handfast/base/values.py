"""Reading one value that somebody gave, or saying why it cannot be read.

A CSV has only text; JSON, Parquet and tables have types. All come through here, so that the same
thing is allowed everywhere.
"""

import math
import re
from decimal import Decimal
from typing import Any

from handfast.base.text import why_unstorable

ID_LENGTH_MAX = 200  # an id is in several indexes

_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")


class BadValue(Exception):
    """A value that cannot be used, and why, in words that follow the column's name."""


def text(value: Any, longest: int) -> str:
    """Text, trimmed; what is not there is empty."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadValue(f"is {shown(value)}, not text")
    trimmed = value.strip()
    if len(trimmed) > longest:
        raise BadValue(f"has {len(trimmed):,} characters; at most {longest:,} are allowed")
    check_storable(trimmed)
    return trimmed


def needed(value: Any, longest: int) -> str:
    found = text(value, longest)
    if not found:
        raise BadValue("is empty")
    return found


def identity(value: Any) -> str:
    """An id is taken as it is: two that differ in a space are two."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)  # a Parquet column of bigint
    found = needed(value, ID_LENGTH_MAX)
    if found != value:
        raise BadValue(f"is {value!r}: there is space around it")
    return found


def check_storable(value: str) -> None:
    """Refuses what PostgreSQL cannot keep."""
    why = why_unstorable(value)
    if why is not None:
        raise BadValue(why)


def whole(value: Any, least: int, most: int) -> int | None:
    """A whole number; None where nothing is said."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        trimmed = value.strip()
        if not trimmed:
            return None
        if _WHOLE.fullmatch(trimmed) is None:
            raise BadValue(f"is {shown(value)}, not a whole number")
        number = int(trimmed)
    elif not _is_whole(value):
        raise BadValue(f"is {shown(value)}, not a whole number")
    else:
        number = int(value)
    if not least <= number <= most:
        raise BadValue(f"is {shown(number)}; allowed are {least} to {most}")
    return number


def _is_whole(value: Any) -> bool:
    if isinstance(value, int):
        return not isinstance(value, bool)  # of any size: a float would hold only some
    if not isinstance(value, float | Decimal):
        return False
    return math.isfinite(value) and int(value) == value


def shown(value: Any) -> str:
    """A value as a message may repeat it."""
    said = repr(value)
    return said if len(said) <= 60 else f"{said[:60]}…"
