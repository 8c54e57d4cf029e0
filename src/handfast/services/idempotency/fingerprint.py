"""What makes a request the same request: method, path, query and body.

Every field is hashed with its length before it, so that no two different requests run together
into the same bytes. A multipart body is hashed by its parts: clients choose a new boundary for
each attempt, and the boundary means nothing.
"""

import hashlib
import struct
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from handfast.services.idempotency.asgi.multipart import boundary_of, split_parts

_LENGTH = struct.Struct(">Q").pack


def fingerprint(scope: Mapping[str, Any], body: bytes) -> bytes:
    """SHA-256 over what the caller sent. ``scope`` is ASGI's."""
    path = scope.get("raw_path") or scope["path"].encode()
    method = scope["method"].encode()
    path = path.partition(b"?")[0]  # some servers put the query into it, and it is hashed below
    query = scope.get("query_string", b"")
    boundary = boundary_of(scope["headers"])
    parts = split_parts(body, boundary) if boundary else None
    if parts is None:
        return _hash(method, path, query, b"body", body)
    fields = [
        field
        for part in parts
        for field in (str(len(part.headers)).encode(), *part.headers, part.content)
    ]
    return _hash(method, path, query, b"parts", *fields)


@lru_cache(maxsize=1024)  # the same few ask again and again
def scope_of(principal: str) -> bytes:
    """Whose key it is, as a hash: addresses and user names do not belong into this table."""
    return _hash(b"handfast.idempotency.scope", principal.encode())


def _hash(*fields: bytes) -> bytes:
    measured: list[bytes] = []
    for field in fields:
        measured += (_LENGTH(len(field)), field)
    return hashlib.sha256(b"".join(measured)).digest()
