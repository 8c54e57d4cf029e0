"""What is kept of an answer: both forms of Retry-After, and excerpts that harm nobody."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handfast.db.pool import Database
from handfast.services.outbound.answer import (
    EXCERPT_LENGTH_MAX,
    RETRY_AFTER_SECONDS_MAX,
    excerpt,
    retry_after,
)

NOW = datetime(2026, 2, 19, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("0", 0.0),
        ("7", 7.0),
        (" 120 ", 120.0),
        ("9999999999", RETRY_AFTER_SECONDS_MAX),
        ("9" * 5000, RETRY_AFTER_SECONDS_MAX),
        ("Thu, 19 Feb 2026 12:00:30 GMT", 30.0),
        ("Thursday, 19-Feb-26 12:00:30 GMT", 30.0),
        ("Thu Feb 19 12:00:30 2026", 30.0),
        ("Thu, 19 Feb 2026 13:00:30 +0100", 30.0),
        ("Thu, 19 Feb 2026 12:00:30 -0000", 30.0),
        ("Thu, 19 Feb 2026 11:00:00 GMT", 0.0),
        ("Thu, 19 Feb 2099 11:00:00 GMT", RETRY_AFTER_SECONDS_MAX),
        (None, None),
        ("", None),
        ("-5", None),
        ("1.5", None),
        ("1e3", None),
        ("+5", None),
        ("soon", None),
        ("inf", None),
        ("٣", None),
        ("Thu, 32 Feb 2026 12:00:30 GMT", None),
        ("Thu, 19 Feb 99999999999 12:00:30 GMT", None),
    ],
)
def test_retry_after(header: str | None, seconds: float | None) -> None:
    assert retry_after(header, NOW) == seconds


@given(st.text(max_size=60))
def test_no_header_breaks_it(header: str) -> None:
    seconds = retry_after(header, NOW)
    assert seconds is None or 0 <= seconds <= RETRY_AFTER_SECONDS_MAX


def test_an_excerpt_is_the_beginning() -> None:
    assert excerpt(b"all right\n") == "all right\n"
    assert excerpt("Zoë\t✓".encode()) == "Zoë\t✓"
    assert excerpt(b"x" * 10_000) == "x" * EXCERPT_LENGTH_MAX


def test_a_terminal_survives_it() -> None:
    assert excerpt(b"\x1b[2J\x1b]0;pwned\x07ok\r") == "�[2J�]0;pwned�ok�"
    assert excerpt("\u202eevil".encode()) == "�evil"


def test_what_is_packed_stays_packed() -> None:
    assert excerpt(b"\x1f\x8b\x08\0", "gzip") == "[4 bytes of gzip, not unpacked]"
    assert excerpt(b"plain", "Identity") == "plain"
    assert "\x1b" not in excerpt(b"", "\x1b" * 100)


@given(st.binary(max_size=300))
def test_any_bytes_become_printable_text(content: bytes) -> None:
    kept = excerpt(content)
    assert all(one.isprintable() or one in "\n\t" for one in kept)
    kept.encode()  # no halves of surrogates


async def test_postgres_takes_any_excerpt(database: Database) -> None:
    kept = excerpt(bytes(range(256)) + b"\xed\xa0\x80\x00")
    async with database.connection() as connection:
        assert await connection.fetchval("SELECT $1::text", kept) == kept
