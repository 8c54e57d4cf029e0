"""Refusals as RFC 9457 problems: one value, one encoder, one way to send it from plain ASGI.

``Problem.of(error)`` says an error of ours to strangers; ``refusal(status)`` says what has only a
status, such as a method that an address does not take. ``read_problem`` is the other side: what a
server answered, which may be no problem at all.
"""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from datetime import datetime
from typing import Any, NamedTuple, Self
from uuid import UUID

import msgspec

from handfast.base.errors import (
    BodyTooLarge,
    HandfastError,
    NotAuthenticated,
    RequestTimeout,
    TooManyBodies,
    problem_type,
)
from handfast.base.logs import get_logger

PROBLEM_JSON = "application/problem+json"
RETRY_AFTER_SECONDS = 1  # what is under way or away usually needs; clients back off by themselves

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_OF_SOME = (
    *("action_id", "until", "existing_id"),
    *("ticket", "session", "dispute", "expected", "amounts"),
)
_BODY_UNREAD = (BodyTooLarge, RequestTimeout, TooManyBodies)

log = get_logger(__name__)


class Problem(msgspec.Struct, frozen=True, rename="camel"):
    """An RFC 9457 problem. The last ones are of a few errors only: what to appeal and when a
    suspension ends; what is in the way of a stake, a move, a dispute, a report or an appeal."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    message: str
    errors: list[dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET
    action_id: UUID | msgspec.UnsetType = msgspec.UNSET
    until: datetime | msgspec.UnsetType | None = msgspec.UNSET
    ticket: int | msgspec.UnsetType = msgspec.UNSET
    session: int | msgspec.UnsetType | None = msgspec.UNSET
    dispute: int | msgspec.UnsetType | None = msgspec.UNSET
    expected: int | msgspec.UnsetType = msgspec.UNSET
    amounts: list[int] | msgspec.UnsetType = msgspec.UNSET
    existing_id: UUID | msgspec.UnsetType = msgspec.UNSET

    @classmethod
    def of(cls, error: HandfastError) -> Self:
        """For strangers: who runs this server has the rest in its log."""
        return cls(
            type=error.type,
            title=error.title,
            status=error.status,
            detail=error.told or error.detail,
            code=error.code,
            message=error.told or str(error),
            **{name: error.extra[name] for name in _OF_SOME if name in error.extra},
        )

    def encoded(self) -> bytes:
        return msgspec.json.encode(self)


class _Refusal(NamedTuple):
    code: str
    title: str
    detail: str
    advice: str


_REFUSALS = {
    400: _Refusal(
        "INVALID_REQUEST",
        "The request is not valid",
        "The request does not have the form that this address takes.",
        "GET /openapi.json describes that form.",
    ),
    401: _Refusal(
        "NOT_AUTHENTICATED",
        "Authentication is needed",
        "This address wants to know who is calling.",
        "Send a token: Authorization: Bearer …",
    ),
    403: _Refusal(
        "NOT_ALLOWED",
        "This caller may not do that",
        "The caller is known, but has no right to this.",
        "Ask with a token that has it.",
    ),
    404: _Refusal(
        "NOT_FOUND",
        "There is no such thing",
        "There is nothing at this address.",
        "GET /openapi.json lists every address, and /docs shows them in a browser.",
    ),
    405: _Refusal(
        "METHOD_NOT_ALLOWED",
        "This address does not take that method",
        "This address does not take {method}.",
        "It takes: {allowed}.",
    ),
    413: _Refusal(
        "BODY_TOO_LARGE",
        "The body is too large",
        "The body is larger than this address takes.",
        "Send less at once.",
    ),
    415: _Refusal(
        "MEDIA_TYPE_UNSUPPORTED",
        "This kind of body is not understood",
        "This address does not read that kind of body.",
        "Send JSON, with Content-Type: application/json.",
    ),
    429: _Refusal(
        "TOO_MANY_REQUESTS",
        "Too many requests",
        "There were too many requests in a short time.",
        "Wait a little and try again.",
    ),
}
_REFUSED = _Refusal(
    "REQUEST_FAILED",
    "The request failed",
    "The request could not be answered.",
    "The log has the details, under the request's id.",
)


def refusal(
    status: int,
    *,
    method: str = "",
    allowed: str = "another",
    found: str = "",
    errors: list[dict[str, Any]] | None = None,
) -> Problem:
    """A refusal of which only the status is known, in our words. ``found`` is said between what
    happened and what to do about it."""
    words = _REFUSALS.get(status, _REFUSED)
    filled = {"method": method, "allowed": allowed}
    detail = words.detail.format_map(filled)
    return Problem(
        type=problem_type(words.code),
        title=words.title,
        status=status,
        detail=detail,
        code=words.code,
        message=f"{detail}{found} {words.advice.format_map(filled)}",
        errors=errors or msgspec.UNSET,
    )


def error_headers(error: HandfastError) -> dict[str, str]:
    """What has to stand beside the problem that an error became."""
    headers = dict(error.extra.get("headers", {}))
    if isinstance(error, _BODY_UNREAD):
        headers["Connection"] = "close"  # what was not read would be taken for the next request
    if isinstance(error, NotAuthenticated):
        headers["WWW-Authenticate"] = "Bearer"
    if "retry_after" in error.extra:
        headers["Retry-After"] = str(error.extra["retry_after"])
    return headers


def log_failure(error: HandfastError) -> None:
    """The log has what a stranger is not told."""
    if error.status >= 500:
        log.error("request_failed", code=error.code, detail=str(error))


async def send_error(send: Send, error: HandfastError) -> None:
    """Answer with an error of ours, outside of any framework."""
    log_failure(error)
    headers = error_headers(error)
    if error.status == 503:
        headers.setdefault("Retry-After", str(RETRY_AFTER_SECONDS))
    await send_problem(send, Problem.of(error), headers)


async def send_problem(
    send: Send, problem: Problem, headers: Mapping[str, str] | None = None
) -> None:
    """Answer with a problem, outside of any framework."""
    body = problem.encoded()
    raw = [
        (b"content-type", PROBLEM_JSON.encode()),
        (b"content-length", str(len(body)).encode()),
        *((name.lower().encode(), value.encode()) for name, value in (headers or {}).items()),
    ]
    await send({"type": "http.response.start", "status": problem.status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


class _Received(msgspec.Struct):
    """Any server's problem: each member may be missing, or something else than text."""

    type: Any = ""
    title: Any = ""
    detail: Any = ""
    code: Any = ""
    message: Any = ""


def read_problem(status: int, body: bytes) -> Problem:
    """What a server answered; empty where it does not say."""
    try:
        received = msgspec.json.decode(body, type=_Received)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        received = _Received()
    return Problem(
        type=_text(received.type),
        title=_text(received.title),
        status=status,
        detail=_text(received.detail),
        code=_text(received.code),
        message=_text(received.message),
    )


def _text(member: Any) -> str:
    return member if isinstance(member, str) else ""
