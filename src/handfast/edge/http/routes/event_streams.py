"""A stream of the hub as server-sent events.

A comment line after each silence, or a proxy between takes the stream for dead; and a client that
is gone is noticed by the write that fails. What has come meanwhile is sent together: a busy system
has thousands of events a second, and each of them would be a write.
"""

from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any, cast

from litestar import Request
from litestar.response import ServerSentEventMessage

from handfast.edge.http.around.bounded import UNREAD
from handfast.engine.streams.stream import Dropped, EventStream, StreamMessage

COMMENT_SECONDS = 15
TICK_SECONDS = 1.0  # how soon a stream ends when the process does
RETRY_MILLISECONDS = 2000  # how long a browser waits before it connects again

Shown = Callable[[StreamMessage], StreamMessage]


class EncodedMessages(ServerSentEventMessage):
    """Several messages that are bytes already."""

    def __init__(self, encoded: bytes) -> None:
        super().__init__()
        self._encoded = encoded

    def encode(self) -> bytes:
        return self._encoded


async def server_sent(
    stream: EventStream, request: Request[Any, Any, Any], shown: Shown = lambda message: message
) -> AsyncIterator[ServerSentEventMessage | None]:
    """Until the stream or the process ends, each as ``shown``, or until the caller has not read for
    so long that it is cut. None once a second while nothing comes, for who has something else to
    say then."""
    stopping = request.app.state.stopping
    cast("Any", request.scope)[UNREAD] = partial(stream.drop, Dropped.UNREAD)
    silent = 0
    yield EncodedMessages(b"retry: %d\r\n\r\n" % RETRY_MILLISECONDS)
    async for batch in stream.batches(silence=TICK_SECONDS):
        if stopping.is_set():
            return
        if batch:
            silent = 0
            yield EncodedMessages(b"".join(_encoded(shown(message)) for message in batch))
            continue
        silent += 1
        if silent % COMMENT_SECONDS == 0:
            yield EncodedMessages(b": still here\r\n\r\n")
        else:
            yield None


def _encoded(message: StreamMessage) -> bytes:
    """Names, ids and JSON have no line breaks in them."""
    named = "" if message.id is None else f"id: {message.id}\r\n"
    return f"{named}event: {message.name}\r\ndata: {message.data}\r\n\r\n".encode()
