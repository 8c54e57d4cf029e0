"""What became of an attempt, written down; also when nobody hears that it was."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, cast

import pytest

from handfast.db.errors import CommitUnknown
from handfast.db.pool import Database
from handfast.engine.errors import LeaseLost
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
