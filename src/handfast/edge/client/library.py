"""httpx2 and httpx are the same library under two names; we work with whichever made the request.

Neither's classes are the other's. So what we need of them is looked up by the request's own class,
and a program that uses only one of the two never imports the other through us.
"""

import sys
from collections.abc import AsyncIterator
from typing import Any

import httpx2

_NAMES = ("httpx2", "httpx")


def library_of(request: Any) -> Any:
    """The module that made the request."""
    for kind in type(request).__mro__:
        name = kind.__module__.partition(".")[0]
        if name in _NAMES:
            return sys.modules[name]
    raise TypeError(f"{type(request).__name__} is a request of neither httpx2 nor httpx.")


def connection_errors(library: Any) -> tuple[type[Exception], ...]:
    """After these nobody knows whether the request was carried out. A full pool or an address that
    cannot be is not among them: it would be the same again."""
    return (
        library.NetworkError,
        library.RemoteProtocolError,
        library.ConnectTimeout,
        library.ReadTimeout,
        library.WriteTimeout,
    )


def is_repeatable(library: Any, request: Any) -> bool:
    """Whether the body is in memory. One that is produced while it is sent cannot be sent again."""
    return isinstance(request.stream, library.ByteStream)


class _Resumed(httpx2.AsyncByteStream):
    """A stream of which a part has been read: that part, and then the rest."""

    def __init__(self, read: bytes, rest: AsyncIterator[bytes], stream: Any) -> None:
        self._read = read
        self._rest = rest
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._read
        async for chunk in self._rest:
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def peek(library: Any, response: Any, limit: int) -> tuple[bytes, Any]:
    """The decoded body if it is not longer than ``limit`` (else empty), and a response that can
    still be read from the beginning."""
    if response.is_stream_consumed:  # whoever sent it has read it whole
        return (response.content if len(response.content) <= limit else b""), response
    read, rest = b"", aiter(response.stream)
    async for chunk in rest:
        read += chunk
        if len(read) > limit:
            break
    # The client insists on a stream of its own library.
    stream_type = type("_Resumed", (_Resumed, library.AsyncByteStream), {})
    again = library.Response(
        response.status_code,
        headers=response.headers,
        stream=stream_type(read, rest, response.stream),
        extensions=response.extensions,
    )
    if len(read) > limit:
        return b"", again
    whole = library.Response(response.status_code, headers=response.headers, content=read)
    try:
        return whole.content, again
    except library.DecodingError:
        return b"", again
