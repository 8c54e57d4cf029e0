"""Errors of a call that we made to another server."""

from handfast.base.errors import HandfastError


class CallError(HandfastError):
    code = "CALL_ERROR"
    title = "A call to another server did not succeed"
    status = 502
    exit_code = 8


class CallRefused(CallError):
    """The server answered with a problem: ``extra`` has its ``status``, ``code`` and ``type``."""

    code = "CALL_REFUSED"
    title = "The other server refused the call"


class CallUnanswered(CallError):
    """No answer: with a key or an idempotent method the call may be made again, by the same key."""

    code = "CALL_UNANSWERED"
    title = "The other server gave no answer"
    status = 504
