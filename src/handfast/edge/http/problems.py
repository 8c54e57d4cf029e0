"""Every error leaves as an RFC 9457 problem, with ``code`` and ``message`` beside it."""

import traceback
from typing import Any

from litestar import Request, Response
from litestar.exceptions import ClientException, HTTPException
from litestar.openapi.datastructures import ResponseSpec
from litestar.serialization import msgspec_hooks

from handfast.base.errors import HandfastError
from handfast.base.logs import get_logger
from handfast.base.problems import PROBLEM_JSON, Problem, error_headers, log_failure, refusal
from handfast.edge.http.invalid_input import in_callers_words, summary

log = get_logger(__name__)


def problem_response(problem: Problem, headers: dict[str, str] | None = None) -> Response[bytes]:
    return Response(
        content=problem.encoded(),
        status_code=problem.status,
        media_type=PROBLEM_JSON,
        headers=headers,
    )


def on_handfast_error(_request: Request[Any, Any, Any], error: HandfastError) -> Response[bytes]:
    """Our own errors know their type, status and words."""
    log_failure(error)
    return problem_response(Problem.of(error), error_headers(error))


def on_framework_error(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """Litestar's own refusals: unknown paths, wrong methods, bodies that do not fit."""
    log.debug("framework_refusal", status=error.status_code, said=error.detail)
    headers = dict(error.headers or {})
    found = in_callers_words(request, error.extra) if isinstance(error.extra, list) else []
    problem = refusal(
        error.status_code,
        method=request.method,
        allowed=next((v for k, v in headers.items() if k.lower() == "allow"), "another"),
        found=summary(found),
        errors=found,
    )
    return problem_response(problem, headers)


def on_undecodable_body(
    request: Request[Any, Any, Any], error: UnicodeDecodeError | RecursionError
) -> Response[bytes]:
    """JSON whose bytes are no UTF-8, or that is nested without end. The decoder says so with an
    error of Python's own, which Litestar lets through; raised anywhere else it is a fault of
    ours."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    if frame.f_globals.get("__name__") == msgspec_hooks.__name__:
        said = "nested too deeply" if isinstance(error, RecursionError) else "not UTF-8"
        return on_framework_error(request, ClientException(f"The body is {said}."))
    return on_unexpected_error(request, error)


def on_unexpected_error(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """A fault of ours: logged with everything, answered with nothing that could leak."""
    log.error("unexpected_error", path=request.scope["path"], exc_info=error)
    return problem_response(Problem.of(hidden()))


def hidden() -> HandfastError:
    """What is said of a fault of ours: nothing that could leak."""
    return HandfastError("Something went wrong on our side. The log has the details.")


def problem_spec(description: str) -> ResponseSpec:
    """How a problem is described in the OpenAPI document."""
    return ResponseSpec(
        data_container=Problem,
        description=description,
        media_type=PROBLEM_JSON,
        generate_examples=False,
    )
