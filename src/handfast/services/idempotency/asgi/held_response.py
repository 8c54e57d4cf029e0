"""Holding a response back until it is committed.

What is small and whole is kept. What is large, or comes in pieces of which nobody knows how many,
is passed on as it comes, and says so; but not before the claim has ended.
"""

from collections.abc import MutableMapping
from typing import Any

from handfast.base.errors import HandfastError
from handfast.base.problems import Send, send_error
from handfast.services.idempotency.answers import (
    BODY_BYTES_MAX,
    NOT_STORED,
    Fate,
    KeptAnswer,
    fate,
    kept_headers,
)
from handfast.services.idempotency.asgi.execution import Execution

Message = MutableMapping[str, Any]


class ResponseRefused(Exception):
    """Raised into an application whose response could not be committed: it was answered for it,
    and what it wanted to do afterwards must not happen."""


class HeldResponse:
    def __init__(self, send: Send, execution: Execution) -> None:
        self._send = send
        self._execution = execution
        self._start: Message = {}
        self._chunks: list[bytes] = []
        self._size = 0
        self._passing = False
        self.refused: HandfastError | None = None
        self.began = False  # something has been sent

    async def send(self, message: Message) -> None:
        if self.refused is not None:
            return  # the application's own words about an error that was answered already
        if self._passing:
            self.began = True
            await self._send(message)
        elif message["type"] == "http.response.start":
            self._start = message
        elif message["type"] == "http.response.body" and not self._start.get("trailers"):
            await self._body(message)
        else:  # an extension that we do not know: a file to send, a push
            await self._pass_on(message)

    async def _body(self, message: Message) -> None:
        chunk, more = message.get("body", b""), message.get("more_body", False)
        self._size += len(chunk)
        if self._size > BODY_BYTES_MAX or (more and self._is_stream()):
            await self._pass_on(message)
            return
        self._chunks.append(chunk)
        if not more:
            await self._finish()

    def _is_stream(self) -> bool:
        """Whether there is more to come than may be kept, or than anybody knows."""
        declared = _header(self._start, b"content-length")
        return (
            declared is None or _is_event_stream(self._start) or _number(declared) > BODY_BYTES_MAX
        )

    async def _finish(self) -> None:
        body, status = b"".join(self._chunks), self._start["status"]
        answer = KeptAnswer(status, [], None)
        if self._execution.keeps(status):
            answer = KeptAnswer(status, kept_headers(self._start.get("headers", ())), body)
        kept = await self._settle(answer)
        await self._begin(kept=kept and answer.body is not None)
        await self._send({"type": "http.response.body", "body": body})

    async def _pass_on(self, message: Message) -> None:
        await self._settle(KeptAnswer(self._start.get("status", 500), [], None))
        await self._begin(kept=False)
        for chunk in self._chunks:
            await self._send({"type": "http.response.body", "body": chunk, "more_body": True})
        self._chunks.clear()
        await self._send(message)

    async def _settle(self, answer: KeptAnswer) -> bool:
        try:
            return await self._execution.settle(answer)
        except HandfastError as error:
            self.refused = error
            await send_error(self._send, error)
            raise ResponseRefused from error
        finally:
            self._passing = True  # an error that is not ours is for the application to answer

    async def _begin(self, *, kept: bool) -> None:
        start = self._start
        status = start.get("status", 500)
        # Only what would have been kept is worth the remark.
        if not kept and fate(status, begun=self._execution.begun) is not Fate.RELEASE:
            start = {**start, "headers": [*start.get("headers", ()), NOT_STORED]}
        if start:
            self.began = True
            await self._send(start)


def _header(start: Message, wanted: bytes) -> bytes | None:
    return next(
        (bytes(value) for name, value in start.get("headers", ()) if name.lower() == wanted), None
    )


def _number(value: bytes | None) -> int:
    return int(value) if value is not None and value.isdigit() else 0


def _is_event_stream(start: Message) -> bool:
    return (_header(start, b"content-type") or b"").startswith(b"text/event-stream")
