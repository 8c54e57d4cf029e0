"""Errors of streams."""

from handfast.base.errors import EngineError


class TooManyStreams(EngineError):
    """A user may have a few streams open at a time in one process: one for each device or tab."""

    code = "TOO_MANY_STREAMS"
    title = "This user has too many streams open"
    status = 429
