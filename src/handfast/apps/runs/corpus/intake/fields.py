"""Reading one value of a corpus file, or saying why it cannot be read."""

import csv
from collections.abc import Iterable, Mapping
from typing import Any

from handfast.base.values import BadValue, check_storable, identity, needed, shown, text, whole

__all__ = ["BadValue", "identity", "names", "needed", "text", "whole"]

NAME_LENGTH_MAX = 500
TEXT_LENGTH_MAX = 20_000  # a pitch, a thesis
URL_LENGTH_MAX = 8_000
LIST_LENGTH_MAX = 100
DEALS_MAX = 10**9
MONEY_MAX = 10**15  # more dollars than there are; keeps every product of ours within 64 bits


def names(value: Any) -> list[str]:
    """A list of names: of a typed file, separated by semicolons, or as PostgreSQL writes arrays."""
    if value is None:
        return []
    if isinstance(value, str):
        check_storable(value)
        if value[:1] + value[-1:] == "[]":
            raise BadValue(f"is {shown(value)}, which is JSON; write a;b or {{a,b}}")
        value = _array(value[1:-1]) if value[:1] + value[-1:] == "{}" else value.split(";")
    if not isinstance(value, Iterable) or isinstance(value, Mapping | bytes):
        raise BadValue(f"is {shown(value)}, not a list of names")
    found = list(dict.fromkeys(text(name, NAME_LENGTH_MAX) for name in value))
    if len(found) > LIST_LENGTH_MAX:
        raise BadValue(f"has {len(found)} names; at most {LIST_LENGTH_MAX} are allowed")
    return [name for name in found if name]


def _array(inside: str) -> list[str]:
    try:
        return next(csv.reader([inside], escapechar="\\", doublequote=False), [])
    except csv.Error as error:
        raise BadValue(f"begins and ends as a list in braces does, and is none: {error}") from None
