"""Delivering: jobs of the engine, with places of their own.

Of their own, so that a slow endpoint takes no place from other work. An attempt reads what it needs
(so that a pause, a new address or a rotated secret counts at once), signs, posts, and waits until
what came of it is written down. If the process dies in between, the job is rescued and the event is
sent again: at least once, never not at all.
"""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from handfast.db.batcher import Batcher
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.engine.crew import Crew, WorkerOptions
from handfast.engine.event_envelope import StoredEvent
from handfast.engine.jobs.kinds import Kind, Kinds, payload_of
from handfast.engine.jobs.retry import Retry
from handfast.engine.system import System, Wanted
from handfast.engine.work.context import Context
from handfast.engine.work.worker import default_name
from handfast.services.outbound.sender import NoAnswer, Sender
from handfast.services.webhooks import metrics
from handfast.services.webhooks.metrics import KIND
from handfast.services.webhooks.sending.attempt_log import pruning
from handfast.services.webhooks.sending.attempt_recorder import AttemptRecorder, DeliveryAttempt
from handfast.services.webhooks.sending.relay import RELAY
from handfast.services.webhooks.sending.verdict import (
    DeliveryOutcome,
    DeliveryVerdict,
    judge,
    judge_failure,
)
from handfast.services.webhooks.settings import WebhooksSettings
from handfast.services.webhooks.signing.secrets import SigningSecret
from handfast.services.webhooks.signing.signature import sign

LANE = "webhooks"
TIMEOUT_SECONDS = 15.0  # the promise to receivers: answer within this, or it counts as a failure
# Thirty-two endpoints at their most, so that as many can fall silent at one moment without a delay
# for the others; once they are known to fail they share 32 places. Waiting costs next to nothing,
# but each is an open file, of which a process often has no more than 1024.
CONCURRENCY = 512
# An attempt is short, so a worker that is silent for longer than one is given up soon after: its
# deliveries hold places of their endpoints until then.
LEASE_SECONDS_MORE = 15.0
HEADERS = {"content-type": "application/json", "user-agent": "Handfast-Webhooks/1"}
HORIZON = timedelta(days=30)  # an event's id is new for ever, so its deliveries' keys are too


class Delivery(msgspec.Struct, frozen=True):
    """What an attempt needs. Each side is null when it is not there any more."""

    url: str | None
    state: str | None
    reason: str | None
    secrets: list[str]
    type: str | None
    at: datetime | None
    aggregate: str | None
    sequence: int | None
    data: str | None
    now: datetime


_DELIVERIES = statement("webhooks.deliveries", row=Delivery)


@asynccontextmanager
async def open_work(system: System, wanted: Wanted) -> AsyncIterator[list[Crew]]:
    yield [crew_of(system)]


def crew_of(system: System) -> Crew:
    """Who delivers the webhooks of this system, as the settings want it."""
    settings = system.settings.of(WebhooksSettings)
    return webhooks_crew(
        system.database,
        allow_private=settings.webhooks_allow_private,
        disable_after=timedelta(days=settings.webhooks_disable_days),
    )


def webhooks_crew(
    database: Database,
    *,
    allow_private: bool,
    disable_after: timedelta,
    timeout: float = TIMEOUT_SECONDS,
    options: WorkerOptions | None = None,
) -> Crew:
    """Who delivers webhooks."""
    deliverer = Deliverer(
        database, Sender(allow_private=allow_private, timeout=timeout), disable_after
    )
    kinds = Kinds()
    kinds.add(
        Kind(
            name=KIND,
            handler=deliverer.deliver,
            payload=payload_of(deliverer.deliver),
            lane=LANE,
            retry=Retry.webhook,
            timeout=timeout + 45,  # its own deadline comes first; this one is for our faults
            horizon=HORIZON,
        )
    )
    usual = WorkerOptions(
        lanes=(LANE,),
        concurrency=CONCURRENCY,
        batch_max=CONCURRENCY,
        lease=timedelta(seconds=timeout + LEASE_SECONDS_MORE),
        name=f"{default_name()}:webhooks",
    )
    return Crew(
        kinds,
        options or usual,
        chores=[pruning(database)],
        relays=[RELAY],
        around=deliverer.open,
    )


class Deliverer:
    """The handler, and what it works with while it is open."""

    def __init__(self, database: Database, sender: Sender, disable_after: timedelta) -> None:
        self._database = database
        self._sender = sender
        self._reader: Batcher[tuple[UUID, UUID], Delivery] = Batcher(self._read)
        self._recorder = AttemptRecorder(database, disable_after)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        async with self._sender:
            try:
                yield
            finally:
                await self._reader.close()
                await self._recorder.close()

    async def deliver(self, ctx: Context, event_id: UUID, endpoint_id: UUID) -> None:
        found = await self._reader.ask((event_id, endpoint_id))
        started = time.monotonic()
        verdict = await self._attempt(event_id, found)
        seconds = time.monotonic() - started
        if verdict.outcome is DeliveryOutcome.GONE:
            # Who moves an endpoint has often shut the old address: its 410 is no word of the new
            # one, to which the next attempt goes.
            now = await self._reader.ask((event_id, endpoint_id))
            if now.url not in (None, found.url):
                verdict = verdict.elsewhere()
        await self._recorder.end(
            ctx,
            DeliveryAttempt(
                job_id=ctx.job_id,
                event_id=event_id,
                endpoint_id=endpoint_id,
                number=ctx.attempt,
                event_type=found.type or "unknown",
                verdict=verdict,
                seconds=seconds,
            ),
        )
        if verdict.outcome is not DeliveryOutcome.SKIPPED:
            metrics.count(verdict.outcome, seconds)

    async def _read(self, wanted: list[tuple[UUID, UUID]]) -> list[Delivery]:
        events, endpoints = zip(*wanted, strict=True)
        async with self._database.connection() as connection:
            return await _DELIVERIES.all(connection, events, endpoints)

    async def _attempt(self, event_id: UUID, found: Delivery) -> DeliveryVerdict:
        if found.url is None:
            return _skipped("the endpoint was removed")
        if found.state != "active":
            return _skipped(f"the endpoint is {found.state}: {found.reason}")
        event = _event(event_id, found)
        if event is None:
            return _skipped("the event is no longer kept")
        body = event.envelope()
        # A fresh timestamp each time: a receiver refuses old ones.
        headers = sign(
            [SigningSecret.parse(secret) for secret in found.secrets],
            str(event_id),
            int(found.now.timestamp()),
            body,
        )
        try:
            return judge(await self._sender.post(found.url, HEADERS | headers, body))
        except NoAnswer as failure:
            return judge_failure(failure)


def _event(event_id: UUID, found: Delivery) -> StoredEvent | None:
    if (
        found.type is None
        or found.at is None
        or found.aggregate is None
        or found.sequence is None
        or found.data is None
    ):
        return None
    return StoredEvent(
        str(event_id), found.at, found.type, found.aggregate, found.sequence, found.data
    )


def _skipped(why: str) -> DeliveryVerdict:
    return DeliveryVerdict(DeliveryOutcome.SKIPPED, error=why)
