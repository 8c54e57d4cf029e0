"""Every error leaves as an RFC 9457 problem, with ``code`` and ``message`` beside it."""

from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.openapi.datastructures import ResponseSpec

from handfast.base.errors import HandfastError, problem_type
from handfast.base.logs import get_logger

PROBLEM_JSON = "application/problem+json"

log = get_logger(__name__)

# What the framework itself answers, in our words and with our codes.
_FRAMEWORK_CODES = {
    400: ("INVALID_REQUEST", "The request is not valid"),
    401: ("NOT_AUTHENTICATED", "Authentication is needed"),
    403: ("NOT_ALLOWED", "This caller may not do that"),
    404: ("NOT_FOUND", "There is no such thing"),
    405: ("METHOD_NOT_ALLOWED", "This address does not take that method"),
    413: ("BODY_TOO_LARGE", "The body is too large"),
    415: ("MEDIA_TYPE_UNSUPPORTED", "This kind of body is not understood"),
    429: ("TOO_MANY_REQUESTS", "Too many requests"),
}


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
        log.error("request_failed", code=error.code, detail=error.detail)
    headers = {"WWW-Authenticate": "Bearer"} if error.status == 401 else None
    return problem_response(
        Problem(
            type=error.type,
            title=error.title,
            status=error.status,
            detail=error.detail,
            code=error.code,
            message=str(error),
        ),
        headers,
    )


def on_framework_error(_request: Request[Any, Any, Any], error: HTTPException) -> Response[Problem]:
    """Litestar's own refusals: unknown paths, wrong methods, bodies that do not fit."""
    code, title = _FRAMEWORK_CODES.get(error.status_code, ("REQUEST_FAILED", "The request failed"))
    extra = error.extra if isinstance(error.extra, list) else None
    return problem_response(
        Problem(
            type=problem_type(code),
            title=title,
            status=error.status_code,
            detail=error.detail,
            code=code,
            message=error.detail,
            errors=extra or msgspec.UNSET,
        ),
        dict(error.headers or {}),
    )


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
