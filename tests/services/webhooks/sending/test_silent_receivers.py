"""Receivers that take a request and never answer, beside one that does."""

from handfast.services.webhooks.sending.deliverer import CONCURRENCY, TIMEOUT_SECONDS
from tests.support.eventually import eventually_async
from tests.support.scripted_receiver import Received, Reply, ScriptedReceiver
from tests.support.webhooks_harness import WebhooksHarness

SHARED = 32  # the places of all endpoints that fail, together


def silent(got: Received) -> bool:
    return "/silent" in got.path


async def test_twenty_that_fall_silent_at_once_delay_nobody(
    desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    sink.reply = lambda got: "hang" if silent(got) else Reply()
    for n in range(20):
        await desk.add(f"{sink.url}/silent/{n}")
    healthy = await desk.add(f"{sink.url}/healthy")
    for _ in range(10):
        await desk.emit()
    async with desk.delivering(concurrency=CONCURRENCY, batch_max=CONCURRENCY):
        await desk.attempted(healthy.endpoint.id, 10, within=40)
        waited_out = (
            f"SELECT count(*) FROM handfast_webhooks.attempts WHERE seconds >= {TIMEOUT_SECONDS}"
        )
        assert await desk.fetch(waited_out) == 0, "it waited until a silent one was given up"


async def test_those_that_fail_share_a_few_places(
    desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    """Forty that may have two at once would take eighty places; here are sixty-four."""
    sink.reply = lambda got: Reply(500) if silent(got) else Reply()
    failing = [await desk.add(f"{sink.url}/silent/{n}") for n in range(40)]
    healthy = await desk.add(f"{sink.url}/healthy")
    await desk.emit()
    async with desk.delivering(concurrency=64, batch_max=64, patience=60.0):  # they stay silent
        for one in failing:
            await desk.attempted(one.endpoint.id, 1)
        sink.received.clear()
        sink.reply = lambda got: "hang" if silent(got) else Reply()
        for _ in range(20):
            await desk.emit()
        await desk.attempted(healthy.endpoint.id, 21)

        async def all_places_taken() -> bool:
            return len(list(filter(silent, sink.received))) >= SHARED

        await eventually_async(all_places_taken)
        await desk.emit()
        await desk.attempted(healthy.endpoint.id, 22)
        assert len(list(filter(silent, sink.received))) == SHARED


async def test_a_failing_endpoint_that_answers_has_all_its_places_again(
    desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    sink.reply = Reply(500)
    made = (await desk.add(sink.url)).endpoint.id
    group = "SELECT shares FROM handfast_engine.groups WHERE name = 'webhooks:' || $1::text"
    await desk.emit()
    async with desk.delivering():
        await desk.attempted(made, 1)
        assert await desk.fetch(group, str(made)) == "webhooks failing"
        sink.reply = Reply()
        await desk.emit()
        await desk.attempted(made, 2)
        assert await desk.fetch(group, str(made)) is None
