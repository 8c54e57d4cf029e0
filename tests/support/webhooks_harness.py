"""Webhooks in the test's own process: endpoints, events, and a deliverer on a real database."""

import contextlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from handfast.db.pool import Database
from handfast.engine.events import emit
from handfast.engine.host import Host
from handfast.services.webhooks import endpoints
from handfast.services.webhooks.endpoints import Endpoint, Signed
from handfast.services.webhooks.sending.attempt_log import DeliveryAttemptView, list_attempts
from handfast.services.webhooks.sending.deliverer import LANE, TIMEOUT_SECONDS, webhooks_crew
from handfast.services.webhooks.sending.relay import relay_events
from tests.support.clock import freeze
from tests.support.eventually import WITHIN, eventually_async
from tests.support.hosts import options_of, running

AT_REST = (
    "SELECT coalesce(bool_and(idle), true) FROM handfast_engine.workers WHERE ended_at IS NULL"
)


class WebhooksHarness:
    def __init__(self, database: Database) -> None:
        self.database = database

    async def add(self, url: str, *types: str) -> Signed:
        async with self.database.transaction() as tx:
            return await endpoints.add_endpoint(tx, url, types=types, allow_private=True)

    async def get(self, endpoint: UUID) -> Endpoint:
        async with self.database.connection() as connection:
            return await endpoints.get_endpoint(connection, endpoint)

    async def emit(
        self,
        kind: str = "match.created",
        aggregate: str = "match:1",
        data: Mapping[str, Any] | None = None,
    ) -> UUID:
        """An event, and its deliveries."""
        async with self.database.transaction() as tx:
            event = UUID(await emit(tx, kind, aggregate, data or {"matchId": 1}))
        await self.relay()
        return event

    async def relay(self) -> int:
        """What a relay does that is just looking; answers how many events it took."""
        async with self.database.connection() as connection:
            return await relay_events(connection, 10_000)

    async def fetch(self, sql: str, *args: Any) -> Any:
        async with self.database.connection() as connection:
            return await connection.fetchval(sql, *args)

    async def rows(self, sql: str, *args: Any) -> list[Any]:
        async with self.database.connection() as connection:
            return await connection.fetch(sql, *args)

    async def attempts(self, endpoint: UUID) -> list[DeliveryAttemptView]:
        """The log of an endpoint, the oldest first."""
        async with self.database.connection() as connection:
            page = await list_attempts(connection, endpoint, limit=1000)
        return page.attempts[::-1]

    async def attempted(self, endpoint: UUID, times: int, *, within: float = WITHIN) -> None:
        async def enough() -> bool:
            return len(await self.attempts(endpoint)) >= times

        await eventually_async(enough, within=within)

    async def jobs(self) -> dict[str, str]:
        """The deliveries: key to state."""
        found = await self.rows(
            "SELECT j.key, coalesce(j.state, l.state)::text AS state FROM handfast_engine.jobs AS j"
            " LEFT JOIN handfast_engine.live AS l ON l.id = j.id WHERE j.kind = 'webhooks.deliver'"
        )
        return {row["key"]: row["state"] for row in found}

    async def drained(self, *, within: float = WITHIN) -> None:
        async def is_empty() -> bool:
            return not await self.fetch(
                "SELECT EXISTS (SELECT 1 FROM handfast_engine.outbox)"
                " OR EXISTS (SELECT 1 FROM handfast_engine.live)"
            )

        await eventually_async(is_empty, within=within)

    async def at(self, instant: datetime) -> None:
        """Time stands still there, and what is due is ready."""
        # Who has a connection in hand for its next look would look with the clock of before.
        with contextlib.suppress(AssertionError):
            await eventually_async(lambda: self.fetch(AT_REST), within=5)
        await freeze(self.database, instant)
        await self.fetch("SELECT handfast_engine.promote(1000)")

    @asynccontextmanager
    async def delivering(
        self,
        *,
        allow_private: bool = True,
        disable_after: timedelta = timedelta(days=5),
        patience: float = TIMEOUT_SECONDS,
        **options: Any,
    ) -> AsyncIterator[Host]:
        # A lease that outlives every jump of a frozen clock.
        given: dict[str, Any] = {
            "lanes": (LANE,),
            "poll": 0.05,
            "grace": 1.0,
            "lease": timedelta(days=30),
        }
        worker, host = options_of(given | options)
        crew = webhooks_crew(
            self.database,
            allow_private=allow_private,
            disable_after=disable_after,
            timeout=patience,
            options=worker,
        )
        async with running(Host(self.database, self.database.target, [crew], host)) as deliverer:
            yield deliverer
