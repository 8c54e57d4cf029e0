"""What makes a request the same request: method, path, query and body.

Every field is hashed with its length before it, so that no two different requests run together
into the same bytes. A multipart body is hashed by its parts: clients choose a new boundary for
each attempt, and the boundary means nothing.
"""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from handfast.services.idempotency.multipart import boundary_of, split_parts


def fingerprint(scope: Mapping[str, Any], body: bytes) -> bytes:
    """SHA-256 over what the caller sent. ``scope`` is ASGI's."""
    path = scope.get("raw_path") or scope["path"].encode()
    # Some servers put the query into raw_path, and it is hashed below.
    fields = [
        scope["method"].encode(),
        path.partition(b"?")[0],
        scope.get("query_string", b""),
    ]
    boundary = boundary_of(scope["headers"])
    parts = split_parts(body, boundary) if boundary else None
    if parts is None:
        fields += [b"body", body]
    else:
        fields.append(b"parts")
        for part in parts:
            fields += [str(len(part.headers)).encode(), *part.headers, part.content]
    return _hash(fields)


@lru_cache(maxsize=1024)  # the same few ask again and again
def scope_of(principal: str) -> bytes:
    """Whose key it is, as a hash: addresses and user names do not belong into this table."""
    return _hash([b"handfast.idempotency.scope", principal.encode()])


def _hash(fields: list[bytes]) -> bytes:
    measured = [piece for field in fields for piece in (len(field).to_bytes(8, "big"), field)]
    return hashlib.sha256(b"".join(measured)).digest()
