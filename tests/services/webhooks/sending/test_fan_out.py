"""Deliveries are made of what is in the outbox: each once, and never in a circle."""

import asyncio
from uuid import UUID

import pytest

from handfast.engine.events import NewEvent, emit, emit_many
from handfast.services.webhooks import endpoints
from tests.support.interleave import Stage
from tests.support.jobs import claim, enqueue
from tests.support.scripted_receiver import Reply, ScriptedReceiver
from tests.support.webhooks_harness import WebhooksHarness

NOWHERE = "http://127.0.0.1:1/hook"


async def test_no_endpoint_no_deliveries(desk: WebhooksHarness) -> None:
    await desk.emit()
    assert await desk.jobs() == {}


@pytest.mark.parametrize(
    ("types", "wanted"),
    [
        ([], {"match.created", "match.closed", "run.ready"}),
        (["match.created"], {"match.created"}),
        (["match.*"], {"match.created", "match.closed"}),
        (["match.closed", "run.ready"], {"match.closed", "run.ready"}),
        (["chat.*"], set()),
    ],
)
async def test_the_filter_decides(
    desk: WebhooksHarness, types: list[str], wanted: set[str]
) -> None:
    made = await desk.add(NOWHERE, *types)
    events = {
        f"{await desk.emit(kind)}:{made.endpoint.id}": kind
        for kind in ("match.created", "match.closed", "run.ready")
    }
    assert {events[key] for key in await desk.jobs()} == wanted


async def test_deliveries_vanish_with_the_event(desk: WebhooksHarness) -> None:
    await desk.add(NOWHERE)
    with pytest.raises(ZeroDivisionError):
        async with desk.database.transaction() as tx:
            await emit(tx, "match.created", "match:1", {})
            assert await tx.fetchval("SELECT count(*) FROM handfast_engine.outbox") == 1
            raise ZeroDivisionError
    assert await desk.relay() == 0
    assert await desk.jobs() == {}
    assert await desk.fetch("SELECT count(*) FROM handfast_engine.events") == 0


async def test_many_events_in_one_statement(desk: WebhooksHarness) -> None:
    a, b = await desk.add(NOWHERE, "match.*"), await desk.add(NOWHERE, "run.*")
    types = ["match.created", "run.ready"]
    async with desk.database.transaction() as tx:
        await emit_many(tx, [NewEvent(types[n % 2], "x", {}) for n in range(1000)])
    assert await desk.relay() == 1000
    keys = list(await desk.jobs())
    for made in (a, b):
        assert len([key for key in keys if key.endswith(str(made.endpoint.id))]) == 500


async def test_each_once_under_concurrency(desk: WebhooksHarness, sink: ScriptedReceiver) -> None:
    """Emitters, several deliverers, and endpoints that come and go meanwhile."""
    steady = [(await desk.add(f"{sink.url}/{n}")).endpoint.id for n in range(3)]
    emitted: list[UUID] = []

    async def emits(number: int) -> None:
        emitted.extend([await desk.emit(aggregate=f"match:{number % 3}") for _ in range(20)])

    async def comes_and_goes() -> None:
        for _ in range(10):
            made = await desk.add(f"{sink.url}/passing")
            await asyncio.sleep(0.01)
            await desk.fetch(
                "DELETE FROM handfast_webhooks.endpoints WHERE id = $1", made.endpoint.id
            )

    async with desk.delivering(), desk.delivering(), desk.delivering():
        await asyncio.gather(*(emits(n) for n in range(8)), comes_and_goes())
        await desk.drained()
    for number, endpoint in enumerate(steady):
        arrived = [g.headers["webhook-id"] for g in sink.received if g.path == f"/hook/{number}"]
        assert sorted(arrived) == sorted(str(event) for event in emitted)
        log = await desk.attempts(endpoint)
        assert sorted(a.event_id for a in log) == sorted(emitted)
        assert {a.outcome for a in log} == {"delivered"}


async def _bury_all(desk: WebhooksHarness) -> None:
    """Every delivery that waits dies."""
    held = await claim(desk.database, "webhooks")
    for job, token in held.items():
        assert await desk.fetch(
            "SELECT handfast_engine.fail($1, $2, 'data', 'x')::text", job, token
        )
    await desk.relay()


async def test_dead_deliveries_do_not_go_round_in_circles(desk: WebhooksHarness) -> None:
    """Three dead endpoints that want everything: without a guard each death would make two or
    three more, for ever."""
    made = [(await desk.add(NOWHERE)).endpoint.id for _ in range(3)]
    first = await desk.emit("match.created")
    counts = []
    for _ in range(5):
        counts.append(await desk.fetch("SELECT count(*) FROM handfast_engine.live"))
        await _bury_all(desk)
    # The event to three; each of the three deaths to the two others; of those deaths nobody hears.
    assert counts == [3, 6, 0, 0, 0]
    told = await desk.rows(
        "SELECT j.key, split_part(e.data ->> 'key', ':', 2) AS failed FROM handfast_engine.jobs"
        " AS j"
        " JOIN handfast_engine.events AS e ON e.id = split_part(j.key, ':', 1)::uuid AND e.id"
        " <> $1",
        first,
    )
    assert len(told) == 6
    for row in told:
        assert not row["key"].endswith(row["failed"])  # nobody is told of its own failure
    assert {UUID(row["failed"]) for row in told} == set(made)


async def test_other_deaths_are_told_to_all(desk: WebhooksHarness) -> None:
    made = await desk.add(NOWHERE, "job.dead")
    job = await enqueue(desk.database, "web.one", "x:y")
    ((_, token),) = (await claim(desk.database)).items()
    await desk.fetch("SELECT handfast_engine.fail($1, $2, 'logic', 'x')::text", job, token)
    await desk.relay()
    (key,) = await desk.jobs()
    assert key.endswith(str(made.endpoint.id))
    # Whoever emits something odd by that name breaks nothing.
    for data in ({}, {"kind": "webhooks.deliver"}, {"kind": "webhooks.deliver", "key": "odd"}):
        await desk.emit("job.dead", "job:1", data)
    hyphens = f"{'-' * 36}:{'-' * 36}"
    await desk.emit("job.dead", "job:1", {"kind": "webhooks.deliver", "key": hyphens})
    assert len(await desk.jobs()) == 5


async def test_a_disabled_endpoint_is_told_to_the_others_once(
    desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    """All endpoints are gone: each is told of at most once to each of the others."""
    for number in range(4):
        await desk.add(f"{sink.url}/{number}")
    sink.reply = Reply(410)
    await desk.emit()
    async with desk.delivering():
        await desk.drained()
    assert (
        await desk.fetch(
            "SELECT count(*) FROM handfast_webhooks.endpoints WHERE state = 'disabled'"
        )
        == 4
    )
    assert await desk.fetch("SELECT count(*) FROM handfast_engine.events") == 5
    assert len(sink.received) <= 4 + 6


@pytest.mark.parametrize("many", [False, True])
async def test_a_kept_snapshot_hides_no_endpoint_that_is_older_than_the_event(
    desk: WebhooksHarness, dsn: str, many: bool
) -> None:
    """The emitting transaction began while the endpoint was paused; the event came after that."""
    endpoint = (await desk.add("https://example.com/hook")).endpoint.id
    async with desk.database.transaction() as tx:
        await endpoints.pause(tx, endpoint)
    one = "SELECT handfast_engine.emit('thing.happened', 'one', '{}')"
    bulk = "SELECT handfast_engine.emit_many('{thing.happened}', '{one}', ARRAY['{}'::jsonb])"
    async with Stage(dsn) as stage:
        (emitter,) = await stage.sessions("emitter")
        await emitter.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
        await emitter.run("SELECT count(*) FROM handfast_engine.live")
        async with desk.database.transaction() as tx:
            await endpoints.resume(tx, endpoint)
        await emitter.run(bulk if many else one)
        await emitter.commit()
    assert await desk.relay() == 1
    assert len(await desk.jobs()) == 1
