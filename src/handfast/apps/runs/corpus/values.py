"""Reading one value of a file, or saying why it cannot be read.

A CSV has only text; Parquet and tables have types. Both come through here, so that the same thing
is allowed everywhere.
"""

import csv
import math
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

ID_LENGTH_MAX = 200  # an id is in three indexes
NAME_LENGTH_MAX = 500
TEXT_LENGTH_MAX = 20_000  # a pitch, a thesis
URL_LENGTH_MAX = 8_000
LIST_LENGTH_MAX = 100
MONEY_MAX = 10**15  # more dollars than there are; keeps every product of ours within 64 bits

_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")


class Bad(Exception):
    """A value that cannot be used, and why, in words that follow the column's name."""


def text(value: Any, longest: int) -> str:
    """Text, trimmed; what is not there is empty."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Bad(f"is {_shown(value)}, not text")
    trimmed = value.strip()
    if len(trimmed) > longest:
        raise Bad(f"has {len(trimmed):,} characters; at most {longest:,} are allowed")
    storable(trimmed)
    return trimmed


def needed(value: Any, longest: int) -> str:
    found = text(value, longest)
    if not found:
        raise Bad("is empty")
    return found


def identity(value: Any) -> str:
    """An id is taken as it is: two that differ in a space are two."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)  # a Parquet column of bigint
    found = needed(value, ID_LENGTH_MAX)
    if found != value:
        raise Bad(f"is {value!r}: there is space around it")
    return found


def storable(value: str) -> None:
    """What PostgreSQL can keep: text that is UTF-8, without a NUL."""
    if "\0" in value:
        raise Bad("has a NUL character")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Bad("is not UTF-8") from None


def whole(value: Any, least: int, most: int) -> int | None:
    """A whole number; None where nothing is said."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        trimmed = value.strip()
        if not trimmed:
            return None
        if _WHOLE.fullmatch(trimmed) is None:
            raise Bad(f"is {_shown(value)}, not a whole number")
        number = int(trimmed)
    elif not _is_whole(value):
        raise Bad(f"is {_shown(value)}, not a whole number")
    else:
        number = int(value)
    if not least <= number <= most:
        raise Bad(f"is {number}; allowed are {least} to {most}")
    return number


def _is_whole(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    return math.isfinite(value) and int(value) == value


def names(value: Any) -> list[str]:
    """A list of names: of a typed file, separated by semicolons, or as PostgreSQL writes arrays."""
    if value is None:
        return []
    if isinstance(value, str):
        storable(value)
        if value[:1] + value[-1:] == "[]":
            raise Bad(f"is {_shown(value)}, which is JSON; write a;b or {{a,b}}")
        value = _array(value[1:-1]) if value[:1] + value[-1:] == "{}" else value.split(";")
    if not isinstance(value, Iterable) or isinstance(value, Mapping | bytes):
        raise Bad(f"is {_shown(value)}, not a list of names")
    found = list(dict.fromkeys(text(name, NAME_LENGTH_MAX) for name in value))
    if len(found) > LIST_LENGTH_MAX:
        raise Bad(f"has {len(found)} names; at most {LIST_LENGTH_MAX} are allowed")
    return [name for name in found if name]


def _array(inside: str) -> list[str]:
    try:
        return next(csv.reader([inside], escapechar="\\", doublequote=False), [])
    except csv.Error as error:
        raise Bad(f"begins and ends as a list in braces does, and is none: {error}") from None


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:60]}…"
