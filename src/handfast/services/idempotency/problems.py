"""Refusals as RFC 9457 problems, for applications of any framework."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import msgspec

from handfast.base.errors import BodyTooLarge, HandfastError, RequestTimeout, TooManyBodies
from handfast.base.logs import get_logger

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

RETRY_AFTER_SECONDS = 1  # what an unfinished request usually needs; the client backs off by itself
_BODY_UNREAD = (BodyTooLarge, RequestTimeout, TooManyBodies)

log = get_logger(__name__)


async def send_problem(send: Send, error: HandfastError) -> None:
    if error.status >= 500:  # the caller is told less
        log.error("request_failed", code=error.code, detail=str(error))
    body = msgspec.json.encode(error.as_problem())
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(body)).encode()),
        # A body that was not read would be taken for the next request.
        *([(b"connection", b"close")] if isinstance(error, _BODY_UNREAD) else []),
        *([(b"www-authenticate", b"Bearer")] if error.status == 401 else []),
    ]
    if "retry_after" in error.extra or error.status == 503:
        after = error.extra.get("retry_after", RETRY_AFTER_SECONDS)
        headers.append((b"retry-after", str(after).encode()))
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
