"""What an endpoint answered, made safe to keep: bounded, printable, fit for PostgreSQL."""

from dataclasses import dataclass
from datetime import datetime

from handfast.base.retry_after import retry_after_seconds

BODY_BYTES_MAX = 64 * 1024  # read to its end, a connection can be used again; more is not read
EXCERPT_LENGTH_MAX = 1000  # characters: enough for the error message of any framework
RETRY_AFTER_SECONDS_MAX = 24 * 3600.0  # the whole schedule is a day; "later" means no more


@dataclass(frozen=True, slots=True)
class Answer:
    """A response, whole or cut. ``retry_after`` is in seconds from now."""

    status: int
    retry_after: float | None
    excerpt: str
    seconds: float


def retry_after(header: str | None, now: datetime) -> float | None:
    """How long to wait, from either form of ``Retry-After``; ``None`` if it says nothing."""
    asked = retry_after_seconds(header, date=None, now=now)
    return None if asked is None else min(asked, RETRY_AFTER_SECONDS_MAX)


def excerpt(content: bytes, encoding: str | None = None) -> str:
    """The beginning of a body, for people. A terminal must be able to print it, and a NUL has no
    place in PostgreSQL's text."""
    if encoding and encoding.strip().lower() != "identity":
        # Unasked-for compression is not undone: it may be a bomb.
        safe = printable(encoding)[:40]
        return f"[{len(content)} bytes of {safe}, not unpacked]"
    text = content[: EXCERPT_LENGTH_MAX * 4].decode("utf-8", "replace")
    return printable(text)[:EXCERPT_LENGTH_MAX]


def printable(text: str) -> str:
    """What strangers wrote, without what would steer a terminal or turn its text around."""
    return "".join(one if one.isprintable() or one in "\n\t" else "�" for one in text)
