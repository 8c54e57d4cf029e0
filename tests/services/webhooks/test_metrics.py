"""What is counted: a failure is an attempt, and no success. The engine counts a delivery as it
counts any other job."""

from structlog.testing import capture_logs

from handfast.base.telemetry import REGISTRY
from handfast.services.webhooks.metrics import KIND
from tests.support.job_metrics import job_metrics
from tests.support.scripted_receiver import Reply, ScriptedReceiver
from tests.support.webhooks_harness import WebhooksHarness

SERIES = {
    "success": ("webhook_delivery_success_total", {}),
    "delivered": ("webhook_delivery_attempts_total", {"outcome": "delivered"}),
    "failed": ("webhook_delivery_attempts_total", {"outcome": "failed"}),
}


def counted() -> dict[str, float]:
    return {
        what: REGISTRY.get_sample_value(name, labels) or 0.0
        for what, (name, labels) in SERIES.items()
    }


async def test_only_successes_are_counted_as_such(
    desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    before, jobs_before = counted(), job_metrics(KIND)
    sink.reply = Reply(500)
    made = await desk.add(sink.url)
    await desk.emit()
    async with desk.delivering():
        await desk.attempted(made.endpoint.id, 1)
        sink.reply = Reply(204)
        await desk.fetch(
            "SELECT count(*) FROM handfast_engine.live AS l CROSS JOIN LATERAL"
            " handfast_engine.retry(l.id)"
        )
        await desk.drained()
    more = {what: number - before[what] for what, number in counted().items()}
    assert more == {"success": 1, "delivered": 1, "failed": 1}
    jobs = {what: number - jobs_before.get(what, 0) for what, number in job_metrics(KIND).items()}
    assert {what: number for what, number in jobs.items() if number} == {
        "succeeded": 1,
        "failed": 1,
        "timed": 1,
    }


async def test_an_endpoint_that_is_gone_is_an_attempt_and_its_job_is_skipped(
    desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    before = job_metrics(KIND)
    sink.reply = Reply(410)
    await desk.add(sink.url)
    await desk.emit()
    with capture_logs() as logs:
        async with desk.delivering():
            await desk.drained()
    now = job_metrics(KIND)
    assert now.pop("skipped") == before.pop("skipped", 0) + 1
    assert now == before
    [told] = [line for line in logs if line.get("kind") == KIND]
    assert (told["event"], told["error"]) == ("job_skipped", "it answered 410 Gone")
