"""``Retry-After`` of RFC 9110, in both of its forms, from servers that may send anything."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

DIGITS_MAX = 9  # thirty years in seconds; more digits are a mistake or a trick


def retry_after_seconds(value: str | None, *, date: str | None, now: datetime) -> float | None:
    """How long the server asks us to wait; None when it does not say so in a way we understand.

    A moment is compared with the response's own ``Date``, since it was written by that clock and
    ours may be wrong by hours; only without one with ``now``. A moment in the past is no wait.
    """
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text[:DIGITS_MAX]) if len(text) <= DIGITS_MAX else 10.0**DIGITS_MAX
    moment = _http_date(text)
    if moment is None:
        return None
    said_at = _http_date(date) if date is not None else None
    return max(0.0, (moment - (said_at or now)).total_seconds())


def _http_date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError, TypeError):
        return None
    # The oldest of the three forms has no zone; HTTP says that it is UTC.
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
