"""What went wrong, in words that can be stored, whatever the exception is like."""

import traceback

from handfast.base.text import cleaned
from handfast.db.outage import AWAY, PASSING, put_off

__all__ = ["AWAY", "ERROR_LENGTH_MAX", "PASSING", "clean", "describe", "put_off", "trace_of"]

ERROR_LENGTH_MAX = 4000


def describe(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # a broken __str__ must not take the worker down
        text = "(its message cannot be shown)"
    return clean(f"{type(error).__name__}: {text}" if text else type(error).__name__)


def clean(text: str) -> str:
    """As PostgreSQL can store it, and no longer than an error's words may be."""
    return cleaned(text, ERROR_LENGTH_MAX)


def trace_of(error: BaseException) -> str:
    try:
        text = "".join(traceback.format_exception(error))
    except Exception:
        text = f"{type(error).__name__} (its traceback cannot be shown)"
    return clean(text[-ERROR_LENGTH_MAX:])
