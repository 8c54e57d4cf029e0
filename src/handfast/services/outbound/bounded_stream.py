"""A connection on which an answer has an end.

The body is cut by whoever reads it. What comes before and between (interim answers without end,
chunks wrapped in kilobytes) is cut here, by counting everything that arrives after a request.

What comes after an answer would be taken for the next one. The library asks the socket whether
there is anything ("is_readable"); what has been read from the socket already is asked for here.
"""

import ssl
from typing import Any

import httpcore2
from anyio.streams.tls import TLSStream

# What an answer may have beside its body: headers (at most 100 KiB of them are read), the lengths
# of chunks.
OVERHEAD_BYTES_MAX = 256 * 1024
# A hostile piece of this size is parsed in some 20 ms, for which the event loop stands still.
READ_BYTES_MAX = 16 * 1024


class BoundedStream(httpcore2.AsyncNetworkStream):
    """Reads at most ``limit`` bytes after each request."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream, limit: int) -> None:
        self._stream = stream
        self._limit = limit
        self._left = limit

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        received = await self._stream.read(min(max_bytes, READ_BYTES_MAX), timeout)
        self._left -= len(received)
        if self._left < 0:
            raise httpcore2.RemoteProtocolError(f"The answer has more than {self._limit} bytes")
        return received

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        self._left = self._limit
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109  # the library's signature
    ) -> httpcore2.AsyncNetworkStream:
        try:
            secured = await self._stream.start_tls(ssl_context, server_hostname, timeout)
        except BaseException:
            # The library closes after an error, but not when it is cancelled, as our deadline
            # does it: the socket would stay open until the garbage collector came by.
            await self._stream.aclose()
            raise
        return BoundedStream(secured, self._limit)

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable" and self._has_unread():
            return True
        return self._stream.get_extra_info(info)

    def _has_unread(self) -> bool:
        """Whether bytes wait between the socket and us. No library says so in public; a test
        notices when one of them keeps them elsewhere."""
        stream: Any = self._stream
        while isinstance(stream, httpcore2.AsyncNetworkStream):
            stream = stream._stream  # type: ignore[attr-defined]
        if isinstance(stream, TLSStream):
            if stream._ssl_object.pending() or stream._read_bio.pending:
                return True
            stream = stream.transport_stream
        return bool(stream._protocol.read_queue)
