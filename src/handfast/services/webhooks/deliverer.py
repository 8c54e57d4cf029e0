"""Delivering: jobs of the engine, on a worker of their own.

Of their own, so that a slow endpoint takes no place from other work. An attempt reads what it needs
(so that a pause, a new address or a rotated secret counts at once), signs, posts, and waits until
what came of it is written down. If the process dies in between, the job is rescued and the event is
sent again: at least once, never not at all.
"""

import time
from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from handfast.base.errors import LeaseLost
from handfast.base.logs import get_logger
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.engine import metrics as engine_metrics
from handfast.engine.context import Context
from handfast.engine.kinds import Kind, Kinds, payload_of
from handfast.engine.retry import Retry
from handfast.engine.worker import Worker, WorkerOptions, default_name
from handfast.services.webhooks import metrics
from handfast.services.webhooks.envelope import Event, envelope
from handfast.services.webhooks.gather import Gatherer
from handfast.services.webhooks.log import pruning
from handfast.services.webhooks.metrics import KIND
from handfast.services.webhooks.outbound import TIMEOUT_SECONDS, Sender, Undeliverable
from handfast.services.webhooks.recorder import Attempt, Recorder
from handfast.services.webhooks.secrets import Secret
from handfast.services.webhooks.signature import sign
from handfast.services.webhooks.verdict import Outcome, Verdict, judge, judge_failure

LANE = "webhooks"
# Thirty-two endpoints at their most, so that as many can fall silent at one moment without a delay
# for the others; once they are known to fail they share 32 places. Waiting costs next to nothing,
# but each is an open file, of which a process often has no more than 1024.
CONCURRENCY = 512
# An attempt is short, so a worker that is silent for longer than one is given up soon after: its
# deliveries hold places of their endpoints until then.
LEASE_SECONDS_MORE = 15.0
HORIZON = timedelta(days=30)  # an event's id is new for ever, so its deliveries' keys are too

log = get_logger(__name__)


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


class Deliverer:
    """Delivers until it is stopped."""

    def __init__(
        self,
        database: Database,
        direct: Target,
        *,
        allow_private: bool,
        disable_after: timedelta,
        timeout: float = TIMEOUT_SECONDS,
        options: WorkerOptions | None = None,
    ) -> None:
        self._database = database
        self._sender = Sender(allow_private=allow_private, timeout=timeout)
        self._reader: Gatherer[tuple[UUID, UUID], Delivery] = Gatherer(self._read)
        self._recorder = Recorder(database, disable_after)
        kinds = Kinds()
        kinds.add(
            Kind(
                name=KIND,
                handler=self._deliver,
                payload=payload_of(self._deliver),
                lane=LANE,
                retry=Retry.webhook,
                timeout=timeout + 45,  # its own deadline comes first; this one is for our faults
                horizon=HORIZON,
            )
        )
        self.worker = Worker(
            database,
            direct,
            kinds,
            options
            or WorkerOptions(
                lanes=(LANE,),
                concurrency=CONCURRENCY,
                batch_max=CONCURRENCY,
                lease=timedelta(seconds=timeout + LEASE_SECONDS_MORE),
                name=f"{default_name()}:webhooks",
            ),
            chores=[pruning(database)],
        )

    async def run(self) -> None:
        async with self._sender:
            self._reader.start()
            self._recorder.gatherer.start()
            try:
                await self.worker.run()
            finally:
                await self._reader.stop()
                await self._recorder.gatherer.stop()

    def stop(self) -> None:
        """Let what is under way finish, and leave. Safe to call from a signal."""
        self.worker.stop()

    async def _deliver(self, ctx: Context, event_id: UUID, endpoint_id: UUID) -> None:
        found = await self._reader.ask((event_id, endpoint_id))
        started = time.monotonic()
        verdict = await self._attempt(event_id, found)
        seconds = time.monotonic() - started
        state = await self._recorder.record(
            Attempt(
                job_id=ctx.job_id,
                token=ctx.token,
                event_id=event_id,
                endpoint_id=endpoint_id,
                number=ctx.attempt,
                event_type=found.type or "unknown",
                verdict=verdict,
                seconds=seconds,
            )
        )
        if state is None:
            raise LeaseLost(f"Attempt {ctx.attempt} of {ctx.key} no longer holds the delivery.")
        ctx.settled()
        _count(verdict, state, seconds)
        if verdict.outcome is not Outcome.DELIVERED:
            log.warning(
                "webhook_not_delivered",
                event_id=str(event_id),
                endpoint=str(endpoint_id),
                attempt=ctx.attempt,
                outcome=verdict.outcome.value,
                reason=verdict.error,
                job=state,
            )

    async def _read(self, wanted: list[tuple[UUID, UUID]]) -> list[Delivery]:
        events, endpoints = zip(*wanted, strict=True)
        async with self._database.connection() as connection:
            return await _DELIVERIES.all(connection, events, endpoints)

    async def _attempt(self, event_id: UUID, found: Delivery) -> Verdict:
        if found.url is None:
            return _skipped("the endpoint was removed")
        if found.state != "active":
            return _skipped(f"the endpoint is {found.state}: {found.reason}")
        event = _event(event_id, found)
        if event is None:
            return _skipped("the event is no longer kept")
        body = envelope(event)
        # A fresh timestamp each time: a receiver refuses old ones.
        headers = sign(
            [Secret.parse(secret) for secret in found.secrets],
            str(event_id),
            int(found.now.timestamp()),
            body,
        )
        try:
            return judge(await self._sender.post(found.url, headers, body))
        except Undeliverable as failure:
            return judge_failure(failure)


def _event(event_id: UUID, found: Delivery) -> Event | None:
    if (
        found.type is None
        or found.at is None
        or found.aggregate is None
        or found.sequence is None
        or found.data is None
    ):
        return None
    return Event(event_id, found.type, found.at, found.aggregate, found.sequence, found.data)


def _skipped(why: str) -> Verdict:
    return Verdict(Outcome.SKIPPED, error=why)


def _count(verdict: Verdict, state: str, seconds: float) -> None:
    """As the engine does for attempts that it ends itself, and by the webhooks' own names."""
    if verdict.outcome is Outcome.SKIPPED:
        return
    metrics.count(verdict.outcome, seconds)
    succeeded = verdict.outcome is Outcome.DELIVERED
    engine_metrics.ATTEMPTS.labels(KIND, "succeeded" if succeeded else "failed").inc()
    engine_metrics.DURATION.observe(KIND, [seconds])
    if state == "dead":
        engine_metrics.EXHAUSTED.labels(KIND).inc()
