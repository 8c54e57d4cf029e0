"""Responses as they are kept, and which of them are."""

from collections.abc import Iterable
from enum import Enum, auto

import msgspec

BODY_BYTES_MAX = 1024 * 1024  # larger responses are passed on and not kept
REPLAYED = (b"idempotent-replayed", b"true")
NOT_STORED = (b"idempotent-stored", b"false")

# They say something about the caller, the moment or our health, not about the operation.
_NEVER_KEPT = frozenset({401, 403, 408, 425, 429})

_KEPT = frozenset({b"location", b"etag"})  # and every ``content-…``

Headers = list[tuple[bytes, bytes]]


class KeptAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A whole response. ``body`` is None for one that was given, and not kept. ``tag`` is what it
    belongs to: it may be replayed as long as nobody dropped that."""

    status: int
    headers: Headers
    body: bytes | None
    tag: str | None = None

    def replayed(self) -> Headers:
        """The headers of a replay."""
        body = self.body or b""
        own = [*self.headers, REPLAYED]
        if not any(name == b"content-length" for name, _ in self.headers):
            own.append((b"content-length", str(len(body)).encode()))
        return own


class Fate(Enum):
    """What becomes of the claim, and of what the handler wrote."""

    COMMIT = auto()  # the writes and the answer together
    REFUSED = auto()  # the writes are undone, the answer is kept
    RELEASE = auto()  # the writes are undone, the next attempt starts afresh


def fate(status: int, *, begun: bool) -> Fate:
    """``begun``: the handler took the request's transaction, or said that it started. Before that
    a refusal comes from authentication, validation or routing, and says nothing of the operation.
    """
    if 200 <= status < 300 or (begun and 300 <= status < 400):
        return Fate.COMMIT
    if begun and 400 <= status < 500 and status not in _NEVER_KEPT:
        return Fate.REFUSED
    return Fate.RELEASE


def kept_headers(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Those that belong to the answer. Cookies, above all, are not given to whoever asks again."""
    return [
        (bytes(name), bytes(value))
        for name, value in headers
        if (lower := name.lower()).startswith(b"content-") or lower in _KEPT
    ]


_decoder = msgspec.msgpack.Decoder(tuple[Headers, bytes])


def pack(answer: KeptAnswer) -> bytes | None:
    """Headers and body as the store keeps them."""
    if answer.body is None:
        return None
    return msgspec.msgpack.encode((answer.headers, answer.body))


def unpack(status: int, packed: bytes | None, tag: str | None = None) -> KeptAnswer:
    if packed is None:
        return KeptAnswer(status, [], None)
    headers, body = _decoder.decode(packed)
    return KeptAnswer(status, headers, body, tag)
