"""The body of a request, read whole: without all of it nobody can tell whether it is the same."""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from handfast.base.errors import BodyTooLarge

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

BODY_MAX = 16 * 1024 * 1024  # bytes held in memory for each request with a key; photos fit


async def read_body(scope: Mapping[str, Any], receive: Receive, limit: int) -> bytes | None:
    """The whole body; None when the caller went away before its end."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit() and int(value) > limit:
            raise _too_large(limit)
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > limit:
            raise _too_large(limit)
        chunks.append(chunk)
        if not message.get("more_body", False):
            return b"".join(chunks)


def replayed_body(body: bytes, receive: Receive) -> Receive:
    """What the application receives: the body in one piece, then whatever comes."""
    given = False

    async def receive_again() -> MutableMapping[str, Any]:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again


def _too_large(limit: int) -> BodyTooLarge:
    return BodyTooLarge(
        f"A request with an idempotency key may have a body of up to {limit:,} bytes.",
        hint="Send less at once.",
    )
