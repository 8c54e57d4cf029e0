"""Every error leaves as an RFC 9457 problem, with ``code`` and ``message`` beside it."""

import traceback
from typing import Any, NamedTuple

import msgspec
from litestar import Request, Response
from litestar.exceptions import ClientException, HTTPException
from litestar.openapi.datastructures import ResponseSpec
from litestar.serialization import msgspec_hooks

from handfast.base.errors import HandfastError, problem_type
from handfast.base.logs import get_logger
from handfast.edge.http.invalid import in_callers_words, summary

PROBLEM_JSON = "application/problem+json"

log = get_logger(__name__)


class _Refusal(NamedTuple):
    """What the framework itself refuses, in our words: its own may name files of this machine."""

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


class Problem(msgspec.Struct):
    """An RFC 9457 problem."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    message: str
    errors: list[dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET


def problem_response(problem: Problem, headers: dict[str, str] | None = None) -> Response[Problem]:
    return Response(
        content=problem, status_code=problem.status, media_type=PROBLEM_JSON, headers=headers
    )


def on_handfast_error(_request: Request[Any, Any, Any], error: HandfastError) -> Response[Problem]:
    """Our own errors know their type, status and words."""
    if error.status >= 500:
        log.error("request_failed", code=error.code, detail=str(error))
    headers = dict(error.extra.get("headers", {}))
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return problem_response(Problem(**error.as_problem()), headers)


def on_framework_error(request: Request[Any, Any, Any], error: HTTPException) -> Response[Problem]:
    """Litestar's own refusals: unknown paths, wrong methods, bodies that do not fit."""
    refusal = _REFUSALS.get(error.status_code, _REFUSED)
    log.debug("framework_refusal", status=error.status_code, said=error.detail)
    headers = dict(error.headers or {})
    words = {
        "method": request.method,
        "allowed": next((v for k, v in headers.items() if k.lower() == "allow"), "another"),
    }
    detail = refusal.detail.format_map(words)
    found = in_callers_words(request, error.extra) if isinstance(error.extra, list) else []
    return problem_response(
        Problem(
            type=problem_type(refusal.code),
            title=refusal.title,
            status=error.status_code,
            detail=detail,
            code=refusal.code,
            message=f"{detail}{summary(found)} {refusal.advice.format_map(words)}",
            errors=found or msgspec.UNSET,
        ),
        headers,
    )


def on_undecodable_body(
    request: Request[Any, Any, Any], error: UnicodeDecodeError | RecursionError
) -> Response[Problem]:
    """JSON whose bytes are no UTF-8, or that is nested without end. The decoder says so with an
    error of Python's own, which Litestar lets through; raised anywhere else it is a fault of
    ours."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    if frame.f_globals.get("__name__") == msgspec_hooks.__name__:
        said = "nested too deeply" if isinstance(error, RecursionError) else "not UTF-8"
        return on_framework_error(request, ClientException(f"The body is {said}."))
    return on_unexpected_error(request, error)


def on_unexpected_error(request: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
    """A fault of ours: logged with everything, answered with nothing that could leak."""
    log.error("unexpected_error", path=request.url.path, exc_info=error)
    detail = "Something went wrong on our side. The log has the details."
    return problem_response(
        Problem(
            type=HandfastError("").type,
            title=HandfastError.title,
            status=500,
            detail=detail,
            code=HandfastError.code,
            message=detail,
        )
    )


def problem_spec(description: str) -> ResponseSpec:
    """How a problem is described in the OpenAPI document."""
    return ResponseSpec(
        data_container=Problem,
        description=description,
        media_type=PROBLEM_JSON,
        generate_examples=False,
    )
