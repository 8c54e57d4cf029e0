"""The operators' webhook routes, as ``client.webhooks``."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, Protocol, TypeVar
from uuid import UUID

from handfast.edge.api.webhooks import EndpointList
from handfast.services.webhooks.endpoints import OVERLAP, Endpoint, Signed
from handfast.services.webhooks.sending.attempt_log import AttemptPage
from handfast.services.webhooks.sending.replays import Replayed

T = TypeVar("T")

_ALL = "/webhooks/endpoints"


class Calls(Protocol):
    """What this needs of the client."""

    async def request(self, method: str, path: str) -> Any: ...

    async def ask(self, method: str, path: str, answer: type[T], **more: Any) -> T: ...


class WebhookCalls:
    """A secret is shown once, and a call whose answer was lost is repeated with the same key: the
    secret comes with it, since the server keeps such answers encrypted. Only if it has another
    HANDFAST_IDEMPOTENCY_SECRET by then, the repetition is a ``CallRefused`` with the code
    IDEMPOTENCY_RESPONSE_NOT_KEPT: it was done, and ``rotate`` makes a secret that you can see."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def endpoints(self) -> list[Endpoint]:
        return (await self._calls.ask("GET", _ALL, EndpointList)).endpoints

    async def add(
        self,
        url: str,
        *,
        types: Sequence[str] = (),
        description: str = "",
        key: str | None = None,
    ) -> Signed:
        """Without types it gets every event."""
        body = {"url": url, "types": list(types), "description": description}
        return await self._calls.ask("POST", _ALL, Signed, body=body, key=key)

    async def change(
        self,
        endpoint: UUID,
        *,
        url: str | None = None,
        types: Sequence[str] | None = None,
        description: str | None = None,
        state: Literal["active", "paused"] | None = None,
    ) -> Endpoint:
        """What is left out stays as it is."""
        wanted = {"url": url, "types": types, "description": description, "state": state}
        body = {name: value for name, value in wanted.items() if value is not None}
        return await self._calls.ask("PATCH", f"{_ALL}/{endpoint}", Endpoint, body=body)

    async def remove(self, endpoint: UUID) -> None:
        await self._calls.request("DELETE", f"{_ALL}/{endpoint}")

    async def rotate(
        self, endpoint: UUID, *, overlap: timedelta = OVERLAP, key: str | None = None
    ) -> Signed:
        """A new secret; the one before signs too for so long."""
        params = {"overlapSeconds": int(overlap.total_seconds())}
        path = f"{_ALL}/{endpoint}/rotate"
        return await self._calls.ask("POST", path, Signed, params=params, key=key)

    async def replay(self, endpoint: UUID, event: UUID, *, key: str | None = None) -> Replayed:
        """One event again."""
        path = f"{_ALL}/{endpoint}/replay"
        return await self._calls.ask("POST", path, Replayed, body={"eventId": event}, key=key)

    async def replay_range(
        self,
        endpoint: UUID,
        since: datetime,
        until: datetime,
        *,
        only_missing: bool = False,
        key: str | None = None,
    ) -> Replayed:
        """What happened from ``since`` until before ``until``, at most 7 days."""
        body = {"since": since, "until": until, "onlyMissing": only_missing}
        path = f"{_ALL}/{endpoint}/replay"
        return await self._calls.ask("POST", path, Replayed, body=body, key=key)

    async def attempts(
        self, endpoint: UUID, *, after: int | None = None, limit: int | None = None
    ) -> AttemptPage:
        """The newest first; ``after`` is the ``next`` of the page before."""
        params = {"after": after, "limit": limit}
        path = f"{_ALL}/{endpoint}/attempts"
        return await self._calls.ask("GET", path, AttemptPage, params=params)
