"""The error of who asked too often."""

from handfast.base.errors import RequestError


class TooManyRequests(RequestError):
    """A rate limit is used up; ``extra`` has the ``headers`` that say when to come again."""

    code = "TOO_MANY_REQUESTS"
    title = "Too many requests"
    status = 429
