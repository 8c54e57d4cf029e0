"""The retry policy as a transport: a client of httpx2 or httpx takes it and knows nothing of it."""

from types import TracebackType
from typing import Any, Self

import httpx2

from handfast.edge.client.policy import HttpRetryPolicy
from handfast.edge.client.retrying import retrying


class RetryTransport(httpx2.AsyncBaseTransport):
    """Wraps another transport.

        httpx2.AsyncClient(transport=RetryTransport())
        httpx.AsyncClient(transport=RetryTransport(httpx.AsyncHTTPTransport()))

    Redirects are followed by the client around it, each hop with retries of its own.
    """

    def __init__(
        self, inner: Any = None, policy: HttpRetryPolicy = HttpRetryPolicy.user_facing
    ) -> None:
        self._inner = httpx2.AsyncHTTPTransport() if inner is None else inner
        self.policy = policy

    async def handle_async_request(self, request: Any) -> Any:
        return await retrying(self._inner.handle_async_request, request, self.policy)

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        await self._inner.__aexit__(exc_type, exc_value, traceback)

    async def aclose(self) -> None:
        await self._inner.aclose()
