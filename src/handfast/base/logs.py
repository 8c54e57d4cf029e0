"""Structured logs: text for people in a terminal, JSON lines for machines.

Request, job and trace ids are bound once (``structlog.contextvars``) and appear on every line
below. Logs go to standard error: standard output belongs to what a command was asked for.
"""

import logging
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Any, cast

# Not imported until something is logged or configured: structlog brings a terminal library along,
# a quarter of what a program waits for that imports us.
if TYPE_CHECKING:
    from structlog.stdlib import BoundLogger
    from structlog.typing import EventDict, Processor

_CHATTY = ("uvicorn.error", "asyncio", "httpx")  # their everyday lines tell an operator nothing


class LogFormat(StrEnum):
    AUTO = "auto"
    TEXT = "text"
    JSON = "json"


class LogLevel(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def configure_logs(level: LogLevel, style: LogFormat) -> None:
    """Route structlog and the standard library's loggers through one formatter."""
    import structlog  # noqa: PLC0415

    as_json = style is LogFormat.JSON or (style is LogFormat.AUTO and not sys.stderr.isatty())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        _no_colours,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _trace_ids,
    ]
    # Without the values of variables: addresses with their passwords are among them.
    tracebacks = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
    render: list[Processor] = (
        [structlog.processors.ExceptionRenderer(tracebacks), structlog.processors.JSONRenderer()]
        if as_json
        else [
            structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(),
                exception_formatter=structlog.dev.RichTracebackFormatter(show_locals=False),
            )
        ]
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *render],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for chatty in _CHATTY:
        logging.getLogger(chatty).setLevel(max(root.level, logging.WARNING))
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def log_through_the_host() -> None:
    """Inside somebody else's program: its own logging decides what is shown, and where.

    Does nothing when structlog has been configured, by us or by that program.
    """
    import structlog  # noqa: PLC0415

    if structlog.is_configured():
        return
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.contextvars.merge_contextvars,
            structlog.processors.format_exc_info,
            structlog.processors.LogfmtRenderer(key_order=["event"], bool_as_flag=False),
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )


class _LoggerWhenNeeded:
    def __init__(self, name: str) -> None:
        self._name = name
        self._logger: Any = None

    def __getattr__(self, method: str) -> Any:
        if self._logger is None:
            import structlog  # noqa: PLC0415

            self._logger = structlog.stdlib.get_logger(self._name)
        return getattr(self._logger, method)


def get_logger(name: str) -> "BoundLogger":
    return cast("BoundLogger", _LoggerWhenNeeded(name))


def _no_colours(_logger: Any, _method: str, event: "EventDict") -> "EventDict":
    """uvicorn sends each line a second time, dressed up for terminals."""
    event.pop("color_message", None)
    return event


def _trace_ids(_logger: Any, _method: str, event: "EventDict") -> "EventDict":
    """Add the current trace's ids when tracing is on, so that logs and traces meet."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is not None:
        context = trace.get_current_span().get_span_context()
        if context.is_valid:
            event["trace_id"] = f"{context.trace_id:032x}"
            event["span_id"] = f"{context.span_id:016x}"
    return event
