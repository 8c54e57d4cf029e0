"""Text that PostgreSQL can store, and text that a terminal can show.

PostgreSQL's text is UTF-8 without a NUL. A Python string may hold both a NUL and halves of
surrogates (from bytes that were no UTF-8), so whatever strangers wrote is refused with a reason
(``why_unstorable``) or made to fit (``cleaned``) before it is stored.
"""

import re

NO_NUL = r"^[^\x00]*$"  # for schemas; that a body is UTF-8 its decoder has seen to

_ESCAPED_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")


def why_unstorable(text: str) -> str | None:
    """Why it cannot be stored, in words that follow its name; None if it can."""
    if "\0" in text:
        return "has a NUL character, which PostgreSQL cannot store"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "is not UTF-8"
    return None


def is_storable(text: str) -> bool:
    return why_unstorable(text) is None


def cleaned(text: str, longest: int | None = None) -> str:
    """As it can be stored, and not endless: for what must be kept, whatever it is."""
    return text[:longest].replace("\0", "\\0").encode("utf-8", "replace").decode()


def storable_json(encoded: bytes) -> str:
    """JSON that PostgreSQL can store: it has no NUL, not even an escaped one. ``ValueError``."""
    if b"\\u0000" in encoded and _ESCAPED_NUL.search(encoded):
        raise ValueError("it contains a NUL character, which PostgreSQL cannot store")
    return encoded.decode()


def printable(text: str) -> str:
    """What strangers wrote, without what would steer a terminal or turn its text around. What is
    printable can be stored."""
    return "".join(one if one.isprintable() or one in "\n\t" else "�" for one in text)
