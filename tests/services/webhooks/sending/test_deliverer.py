"""Delivering: what is sent, when it is tried again, and what each answer does."""

import asyncio
import json
import time
from datetime import UTC, datetime, timedelta

import pytest
import standardwebhooks

from handfast.engine.jobs.retry import Retry
from handfast.services.webhooks import endpoints
from handfast.services.webhooks.sending.deliverer import TIMEOUT_SECONDS
from handfast.services.webhooks.signing.secrets import SigningSecret
from handfast.services.webhooks.signing.signature import verify
from tests.support.clock import freeze
from tests.support.eventually import eventually_async
from tests.support.scripted_receiver import Answer, Received, Reply, ScriptedReceiver
from tests.support.webhooks_harness import WebhooksHarness

pytestmark = pytest.mark.on_lowest

NOON = datetime(2026, 3, 29, 12, tzinfo=UTC)
OFFSETS = [0, 5, 30, 120, 600, 1800, 3600, 21600, 43200, 86400]


async def test_an_event_is_delivered_signed_as_others_read_it(
    desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    made = await desk.add(sink.url)
    data = {"b": [1, 2.5, None], "a": 'ä€😀\n"\\', "nested": {"x": True}}
    event = await desk.emit("match.created", "match:7", data)
    async with desk.delivering():
        await desk.drained()
    (got,) = sink.received
    assert got.path == "/hook"
    assert got.headers["content-type"] == "application/json"
    assert got.headers["user-agent"] == "Handfast-Webhooks/1"
    assert got.headers["webhook-id"] == str(event)
    told = standardwebhooks.Webhook(made.secret).verify(got.body, got.headers)
    assert told == json.loads(got.body)
    assert (told["eventId"], told["eventType"]) == (str(event), "match.created")
    assert (told["aggregate"], told["sequence"], told["data"]) == ("match:7", 1, data)
    stored = await desk.fetch("SELECT at FROM handfast_engine.events")
    assert datetime.fromisoformat(told["timestamp"]) == stored
    (attempt,) = await desk.attempts(made.endpoint.id)
    assert (attempt.outcome, attempt.status, attempt.attempt) == ("delivered", 200, 1)
    assert (attempt.event_id, attempt.event_type, attempt.excerpt) == (event, "match.created", "ok")
    assert list((await desk.jobs()).values()) == ["succeeded"]


async def test_the_whole_schedule_of_24_hours(
    desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    """Ten attempts at exact times after the first, which comes late; the same bytes, fresh
    signatures; then a dead letter."""
    sink.reply = Reply(500, body=b"out of order")
    made = await desk.add(sink.url, "match.*")
    await freeze(desk.database, NOON - timedelta(hours=7))
    await desk.emit()
    await freeze(desk.database, NOON)  # seven hours of downtime later
    async with desk.delivering() as deliverer:
        await desk.attempted(made.endpoint.id, 1)
        without_jitter = await desk.fetch(
            "UPDATE handfast_engine.kinds SET policy = policy #- '{transient,jitter}'"
            " RETURNING policy -> 'transient' ->> 'retries'"
        )
        assert without_jitter == "9"
        # The first wait was drawn with jitter; put it where it would be without.
        await desk.fetch(
            "UPDATE handfast_engine.live SET due_at = first_start_at + interval '5 seconds'"
        )
        for number in range(2, 11):
            due = await desk.fetch("SELECT due_at FROM handfast_engine.live")
            await desk.at(due - timedelta(microseconds=1))
            assert await desk.fetch("SELECT state::text FROM handfast_engine.live") == "scheduled"
            await desk.at(due)
            deliverer.wake()
            await desk.attempted(made.endpoint.id, number)
        await desk.drained()
    attempts = await desk.attempts(made.endpoint.id)
    # A process that read the clock in the microsecond before it was set may say that one.
    assert [round((a.at - NOON).total_seconds(), 3) for a in attempts] == OFFSETS
    assert {(a.outcome, a.status, a.excerpt) for a in attempts} == {("failed", 500, "out of order")}
    assert len({got.body for got in sink.received}) == 1
    for got, offset in zip(sink.received, OFFSETS, strict=True):
        sent = (NOON + timedelta(seconds=offset)).timestamp()
        assert int(got.headers["webhook-timestamp"]) == int(sent)
        verify([SigningSecret.parse(made.secret)], got.headers, got.body, now=sent)
    assert len({got.headers["webhook-signature"] for got in sink.received}) == 10
    assert list((await desk.jobs()).values()) == ["dead"]
    assert (
        await desk.fetch("SELECT count(*) FROM handfast_engine.events WHERE type = 'job.dead'") == 1
    )


async def test_jitter_is_early_bounded_and_real(desk: WebhooksHarness) -> None:
    policy = json.dumps(Retry.webhook.as_data())
    for failures in range(1, 10):
        offset, before = OFFSETS[failures], OFFSETS[failures - 1]
        earliest = NOON + timedelta(seconds=offset - (offset - before) * 0.1)
        found = [
            row["at"]
            for row in await desk.rows(
                "SELECT handfast_engine.retry_at($1::jsonb, 'transient', $2, $3, $4, $4) AS at"
                " FROM generate_series(1, 50)",
                policy,
                failures,
                NOON - timedelta(hours=3),
                NOON,
            )
        ]
        assert all(earliest <= at <= NOON + timedelta(seconds=offset) for at in found)
        assert len(set(found)) > 10
    assert (
        await desk.fetch(
            "SELECT handfast_engine.retry_at($1::jsonb, 'transient', 10, $2, $2, $2)", policy, NOON
        )
        is None
    )


async def test_a_time_that_has_passed_is_not_made_up_for_in_haste(desk: WebhooksHarness) -> None:
    """Two attempts, then a night without workers: the next ones keep their distance."""
    policy = Retry.webhook.as_data()
    del policy["transient"]["jitter"]
    late = NOON + timedelta(hours=2)
    for failures, gap in ((2, 25), (3, 90), (4, 480)):
        at = await desk.fetch(
            "SELECT handfast_engine.retry_at($1::jsonb, 'transient', $2, $3, $3, $4)",
            json.dumps(policy),
            failures,
            NOON,
            late,
        )
        assert at == late + timedelta(seconds=gap)


@pytest.mark.parametrize(
    ("answer", "status", "said"),
    [
        (Reply(404), 404, "it answered 404"),
        (Reply(500), 500, "it answered 500"),
        (Reply(301, {"Location": "/elsewhere"}), 301, "a redirect, which is not followed"),
        (Reply(307, {"Location": "http://169.254.169.254/"}), 307, "a redirect"),
        ("hang", None, "took longer than 0.5 s"),
        ("reset", None, ""),
        ("endless", None, "took longer"),
    ],
)
async def test_failures_are_logged_and_tried_again(
    desk: WebhooksHarness, sink: ScriptedReceiver, answer: Answer, status: int | None, said: str
) -> None:
    sink.reply = answer
    made = await desk.add(sink.url)
    await desk.emit()
    patience = 0.5 if said.startswith("took longer") else TIMEOUT_SECONDS
    async with desk.delivering(patience=patience):
        await desk.attempted(made.endpoint.id, 1)
    (attempt,) = await desk.attempts(made.endpoint.id)
    assert (attempt.outcome, attempt.status) == ("failed", status)
    assert attempt.error is not None
    assert said in attempt.error
    assert list((await desk.jobs()).values()) == ["scheduled"]
    wait = await desk.fetch("SELECT due_at - first_start_at FROM handfast_engine.live")
    assert timedelta(seconds=4.4) <= wait <= timedelta(seconds=15)  # the attempt itself counts
    assert (await desk.get(made.endpoint.id)).failing_since is not None
    sink.reply = Reply(204)
    await desk.fetch(
        "SELECT count(*) FROM handfast_engine.live AS l CROSS JOIN LATERAL"
        " handfast_engine.retry(l.id)"
    )
    async with desk.delivering():  # with more patience: this one is to be delivered
        await desk.drained()
    assert (await desk.get(made.endpoint.id)).failing_since is None
    assert [a.outcome for a in await desk.attempts(made.endpoint.id)] == ["failed", "delivered"]
    assert all(got.path == "/hook" for got in sink.received)


async def test_nobody_listens(desk: WebhooksHarness, sink: ScriptedReceiver) -> None:
    made = await desk.add("http://127.0.0.1:1/hook")
    await desk.emit()
    async with desk.delivering():
        await desk.attempted(made.endpoint.id, 1)
    (attempt,) = await desk.attempts(made.endpoint.id)
    assert (attempt.outcome, attempt.status) == ("failed", None)


@pytest.mark.parametrize("status", [429, 503])
async def test_retry_after_is_honoured_within_the_day(
    desk: WebhooksHarness, sink: ScriptedReceiver, status: int
) -> None:
    sink.reply = Reply(status, {"Retry-After": "7200"})
    made = await desk.add(sink.url)
    await freeze(desk.database, NOON)
    await desk.emit()
    async with desk.delivering() as deliverer:
        await desk.attempted(made.endpoint.id, 1)
        due = await desk.fetch("SELECT due_at FROM handfast_engine.live")
        assert due == NOON + timedelta(hours=2)
        # Shorter than the schedule wants: the schedule stays.
        sink.reply = Reply(status, {"Retry-After": "1"})
        await desk.at(due)
        deliverer.wake()
        await desk.attempted(made.endpoint.id, 2)
        due = await desk.fetch("SELECT due_at FROM handfast_engine.live")
        assert timedelta(seconds=20) < due - NOON - timedelta(hours=2) <= timedelta(seconds=25)
        # Longer than what is left of the day: its very end, and no later.
        sink.reply = Reply(status, {"Retry-After": "999999"})
        await desk.at(due)
        deliverer.wake()
        await desk.attempted(made.endpoint.id, 3)
        assert await desk.fetch("SELECT due_at FROM handfast_engine.live") == NOON + timedelta(
            days=1
        )


async def test_retry_after_elsewhere_means_nothing(
    desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    sink.reply = Reply(500, {"Retry-After": "7200"})
    made = await desk.add(sink.url)
    await desk.emit()
    async with desk.delivering():
        await desk.attempted(made.endpoint.id, 1)
        wait = await desk.fetch("SELECT due_at - first_start_at FROM handfast_engine.live")
    assert wait < timedelta(seconds=10)


async def test_410_disables_the_endpoint_and_says_so(
    desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    async def ended(kind: str) -> bool:
        return bool(
            await desk.fetch("SELECT count(*) FROM handfast_engine.events WHERE type = $1", kind)
        )

    made = await desk.add(sink.url, "match.*")
    watcher = await desk.add(sink.url + "/watch", "webhook.*")
    sink.reply = lambda got: Reply(410) if got.path == "/hook" else Reply()
    await desk.emit()
    waiting = await desk.emit()
    await desk.fetch(
        "UPDATE handfast_engine.live SET state = 'scheduled', due_at = handfast_db.now() +"
        " interval '1 hour'"
        " WHERE key LIKE $1",
        f"{waiting}%",
    )
    async with desk.delivering():
        await desk.drained()
    endpoint = await desk.get(made.endpoint.id)
    assert (endpoint.state, endpoint.reason) == ("disabled", "it answered 410 Gone")
    assert [a.outcome for a in await desk.attempts(made.endpoint.id)] == ["gone"]
    states = [s for key, s in (await desk.jobs()).items() if str(made.endpoint.id) in key]
    assert states == ["skipped", "skipped"]
    assert not await ended("job.dead")
    (told,) = [json.loads(got.body) for got in sink.received if got.path == "/hook/watch"]
    assert told["eventType"] == "webhook.endpoint_disabled"
    assert told["data"]["endpointId"] == str(made.endpoint.id)
    assert (await desk.get(watcher.endpoint.id)).state == "active"
    await desk.emit()
    assert len(await desk.jobs()) == 3  # a disabled endpoint gets no more


async def test_410_of_an_address_that_was_left_disables_nothing(
    desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    moved = asyncio.Event()
    sink.reply = lambda got: Reply(410, gate=moved) if got.path == "/hook" else Reply()
    made = await desk.add(sink.url)
    await desk.emit()
    async with desk.delivering():
        await eventually_async(lambda: asyncio.sleep(0, sink.received))
        async with desk.database.transaction() as tx:
            await endpoints.change_endpoint(
                tx, made.endpoint.id, url=f"{sink.url}/new", allow_private=True
            )
        moved.set()
        await desk.attempted(made.endpoint.id, 1)
        await desk.fetch("SELECT count(handfast_engine.retry(l.id)) FROM handfast_engine.live AS l")
        await desk.drained()
    assert (await desk.get(made.endpoint.id)).state == "active"
    assert [(a.outcome, a.status, a.error) for a in await desk.attempts(made.endpoint.id)] == [
        ("failed", 410, "it answered 410 Gone, at the address that the endpoint had before"),
        ("delivered", 200, None),
    ]
    assert [got.path for got in sink.received] == ["/hook", "/hook/new"]


async def test_a_private_address_is_refused_for_good(
    desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    made = await desk.add(sink.url)
    await desk.emit()
    async with desk.delivering(allow_private=False):
        await desk.drained()
    (attempt,) = await desk.attempts(made.endpoint.id)
    assert (attempt.outcome, attempt.status) == ("refused", None)
    assert list((await desk.jobs()).values()) == ["dead"]
    assert sink.received == []


async def test_days_of_nothing_but_failure_disable_an_endpoint(
    desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    sink.reply = Reply(500)
    made = await desk.add(sink.url, "match.*")

    async def fail_at(instant: datetime, times: int) -> str:
        await desk.fetch(
            "SELECT count(handfast_engine.withdraw(id, 'cancelled', 'x')) FROM handfast_engine.live"
        )
        await freeze(desk.database, instant)
        await desk.emit()
        deliverer.wake()
        await desk.attempted(made.endpoint.id, times)
        return (await desk.get(made.endpoint.id)).state

    await freeze(desk.database, NOON)
    async with desk.delivering(disable_after=timedelta(days=5)) as deliverer:
        assert await fail_at(NOON, 1) == "active"
        sink.reply = Reply(200)
        assert await fail_at(NOON + timedelta(days=3), 2) == "active"  # a success in between
        sink.reply = Reply(500)
        assert await fail_at(NOON + timedelta(days=4), 3) == "active"
        assert await fail_at(NOON + timedelta(days=8, hours=23), 4) == "active"
        assert await fail_at(NOON + timedelta(days=9), 5) == "disabled"
    endpoint = await desk.get(made.endpoint.id)
    assert endpoint.reason == "nothing but failures since 2026-04-02 12:00 UTC"
    data = await desk.fetch(
        "SELECT data FROM handfast_engine.events WHERE type = 'webhook.endpoint_disabled'"
    )
    assert json.loads(data)["endpointId"] == str(made.endpoint.id)
    async with desk.database.transaction() as tx:
        resumed = await endpoints.resume(tx, made.endpoint.id)
    assert (resumed.state, resumed.reason, resumed.failing_since) == ("active", None, None)


async def test_both_secrets_sign_while_one_is_rotated_out(
    desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    made = await desk.add(sink.url)
    await freeze(desk.database, NOON)
    async with desk.database.transaction() as tx:
        fresh = await endpoints.rotate(tx, made.endpoint.id)
    assert fresh.secret != made.secret
    old, new = SigningSecret.parse(made.secret), SigningSecret.parse(fresh.secret)

    async def signed_at(instant: datetime, *by: SigningSecret) -> int:
        await freeze(desk.database, instant)
        sink.received.clear()
        await desk.emit()
        async with desk.delivering():
            await desk.drained()
        (got,) = sink.received
        for secret in by:
            verify([secret], got.headers, got.body, now=instant.timestamp())
        return len(got.headers["webhook-signature"].split())

    assert await signed_at(NOON + timedelta(hours=23), old, new) == 2
    assert await signed_at(NOON + timedelta(hours=24), new) == 1


async def test_of_many_rotations_the_newest_five_sign(
    desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    """Each signature makes the header longer, and receivers, ours too, refuse long ones."""
    made = await desk.add(sink.url)
    for _ in range(100):
        async with desk.database.transaction() as tx:
            fresh = await endpoints.rotate(tx, made.endpoint.id)
    await desk.emit()
    async with desk.delivering():
        await desk.drained()
    (got,) = sink.received
    assert len(got.headers["webhook-signature"].split()) == 5
    verify([SigningSecret.parse(fresh.secret)], got.headers, got.body, now=time.time())


async def test_a_slow_endpoint_does_not_hold_up_the_others(
    desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    """Forty deliveries wait for one that hangs; another endpoint's go through meanwhile."""
    slow, quick = await desk.add(sink.url + "/slow"), await desk.add(sink.url + "/quick")
    sink.reply = lambda got: "hang" if got.path.endswith("slow") else Reply()
    for _ in range(40):
        await desk.emit()
    async with desk.delivering(patience=5.0, concurrency=32, batch_max=32):
        await desk.attempted(quick.endpoint.id, 40)
        begun = len([got for got in sink.received if got.path.endswith("slow")])
        ended = len(await desk.attempts(slow.endpoint.id))
        assert ended < 40, "the others have come before them"
        assert begun - ended <= endpoints.BUSY_MAX

        async def fewer() -> bool:
            return bool(
                await desk.fetch(
                    "SELECT max_running = 2 FROM handfast_engine.groups WHERE name = $1",
                    f"webhooks:{slow.endpoint.id}",
                )
            )

        await eventually_async(fewer)  # once it is known to fail, it gets less room
        sink.reply = Reply()
        await desk.fetch(
            "SELECT count(*) FROM handfast_engine.live AS l CROSS JOIN LATERAL"
            " handfast_engine.retry(l.id)"
        )
        await desk.attempted(slow.endpoint.id, 40, within=60)
        assert not await fewer()


async def test_what_is_sent_depends_on_nothing_but_the_event(
    desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    def first_fails(got: Received) -> Answer:
        return Reply(500) if len(sink.received) == 1 else Reply()

    sink.reply = first_fails
    made = await desk.add(sink.url)
    await desk.emit()
    async with desk.delivering():
        await desk.attempted(made.endpoint.id, 1)
        async with desk.database.transaction() as tx:
            await endpoints.change_endpoint(
                tx, made.endpoint.id, url=sink.url + "/moved", description="x", allow_private=True
            )
        await desk.fetch(
            "SELECT count(*) FROM handfast_engine.live AS l CROSS JOIN LATERAL"
            " handfast_engine.retry(l.id)"
        )
        await desk.drained()
    first, second = sink.received
    assert (first.path, second.path) == ("/hook", "/hook/moved")
    assert first.body == second.body
