"""Errors of webhooks."""

from handfast.base.errors import RequestError


class InvalidEndpointUrl(RequestError):
    code = "INVALID_ENDPOINT_URL"
    title = "Webhooks cannot be delivered to that address"
    status = 422


class WebhookSecretInvalid(RequestError):
    code = "WEBHOOK_SECRET_INVALID"
    title = "The signing secret cannot be used"
    status = 422


class WebhookSignatureInvalid(RequestError):
    """Nobody who holds the secret sent this, or not lately."""

    code = "WEBHOOK_SIGNATURE_INVALID"
    title = "The webhook is not signed as it must be"
    status = 401
