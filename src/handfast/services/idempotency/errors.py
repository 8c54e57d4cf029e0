"""Errors of idempotency keys."""

from handfast.base.errors import RequestError


class IdempotencyInProgress(RequestError):
    """The first request with this key has no answer yet. The one conflict that is worth a retry."""

    code = "IDEMPOTENCY_IN_PROGRESS"
    title = "The same request is still being carried out"
    status = 409


class IdempotencyKeyMalformed(RequestError):
    code = "IDEMPOTENCY_KEY_MALFORMED"
    title = "The idempotency key cannot be used"


class IdempotencyKeyMissing(RequestError):
    code = "IDEMPOTENCY_KEY_MISSING"
    title = "This request needs an idempotency key"


class IdempotencyKeyReused(RequestError):
    """The key belongs to another request of the same caller. Never worth a retry."""

    code = "IDEMPOTENCY_KEY_REUSED"
    title = "The idempotency key was used for another request"
    status = 409


class IdempotencyResponseNotKept(RequestError):
    code = "IDEMPOTENCY_RESPONSE_NOT_KEPT"
    title = "The request was carried out, and its response was not kept"
    status = 409
