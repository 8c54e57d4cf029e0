"""Instants are UTC and aware. Decisions are taken by the database's clock, not by this one.

Workers on skewed machines must agree on what is due, so everything durable asks PostgreSQL
(``handfast_db.now()`` in SQL). This module serves what never leaves the process: log lines,
uptimes.
"""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """The present instant as this process sees it."""
    return datetime.now(UTC)
