from datetime import UTC, datetime, timedelta, timezone

import pytest

from handfast.base.clock import iso, utc_now


def test_instants_are_aware() -> None:
    assert utc_now().tzinfo is UTC


def test_instants_are_written_in_utc() -> None:
    local = datetime(2026, 3, 29, 2, 30, tzinfo=timezone(timedelta(hours=5, minutes=45)))
    assert iso(local) == "2026-03-28T20:45:00Z"


def test_a_naive_instant_is_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        iso(datetime(2026, 1, 1))  # noqa: DTZ001
