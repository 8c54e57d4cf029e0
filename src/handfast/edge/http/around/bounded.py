"""What one connection may cost: uvicorn's protocol, with bounds on the size and the time of heads
and bodies.

uvicorn keeps a head in memory until it is whole, and waits for the rest of a request for ever: one
endless header, or a thousand requests that were never finished, and nobody else is served. A
reverse proxy would prevent both, and may not be taken for granted.

Bodies have no size here: each route knows its own (``bodies``), and uvicorn stops reading when
64 KiB wait for the application.

Time is counted in looks, one a second, by the server (``serve``). So a request costs no timer, and
a second in which this process was too busy to read is nobody's fault.
"""

from enum import Enum, auto
from http import HTTPStatus
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from handfast.base.errors import HandfastError, RequestError, RequestTimeout
from handfast.base.logs import get_logger
from handfast.base.problems import PROBLEM_JSON, Problem
from handfast.edge.http.around.observe import REQUESTS
from handfast.edge.http.errors import HeadTooLarge

HEAD_BYTES_MAX = 64 * 1024  # all of it; browsers send a few KiB, cookies included
HEADERS_MAX = 200  # each costs far more memory than its bytes
HEAD_SECONDS_MAX = 10  # from connecting, or from the first byte of a later request
BODY_SILENCE_SECONDS_MAX = 15  # without a byte of it
BODY_SECONDS_MAX = 120  # for all of it: 10 MiB at 1 Mbit/s are 84
UNREAD_SECONDS_MAX = 30  # while what we send is not read, and more of it waits
LINGER_SECONDS_MAX = 2  # for bytes on the way that nobody wants: a reset would lose our answer

UNREAD = "handfast.unread"  # in the ASGI scope: what to call when nobody reads the answer

log = get_logger(__name__)


class _Awaited(Enum):
    """What the caller has to send next."""

    NOTHING = auto()  # between requests; uvicorn closes what idles
    HEAD = auto()
    BODY = auto()
    END = auto()  # it was answered before its end, or refused: what still comes is thrown away


class BoundedProtocol(HttpToolsProtocol):
    head_seconds_max = HEAD_SECONDS_MAX
    body_silence_seconds_max = BODY_SILENCE_SECONDS_MAX
    body_seconds_max = BODY_SECONDS_MAX
    unread_seconds_max = UNREAD_SECONDS_MAX

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._awaited = _Awaited.HEAD
        self._seconds = 0  # for what is awaited
        self._silence = 0  # seconds without a byte of the body
        self._unused = 0  # bytes that the parser was given and nothing has come of yet
        self._unread = 0  # seconds in which nothing could be sent
        self._refused = False
        self._upgrade_with_body = False

    # --- size -----------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        if self._awaited is _Awaited.NOTHING:
            self._await(_Awaited.HEAD)
        self._unused += len(data)
        super().data_received(data)
        # A head that is not whole yet; or, in a body, trailers and the like without end.
        if self._unused > HEAD_BYTES_MAX or (self.headers and len(self.headers) > HEADERS_MAX):
            self._refuse(_head_too_large())

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._await(_Awaited.HEAD)

    def on_headers_complete(self) -> None:
        # Only then worth adding up: what was given to the parser may be a small head and a body.
        if self._unused > HEAD_BYTES_MAX and self._head_bytes() > HEAD_BYTES_MAX:
            raise _head_too_large()  # the parser stops, and ``send_400_response`` is called
        if len(self.headers) > HEADERS_MAX:
            raise _head_too_large()
        if self.parser.should_upgrade() and self._has_body():
            self._upgrade_with_body = True
            raise _no_upgrade()
        self._unused = 0
        self._await(_Awaited.BODY)
        super().on_headers_complete()
        self.headers = []  # trailers come here: they must not become headers of the request

    def _head_bytes(self) -> int:
        return len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)

    def _has_body(self) -> bool:
        """After which the parser would expect another protocol, and the application no body."""
        lengths = [value for name, value in self.headers if name == b"content-length"]
        return any(value.strip() != b"0" for value in lengths) or any(
            name == b"transfer-encoding" for name, _ in self.headers
        )

    def on_body(self, body: bytes) -> None:
        self._unused = self._silence = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._await(_Awaited.NOTHING)
        super().on_message_complete()

    # --- time -----------------------------------------------------------------------------------

    def second_passed(self) -> None:
        """The server calls this once a second."""
        self._unread = self._unread + 1 if self.flow.write_paused else 0
        if self._unread > self.unread_seconds_max:
            self._tell_unread()
            self.transport.abort()  # a polite end would wait for what is never read
            return
        if self._awaited is _Awaited.NOTHING or self._waits_for_us():
            return
        if self._awaited is _Awaited.BODY and self.cycle.response_complete:
            self._await(_Awaited.END)
        self._seconds += 1
        self._silence += 1
        if self._awaited is _Awaited.END:
            if self._seconds > LINGER_SECONDS_MAX:
                self.transport.abort()
        elif self._awaited is _Awaited.HEAD:
            if self._seconds > self.head_seconds_max:
                self._head_is_late()
        elif self._silence > self.body_silence_seconds_max:
            self._refuse(_too_slow(f"Nothing came of the body for {self._silence} s."))
        elif self._seconds > self.body_seconds_max:
            self._refuse(_too_slow(f"The body was not whole after {self.body_seconds_max} s."))

    def _tell_unread(self) -> None:
        told = cast("dict[str, Any]", self.cycle.scope).get(UNREAD) if self._answering() else None
        if told is not None:
            told()

    def _waits_for_us(self) -> bool:
        """Whether the caller could not go on if it wanted to."""
        if self._awaited is _Awaited.END:
            return False
        if self._awaited is _Awaited.HEAD:
            return self._answering()
        return self.flow.read_paused or self.cycle.waiting_for_100_continue

    def _answering(self) -> bool:
        cycle = cast("RequestResponseCycle | None", self.cycle)  # None before the first request
        return cycle is not None and not cycle.response_complete

    def _head_is_late(self) -> None:
        if self._unused:
            self._refuse(_too_slow(f"The head was not whole after {self.head_seconds_max} s."))
        else:
            self.transport.close()  # opened in advance, as browsers do: nothing was asked

    def _await(self, what: _Awaited) -> None:
        self._awaited = what
        self._seconds = self._silence = 0

    # --- refusing -------------------------------------------------------------------------------

    def send_400_response(self, msg: str) -> None:
        """uvicorn calls this when the parser gives up."""
        if self._unused > HEAD_BYTES_MAX or len(self.headers or ()) > HEADERS_MAX:
            self._refuse(_head_too_large())
        elif self._upgrade_with_body:
            self._refuse(_no_upgrade())
        else:
            self._refuse(RequestError("This is not HTTP/1.1.", hint="Speak it, or use a proxy."))

    def _refuse(self, error: HandfastError) -> None:
        if self._refused or self.transport.is_closing():
            return
        self._refused = True
        REQUESTS.labels("other", "unknown", error.status).inc()
        log.debug("connection_refused", code=error.code, detail=error.detail, client=self.client)
        if not self._may_answer():
            self.transport.abort()
            return
        if self._answering():
            self.cycle.disconnected = True  # whoever reads the body learns that it will not come
            self.cycle.message_event.set()
        self._unset_keepalive_if_required()
        self._await(_Awaited.END)
        self.flow.resume_reading()
        self.transport.write(_wire(error))
        self.transport.write_eof()

    def _may_answer(self) -> bool:
        """Not in the middle of another answer, nor in the place of one that is still to come."""
        if not self._answering():
            return True
        in_its_body = self._awaited is _Awaited.BODY and not self.pipeline
        return in_its_body and not self.cycle.response_started

    def shutdown(self) -> None:
        if self._refused:
            self.transport.abort()
        else:
            super().shutdown()


def _head_too_large() -> HeadTooLarge:
    return HeadTooLarge(
        f"The head of a request may have up to {HEAD_BYTES_MAX:,} bytes and {HEADERS_MAX} headers.",
        hint="Send less in headers and in the address; a body may be larger.",
    )


def _no_upgrade() -> RequestError:
    return RequestError(
        "A request with a body cannot ask for another protocol (Upgrade): its body would be lost.",
        hint="Send it as plain HTTP/1.1, without the header Upgrade. Some clients add it by "
        "themselves, such as Java's HttpClient: set its version to HTTP_1_1.",
    )


def _too_slow(said: str) -> RequestTimeout:
    return RequestTimeout(said, hint="Nothing was done. Send the request again.")


def _wire(error: HandfastError) -> bytes:
    body = Problem.of(error).encoded()
    return b"".join(
        [
            STATUS_LINE[HTTPStatus(error.status)],
            b"content-type: %s\r\n" % PROBLEM_JSON.encode(),
            b"content-length: %d\r\nconnection: close\r\n\r\n" % len(body),
            body,
        ]
    )
