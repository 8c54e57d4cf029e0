"""A stream of the hub as server-sent events.

A comment line after each silence, or a proxy between takes the stream for dead; and a client that
is gone is noticed by the write that fails.
"""

import asyncio
from collections.abc import AsyncIterator, Callable

from litestar.response import ServerSentEventMessage

from handfast.engine.streams.stream import EventStream, StreamMessage

COMMENT_SECONDS = 15
TICK_SECONDS = 1.0  # how soon a stream ends when the process does
RETRY_MILLISECONDS = 2000  # how long a browser waits before it connects again

Shown = Callable[[StreamMessage], StreamMessage]


async def server_sent(
    stream: EventStream, stopping: asyncio.Event, shown: Shown = lambda message: message
) -> AsyncIterator[ServerSentEventMessage | None]:
    """Until the stream or the process ends, each as ``shown``. None once a second while nothing
    comes, for who has something else to say then."""
    silent = 0
    async for message in stream.messages(silence=TICK_SECONDS):
        if stopping.is_set():
            return
        if message is not None:
            silent = 0
            yield _server_sent(shown(message))
            continue
        silent += 1
        if silent % COMMENT_SECONDS == 0:
            yield ServerSentEventMessage(data=None, comment="still here")
        else:
            yield None


def _server_sent(message: StreamMessage) -> ServerSentEventMessage:
    return ServerSentEventMessage(
        data=message.data, event=message.name, id=message.id, retry=RETRY_MILLISECONDS
    )
