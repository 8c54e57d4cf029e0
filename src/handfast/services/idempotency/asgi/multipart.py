"""The parts of a multipart body, just well enough to tell whether two bodies say the same.

Not a parser for applications: it decodes nothing. What it cannot split is None, and then the bytes
themselves are compared, which is stricter and never wrong.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

_BOUNDARY = re.compile(rb';\s*boundary\s*=\s*(?:"([^"]{1,70})"|([^\s;"]{1,70}))', re.IGNORECASE)
PARTS_MAX = 10_000  # more is an attack on whoever splits it


class BodyPart(NamedTuple):
    headers: list[bytes]  # ``name:value`` each, the name in lower case, sorted
    content: bytes


def boundary_of(headers: Iterable[tuple[bytes, bytes]]) -> bytes | None:
    """The boundary that the content type names, if the body is multipart."""
    for name, value in headers:
        if name == b"content-type":
            if not value.lstrip().lower().startswith(b"multipart/"):
                return None
            found = _BOUNDARY.search(value)
            return (found[1] or found[2]) if found else None
    return None


def split_parts(body: bytes, boundary: bytes) -> list[BodyPart] | None:
    """The parts in their order, or None if this is no well-formed multipart body."""
    pieces = (b"\r\n" + body).split(b"\r\n--" + boundary, PARTS_MAX + 2)
    # What stands before the first boundary and after the last one means nothing.
    if not 2 <= len(pieces) <= PARTS_MAX + 1 or not pieces[-1].startswith(b"--"):
        return None
    parts = []
    for piece in pieces[1:-1]:
        padding, line_end, rest = piece.partition(b"\r\n")
        if padding.strip(b" \t") or not line_end:
            return None
        part = _part(rest)
        if part is None:
            return None
        parts.append(part)
    return parts


def _part(text: bytes) -> BodyPart | None:
    if text.startswith(b"\r\n"):
        return BodyPart([], text[2:])
    head, end, content = text.partition(b"\r\n\r\n")
    if not end:
        return None
    headers = []
    for line in head.split(b"\r\n"):
        name, colon, value = line.partition(b":")
        if not colon:
            return None
        headers.append(name.strip().lower() + b":" + value.strip())
    return BodyPart(sorted(headers), content)
