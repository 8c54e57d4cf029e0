"""What doctor finds out, one thing at a time."""

from enum import StrEnum

import msgspec


class FindingLevel(StrEnum):
    OK = "ok"
    NOTE = "note"
    BAD = "bad"


class Finding(msgspec.Struct):
    check: str
    verdict: FindingLevel
    found: str
    advice: str | None = None
