"""What became of an attempt, written down; also when nobody hears that it was."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, cast
from uuid import UUID

import pytest

from handfast.db.errors import CommitUnknown
from handfast.db.pool import Database
from handfast.engine.errors import LeaseLost
from handfast.services.webhooks import endpoints
from handfast.services.webhooks.sending.attempt_recorder import AttemptRecorder, DeliveryAttempt
from handfast.services.webhooks.sending.verdict import DeliveryOutcome, DeliveryVerdict
from tests.support.jobs import claim, running_attempt
from tests.support.webhooks_harness import WebhooksHarness


class CutAfterTheCommit:
    """A database whose first answer is lost on the way."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.cut = False

    async def run_in_transaction(self, work: Callable[..., Awaitable[Any]]) -> Any:
        answer = await self._database.run_in_transaction(work)
        if not self.cut:
            self.cut = True
            raise CommitUnknown("the line was cut")
        return answer


@pytest.mark.parametrize(
    ("outcome", "state"),
    [
        (DeliveryOutcome.DELIVERED, "succeeded"),
        (DeliveryOutcome.FAILED, "scheduled"),
        (DeliveryOutcome.GONE, "skipped"),
        (DeliveryOutcome.SKIPPED, "skipped"),
    ],
)
async def test_it_is_written_once_and_its_state_is_told_also_if_the_line_was_cut(
    desk: WebhooksHarness, outcome: DeliveryOutcome, state: str
) -> None:
    made = await desk.add("http://127.0.0.1:1/")
    event = await desk.emit()
    ((job, token),) = (await claim(desk.database, "webhooks")).items()
    database = CutAfterTheCommit(desk.database)
    recorder = AttemptRecorder(cast(Database, database), timedelta(days=5))
    verdict = DeliveryVerdict(outcome, error=None if state == "succeeded" else "no")
    attempt = running_attempt(desk.database, job, token)
    await recorder.end(
        attempt, DeliveryAttempt(job, event, made.endpoint.id, 1, "match.created", verdict, 0.1)
    )
    assert attempt.ending is not None
    assert attempt.ending.state == state
    assert database.cut
    assert list((await desk.jobs()).values()) == [state]
    written = 0 if outcome is DeliveryOutcome.SKIPPED else 1
    assert len(await desk.attempts(made.endpoint.id)) == written
    await recorder.close()


async def test_an_attempt_whose_job_is_anothers_writes_nothing(desk: WebhooksHarness) -> None:
    made = await desk.add("http://127.0.0.1:1/")
    event = await desk.emit()
    ((job, token),) = (await claim(desk.database, "webhooks")).items()
    recorder = AttemptRecorder(desk.database, timedelta(days=5))
    verdict = DeliveryVerdict(DeliveryOutcome.DELIVERED)
    late = running_attempt(desk.database, job, token - 1)
    with pytest.raises(LeaseLost):
        await recorder.end(
            late, DeliveryAttempt(job, event, made.endpoint.id, 1, "match.created", verdict, 0.1)
        )
    assert list((await desk.jobs()).values()) == ["running"]
    assert await desk.attempts(made.endpoint.id) == []
    await recorder.close()


GONE = DeliveryVerdict(DeliveryOutcome.GONE, 410, "it answered 410 Gone")
SKIPPED = DeliveryVerdict(DeliveryOutcome.SKIPPED, error="the endpoint is no more")
WAITING = "SELECT count(*) FROM handfast_engine.live WHERE state <> 'running'"


async def flood(desk: WebhooksHarness, endpoint: UUID, deliveries: int) -> None:
    """So many wait for it, of events that were."""
    await desk.fetch(
        "SELECT handfast_webhooks.enqueue("
        " $1, ARRAY(SELECT gen_random_uuid() FROM generate_series(1, $2::integer)), '', 10)",
        endpoint,
        deliveries,
    )


async def record(desk: WebhooksHarness, held: dict[int, int], **verdicts: DeliveryVerdict) -> None:
    """What came of these jobs, in one call, by the id of the endpoint."""
    recorder = AttemptRecorder(desk.database, timedelta(days=5))
    made = []
    for job, token in held.items():
        key = await desk.fetch("SELECT key FROM handfast_engine.jobs WHERE id = $1", job)
        event, endpoint = (UUID(part) for part in key.split(":"))
        attempt = DeliveryAttempt(
            job, event, endpoint, 1, "match.created", verdicts[str(endpoint)], 0.1
        )
        made.append(recorder.end(running_attempt(desk.database, job, token), attempt))
    await asyncio.gather(*made)
    await recorder.close()


async def claim_of(desk: WebhooksHarness, *wanted: UUID) -> dict[int, int]:
    """A job of each of these endpoints, claimed."""
    await desk.fetch("UPDATE handfast_engine.groups SET max_running = 1, shares = NULL")
    held = await claim(desk.database, "webhooks")
    assert len(held) == len(wanted)
    return held


@pytest.mark.parametrize("removed", [False, True])
async def test_what_a_stopped_endpoint_leaves_behind_goes_with_the_next_that_is_skipped(
    desk: WebhooksHarness, removed: bool
) -> None:
    """However many wait, no statement ends all of them: one that cannot end stops everybody."""
    endpoint = (await desk.add("http://127.0.0.1:1/")).endpoint.id
    await flood(desk, endpoint, 20_003)
    if removed:
        async with desk.database.transaction() as tx:
            assert await endpoints.remove(tx, endpoint) == 10_000
        assert await desk.fetch(WAITING) == 10_003
    else:
        held = await claim_of(desk, endpoint)
        await record(desk, held, **{str(endpoint): GONE})
        assert (await desk.get(endpoint)).state == "disabled"
        assert await desk.fetch(WAITING) == 10_002
    held = await claim_of(desk, endpoint)
    await record(desk, held, **{str(endpoint): SKIPPED})
    assert await desk.fetch(WAITING) == (2 if removed else 1)
    held = await claim_of(desk, endpoint)
    await record(desk, held, **{str(endpoint): SKIPPED})
    assert await desk.fetch(WAITING) == 0
    said = await desk.rows("SELECT DISTINCT error FROM handfast_engine.attempts ORDER BY error")
    why = (
        "the endpoint was removed" if removed else "the endpoint is disabled: it answered 410 Gone"
    )
    assert why in [row["error"] for row in said]


async def test_many_endpoints_that_stop_at_once_end_no_more_than_one_does(
    desk: WebhooksHarness,
) -> None:
    """Those that come after are stopped by their next attempt."""
    some = [(await desk.add(f"http://127.0.0.1:1/{n}")).endpoint.id for n in range(3)]
    for endpoint in some:
        await flood(desk, endpoint, 10_002)
    gone = {str(endpoint): GONE for endpoint in some}
    await record(desk, await claim_of(desk, *some), **gone)
    assert await desk.fetch(WAITING) == 20_003
    states = [(await desk.get(endpoint)).state for endpoint in some]
    assert sorted(states) == ["active", "active", "disabled"]
    await record(desk, await claim_of(desk, *some), **gone)
    assert await desk.fetch(WAITING) == 10_000
    await record(desk, await claim_of(desk, *some[:1]), **gone)
    assert await desk.fetch(WAITING) == 0
    assert {(await desk.get(endpoint)).state for endpoint in some} == {"disabled"}


async def test_what_is_skipped_ends_nothing_else_of_an_endpoint_that_is_active(
    desk: WebhooksHarness,
) -> None:
    endpoint = (await desk.add("http://127.0.0.1:1/")).endpoint.id
    await flood(desk, endpoint, 3)
    await record(desk, await claim_of(desk, endpoint), **{str(endpoint): SKIPPED})
    assert await desk.fetch(WAITING) == 2
    assert (await desk.get(endpoint)).failing_since is None
