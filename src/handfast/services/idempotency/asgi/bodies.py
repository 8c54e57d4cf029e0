"""The body of a request, read whole: without all of it nobody can tell whether it is the same.

So it lies in memory before anybody has looked at it, and is bounded three ways: in size, in the
time that it may take to come, and, over all requests of the process, in what is held at once.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from handfast.base.errors import BodyTooLarge, RequestTimeout, TooManyBodies

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

BODY_MAX = 16 * 1024 * 1024  # bytes held in memory for each request with a key; photos fit
BODIES_MAX = 128 * 1024 * 1024  # bytes held for all of them together
SMALL_BYTES = 64 * 1024  # never counted: servers hold as much of any request, key or not
SILENCE_SECONDS_MAX = 15.0  # without a byte
SECONDS_MAX = 120.0  # for all of it


class Bodies:
    """The bodies that a process holds. Those who hold much cannot keep out those who send little:
    the first bytes of each body are free."""

    def __init__(
        self,
        total_max: int = BODIES_MAX,
        *,
        silence: float = SILENCE_SECONDS_MAX,
        seconds: float = SECONDS_MAX,
    ) -> None:
        self.total_max = total_max
        self.silence = silence
        self.seconds = seconds
        self.held = 0

    def one(self, limit: int) -> "Body":
        """To be read, and let go of when the request is over."""
        return Body(self, limit)

    def take(self, size: int) -> None:
        if self.held + size > self.total_max:
            raise TooManyBodies(
                f"Requests with idempotency keys hold {self.held:,} of {self.total_max:,} bytes.",
                hint="Nothing was done. Send the same request with the same key again, in a "
                f"moment; bodies of up to {SMALL_BYTES:,} bytes are always taken.",
            )
        self.held += size


class Body:
    __slots__ = ("_bodies", "_chunks", "_counted", "_limit", "_size")

    def __init__(self, bodies: Bodies, limit: int) -> None:
        self._bodies = bodies
        self._limit = limit
        self._chunks: list[bytes] = []
        self._size = 0
        self._counted = 0

    async def read(self, scope: Mapping[str, Any], receive: Receive) -> bytes | None:
        """All of it; None when the caller went away before its end."""
        for name, value in scope["headers"]:
            if name == b"content-length" and value.isdigit() and int(value) > self._limit:
                raise _too_large(self._limit)
        bodies, clock = self._bodies, asyncio.get_running_loop().time
        ends = clock() + bodies.seconds
        try:
            async with asyncio.timeout(None) as deadline:
                while True:
                    deadline.reschedule(min(ends, clock() + bodies.silence))
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    self._add(message.get("body", b""))
                    if not message.get("more_body", False):
                        return b"".join(self._chunks)
        except TimeoutError as late:
            if not deadline.expired():
                raise
            raise RequestTimeout(
                f"The body was not whole when {self._size:,} bytes of it had come: it may take "
                f"{bodies.seconds:g} s in all, and {bodies.silence:g} s without a byte.",
                hint="Nothing was done. Send the same request with the same key again.",
            ) from late

    def let_go(self) -> None:
        self._bodies.held -= self._counted
        self._counted = 0

    def _add(self, chunk: bytes) -> None:
        self._size += len(chunk)
        if self._size > self._limit:
            raise _too_large(self._limit)
        if self._size > SMALL_BYTES:
            more = self._size - SMALL_BYTES - self._counted
            self._bodies.take(more)
            self._counted += more
        self._chunks.append(chunk)


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
