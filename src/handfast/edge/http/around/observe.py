"""Request ids, one log line and the metrics of each request, as a pure ASGI middleware.

It stands around the whole application and not inside it: the framework answers unknown addresses
and wrong methods before any middleware of its own is asked.
"""

import logging
import time
from typing import Any, cast

import structlog
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send
from prometheus_client import Counter, Histogram

from handfast.base.ids import new_id
from handfast.base.logs import get_logger
from handfast.base.telemetry import REGISTRY, span

REQUEST_ID_LENGTH_MAX = 128  # longer ones are somebody's mistake, and would bloat every log line

REQUEST_ID = "handfast.request_id"  # where in the ASGI scope others find it

REQUESTS = Counter(
    "handfast_http_requests_total",
    "Requests answered.",
    ["method", "route", "status"],
    registry=REGISTRY,
)
DURATION = Histogram(
    "handfast_http_request_duration_seconds",
    "Time from the first byte in to the last byte out.",
    ["method", "route"],
    registry=REGISTRY,
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
GONE = 499  # what proxies write for a caller that went away before it could be answered
_PROBES = {"/health", "/ready", "/metrics"}  # asked every few seconds; they would drown the rest
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

log = get_logger(__name__)


def observed(app: ASGIApp) -> ASGIApp:
    """Wrap the application."""

    async def middleware(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await app(scope, receive, send)
            return
        method, path = scope["method"], scope["path"]  # as they came: routing rewrites the path
        request_id = _request_id(scope)
        cast("Any", scope)[REQUEST_ID] = request_id
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        status, gone = 0, False
        started = time.perf_counter()

        async def receive_observed() -> Any:
            nonlocal gone
            message = await receive()
            gone = message["type"] == "http.disconnect"
            return message

        async def send_observed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = GONE if gone else message["status"]
                headers: list[Any] = list(message.get("headers", ()))
                headers.append((b"x-request-id", request_id.encode()))
                message["headers"] = headers
            await send(message)

        try:
            with span("http.request", method=method, path=path):
                await app(scope, receive_observed, send_observed)
        finally:
            status = status or (GONE if gone else 500)
            _record(scope, method, path, status, time.perf_counter() - started)

    return middleware


def _record(scope: HTTPScope, method: str, path: str, status: int, seconds: float) -> None:
    # The route's template, never the path itself: ids in labels would make endless series.
    route = str(scope.get("path_template") or "unknown")
    method = method if method in _METHODS else "other"
    REQUESTS.labels(method, route, status).inc()
    DURATION.labels(method, route).observe(seconds)
    level = logging.DEBUG if route in _PROBES else logging.INFO
    log.log(
        level,
        "request",
        method=method,
        path=path,
        status=status,
        milliseconds=round(seconds * 1000, 1),
    )


def _request_id(scope: HTTPScope) -> str:
    """The caller's own id if it is fit to be logged, else a new one."""
    for name, value in scope["headers"]:
        if name == b"x-request-id" and 0 < len(value) <= REQUEST_ID_LENGTH_MAX:
            text = value.decode("latin-1")
            if text.isascii() and text.isprintable():
                return text
    return str(new_id())
