"""Both forms of Retry-After, and everything that is neither."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handfast.base.retry_after import retry_after_seconds

NOW = datetime(2026, 2, 19, 12, 0, 0, tzinfo=UTC)
DATE = "Thu, 19 Feb 2026 08:00:00 GMT"  # the server's clock is four hours behind ours


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        ("7", 7.0),
        (" 120 ", 120.0),
        ("9" * 400, 1e9),
        ("Thu, 19 Feb 2026 12:00:05 GMT", 5.0),
        ("Thursday, 19-Feb-26 12:00:05 GMT", 5.0),
        ("Thu Feb 19 12:00:05 2026", 5.0),
        ("Thu, 19 Feb 2026 11:00:00 GMT", 0.0),
        (None, None),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("5, 10", None),
        ("٣", None),
        ("Thu, 99 Feb 2026 12:00:05 GMT", None),
        ("Thu, 19 Feb 99999999 12:00:05 GMT", None),
    ],
)
def test_forms(value: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(value, date=None, now=NOW) == seconds


def test_a_moment_is_read_by_the_clock_that_wrote_it() -> None:
    value = "Thu, 19 Feb 2026 08:00:05 GMT"
    assert retry_after_seconds(value, date=DATE, now=NOW) == 5.0
    assert retry_after_seconds(value, date=None, now=NOW) == 0.0
    assert retry_after_seconds(value, date="garbage", now=NOW) == 0.0
    assert retry_after_seconds("5", date=DATE, now=NOW) == 5.0


@given(st.text(), st.one_of(st.none(), st.text()))
def test_nothing_breaks_it(value: str, date: str | None) -> None:
    seconds = retry_after_seconds(value, date=date, now=NOW)
    assert seconds is None or seconds >= 0.0
