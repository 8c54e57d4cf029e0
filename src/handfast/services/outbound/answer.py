"""What another server answered: bounded, and for people printable and fit for PostgreSQL."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from handfast.base.retry_after import retry_after_seconds
from handfast.base.text import printable

BODY_BYTES_MAX = 64 * 1024  # read to its end, a connection can be used again; more is not read
EXCERPT_LENGTH_MAX = 1000  # characters: enough for the error message of any framework
RETRY_AFTER_SECONDS_MAX = 24 * 3600.0  # "later" means a day at most, whoever says it


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """A response, whole or cut. ``retry_after`` is in seconds from its arrival, ``seconds`` how
    long it took to come."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    is_cut: bool
    retry_after: float | None
    seconds: float

    @property
    def excerpt(self) -> str:
        return excerpt(self.body, self.headers.get("content-encoding"))


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
