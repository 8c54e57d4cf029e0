"""Sending again: never swallowed by the delivery that was made before."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from handfast.base.errors import Conflict, InvalidRequest, NotFound
from handfast.services.webhooks import endpoints
from handfast.services.webhooks.sending import replays
from handfast.services.webhooks.sending.replays import replay_event, replay_range
from tests.support.clock import freeze
from tests.support.scripted_receiver import Reply, ScriptedReceiver
from tests.support.webhooks_harness import WebhooksHarness

NOON = datetime(2026, 3, 29, 12, tzinfo=UTC)
URL = "https://shop.example.com/hook"


async def test_one_event_as_often_as_asked(desk: WebhooksHarness, sink: ScriptedReceiver) -> None:
    made = await desk.add(sink.url, "match.created")
    event = await desk.emit()
    unwanted = await desk.emit("run.ready")
    async with desk.delivering():
        await desk.drained()
        for _ in range(2):
            async with desk.database.transaction() as tx:
                assert (await replay_event(tx, made.endpoint.id, event)).deliveries == 1
        async with desk.database.transaction() as tx:  # asked for by its id, so never filtered
            await replay_event(tx, made.endpoint.id, unwanted)
        await desk.drained()
    ids = [got.headers["webhook-id"] for got in sink.received]
    assert ids.count(str(event)) == 3
    assert ids.count(str(unwanted)) == 1
    assert len({got.body for got in sink.received}) == 2
    assert sorted(key.split(":", 2)[2] for key in await desk.jobs() if "replay" in key) == [
        "replay:1",
        "replay:2",
        "replay:3",
    ]


async def test_a_range(desk: WebhooksHarness) -> None:
    made = await desk.add(URL, "match.*")
    other = await desk.add(URL)
    for hour in range(5):
        await freeze(desk.database, NOON + timedelta(hours=hour))
        await desk.emit()
        await desk.emit("run.ready")
    before = len(await desk.jobs())
    async with desk.database.transaction() as tx:
        done = await replay_range(
            tx, made.endpoint.id, NOON + timedelta(hours=1), NOON + timedelta(hours=3)
        )
    assert done.deliveries == 2  # from one o'clock until before three, and only matches
    fresh = [key for key in await desk.jobs() if key.endswith(f":replay:{done.replay}")]
    assert len(await desk.jobs()) == before + 2 == before + len(fresh)
    assert not any(str(other.endpoint.id) in key for key in fresh)


async def test_only_what_is_missing(desk: WebhooksHarness, sink: ScriptedReceiver) -> None:
    """Delivered, about to be, dead, skipped by a pause, never made: the last three are missing."""
    made = await desk.add(sink.url)
    endpoint = made.endpoint.id
    since = datetime.now(UTC) - timedelta(minutes=1)
    delivered = await desk.emit()
    async with desk.delivering():
        await desk.drained()
    sink.reply = Reply(500)
    skipped = await desk.emit()
    async with desk.database.transaction() as tx:
        await endpoints.pause(tx, endpoint)
    never = await desk.emit()
    async with desk.database.transaction() as tx:
        await endpoints.resume(tx, endpoint)
    dead = await desk.emit()
    async with desk.delivering(allow_private=False):
        await desk.drained()  # refused, hence dead
    pending = await desk.emit()
    async with desk.database.transaction() as tx:
        done = await replay_range(
            tx, endpoint, since, since + timedelta(hours=1), only_missing=True
        )
    fresh = {key.split(":")[0] for key in await desk.jobs() if "replay" in key}
    job_dead = await desk.fetch("SELECT id FROM handfast_engine.events WHERE type = 'job.dead'")
    assert fresh == {str(event) for event in (skipped, never, dead, job_dead)}
    assert done.deliveries == 4
    assert str(delivered) not in fresh
    assert str(pending) not in fresh
    async with desk.database.transaction() as tx:  # they are under way now: nothing is missing
        again = await replay_range(
            tx, endpoint, since, since + timedelta(hours=1), only_missing=True
        )
    assert again.deliveries == 0


async def test_what_cannot_be_replayed(
    desk: WebhooksHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await desk.add(URL)
    event = await desk.emit()
    await desk.emit()
    endpoint, now = made.endpoint.id, datetime.now(UTC)
    hour = timedelta(hours=1)
    async with desk.database.transaction() as tx:
        for since, until in (
            (now, now),
            (now, now - hour),
            (now - timedelta(days=7, seconds=1), now),
            (datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)),
        ):
            with pytest.raises(InvalidRequest):
                await replay_range(tx, endpoint, since, until)
        with pytest.raises(NotFound):
            await replay_event(tx, endpoint, uuid4())
        with pytest.raises(NotFound):
            await replay_event(tx, uuid4(), event)
    monkeypatch.setattr(replays, "EVENTS_MAX", 1)
    with pytest.raises(InvalidRequest, match="more than 1 events"):
        async with desk.database.transaction() as tx:
            await replay_range(tx, endpoint, now - hour, now + hour)
    async with desk.database.transaction() as tx:
        await endpoints.pause(tx, endpoint)
    with pytest.raises(Conflict, match="paused"):
        async with desk.database.transaction() as tx:
            await replay_event(tx, endpoint, event)
    assert await desk.fetch("SELECT count(*) FROM handfast_webhooks.replays") == 0
    assert not any("replay" in key for key in await desk.jobs())
