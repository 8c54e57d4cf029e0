"""What is counted: a failure is an attempt, and no success."""

from handfast.base.telemetry import REGISTRY
from tests.support.desk import Desk
from tests.support.sink import Reply, Sink

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


async def test_only_successes_are_counted_as_such(desk: Desk, sink: Sink) -> None:
    before = counted()
    sink.reply = Reply(500)
    made = await desk.add(sink.url)
    await desk.emit()
    async with desk.delivering():
        await desk.attempted(made.endpoint.id, 1)
        sink.reply = Reply(204)
        await desk.fetch(
            "SELECT count(*) FROM engine.live AS l CROSS JOIN LATERAL engine.retry(l.id)"
        )
        await desk.drained()
    more = {what: number - before[what] for what, number in counted().items()}
    assert more == {"success": 1, "delivered": 1, "failed": 1}
