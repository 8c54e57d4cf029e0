"""In which order the test processes take the tests: those that take long first.

pytest-xdist gives each process a part of the list, one after the other, and who has finished takes
from the end of another's. A test of minutes that stands at such an end is what the others wait for
when they have nothing left to do.
"""

from collections.abc import Sequence
from itertools import islice
from typing import TypeVar

import pytest

T = TypeVar("T")


def long_first(items: list[pytest.Item], processes: int) -> list[pytest.Item]:
    long = [item for item in items if item.get_closest_marker("long")]
    others = [item for item in items if not item.get_closest_marker("long")]
    return spread(long, others, processes)


def spread(first: Sequence[T], then: Sequence[T], parts: int) -> list[T]:
    """All of them, so that each of so many equal parts begins with its share of the first."""
    left, rest, found = len(first) + len(then), iter(then), list[T]()
    for part in range(parts):
        size = left // (parts - part)  # as pytest-xdist cuts it
        head = list(first[part::parts])
        found += head
        found += islice(rest, max(size - len(head), 0))
        left -= size
    return [*found, *rest]
