"""Pages: cursors come back as they were, whatever else is sent is refused."""

import base64
import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handfast.base.errors import InvalidRequest
from handfast.base.pages import (
    CURSOR_LENGTH_MAX,
    CURSOR_PATTERN,
    PAGE_MAX,
    Id,
    Instant,
    Place,
    bounded,
    cut,
)


class Somewhere(Place, frozen=True):
    at: Instant | None
    name: str
    number: Id


def written(*values: Any) -> str:
    """A cursor that says this, whether or not it can be one."""
    return base64.urlsafe_b64encode(msgspec.json.encode(values)).decode().rstrip("=")


@given(
    st.none() | st.datetimes(timezones=st.just(UTC)),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200),
    st.integers(0, 2**63 - 1),
)
def test_a_cursor_comes_back_as_it_was(at: datetime | None, name: str, number: int) -> None:
    place = Somewhere(at, name, number)
    assert Somewhere.read(place.cursor()) == place
    assert re.search(CURSOR_PATTERN, place.cursor()), "and so it never begins with a dash"
    assert len(place.cursor()) <= CURSOR_LENGTH_MAX


EARLY = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))
NESTED = base64.urlsafe_b64encode(b'[null,"a",1,' + b"[" * 1000).decode()


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "-",
        "é",
        "~1",
        "W",
        written(),
        written(None, "a"),
        written(None, "a", 1, 2),
        written(None, "a", -1),
        written(None, "a", 2**63),
        written(None, "a", "1"),
        written(None, "nul\0", 1),
        written("2026-08-15T14:00:00", "a", 1),  # without a zone
        written(EARLY, "a", 1),
        written(None, "x" * CURSOR_LENGTH_MAX, 1),
        NESTED,
    ],
)
def test_what_is_no_cursor(cursor: str) -> None:
    with pytest.raises(InvalidRequest, match="not a place") as refused:
        Somewhere.read(cursor)
    assert len(refused.value.detail) < 200


@given(st.text(max_size=30) | st.from_regex(CURSOR_PATTERN, fullmatch=True))
def test_nothing_else_is_raised(cursor: str) -> None:
    try:
        place = Somewhere.read(cursor)
    except InvalidRequest:
        return
    assert Somewhere.read(place.cursor()) == place


@pytest.mark.parametrize(
    ("asked", "given"), [(-5, 1), (0, 1), (1, 1), (100, 100), (1000, 1000), (10**9, PAGE_MAX)]
)
def test_limits_are_bounded(asked: int, given: int) -> None:
    assert bounded(asked) == given
    assert bounded(asked, 10) == min(given, 10)


@pytest.mark.parametrize(
    ("found", "shown", "last"),
    [([], [], None), ([1], [1], None), ([1, 2], [1, 2], None), ([1, 2, 3], [1, 2], 2)],
)
def test_a_page_and_whether_more_follow(found: list[int], shown: list[int], last: int) -> None:
    assert cut(found, 2) == (shown, last)
