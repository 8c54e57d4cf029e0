"""Endpoints: registered, changed, paused, resumed, rotated, removed."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest

from handfast.base.errors import Conflict, InvalidRequest, NotFound
from handfast.db.pool import Database
from handfast.services.webhooks import endpoints
from handfast.services.webhooks.endpoints import BUSY_MAX, add_endpoint
from handfast.services.webhooks.errors import InvalidEndpointUrl
from tests.services.outbound.test_url import PRIVATE
from tests.support.eventually import eventually_async
from tests.support.interleave import Stage
from tests.support.scripted_receiver import Reply, ScriptedReceiver
from tests.support.webhooks_harness import WebhooksHarness

URL = "https://shop.example.com/hook"


async def test_an_endpoint_has_a_secret_that_is_shown_once(
    desk: WebhooksHarness, database: Database
) -> None:
    async with database.transaction() as tx:
        made = await add_endpoint(tx, URL, types=["run.*", "match.created", "run.*"])
    assert made.secret.startswith("whsec_")
    assert made.endpoint.types == ["match.created", "run.*"]
    assert (made.endpoint.state, made.endpoint.reason) == ("active", None)
    assert made.secret not in repr(await desk.get(made.endpoint.id))
    async with database.connection() as connection:
        assert await endpoints.list_endpoints(connection) == [made.endpoint]


@pytest.mark.parametrize(
    ("url", "types"),
    [
        ("ftp://shop.example.com", []),
        ("shop.example.com", []),
        ("http://127.0.0.1/", []),
        ("http://10.0.0.1/", []),
        ("http://[::1]/", []),
        ("http://localhost/", []),
        ("http://user:pass@shop.example.com/", []),
        ("https://" + "a" * 3000, []),
        (URL, ["match"]),
        (URL, ["*"]),
        (URL, ["Match.created"]),
        (URL, ["match.created "]),
        (URL, [""]),
        (URL, ["a.b"] * 101),
    ],
)
async def test_what_cannot_be_registered(
    desk: WebhooksHarness, database: Database, url: str, types: list[str]
) -> None:
    with pytest.raises((InvalidEndpointUrl, InvalidRequest)):
        async with database.transaction() as tx:
            await add_endpoint(tx, url, types=types)
    assert await desk.fetch("SELECT count(*) FROM handfast_webhooks.endpoints") == 0


@pytest.mark.parametrize("url", PRIVATE)
def test_private_addresses_are_for_development(url: str) -> None:
    with pytest.raises(InvalidEndpointUrl, match="public addresses only"):
        endpoints.check_url(url)
    endpoints.check_url(url, allow_private=True)


def test_what_is_no_address_is_refused_with_a_hint() -> None:
    with pytest.raises(InvalidEndpointUrl, match="The scheme is 'ftp'") as refused:
        endpoints.check_url("ftp://a.example/", allow_private=True)
    assert "https" in (refused.value.hint or "")


async def test_what_does_not_exist(database: Database) -> None:
    for work in (endpoints.pause, endpoints.resume, endpoints.remove, endpoints.rotate):
        with pytest.raises(NotFound):
            async with database.transaction() as tx:
                await work(tx, uuid4())


async def test_pause_skips_what_waits_and_resume_begins_anew(
    desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    sink.reply = lambda got: Reply(500) if len(sink.received) == 1 else Reply()
    made = await desk.add(sink.url)
    other = await desk.add(sink.url + "/other")
    failed = await desk.emit()
    async with desk.delivering():

        async def scheduled() -> bool:
            return "scheduled" in (await desk.jobs()).values()

        await eventually_async(scheduled)
        struck = (
            made
            if str(made.endpoint.id)
            in str([k for k, s in (await desk.jobs()).items() if s == "scheduled"])
            else other
        )
        async with desk.database.transaction() as tx:
            paused = await endpoints.pause(tx, struck.endpoint.id, "maintenance")
        assert (paused.state, paused.reason) == ("paused", "maintenance")
        await desk.drained()
        assert (await desk.jobs())[f"{failed}:{struck.endpoint.id}"] == "skipped"
        said = await desk.fetch(
            "SELECT error FROM handfast_engine.attempts WHERE outcome = 'skipped'"
        )
        assert said == "the endpoint is paused: maintenance"
        await desk.emit()  # for the other one only
        await desk.drained()
        assert len(await desk.jobs()) == 3
        async with desk.database.transaction() as tx:
            resumed = await endpoints.resume(tx, struck.endpoint.id)
        assert (resumed.state, resumed.failing_since) == ("active", None)
        await desk.emit()
        await desk.drained()
    assert sorted((await desk.jobs()).values()) == ["skipped", *["succeeded"] * 4]


async def test_what_is_under_way_when_an_endpoint_is_paused(
    desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    """One attempt is being made, one job was claimed before: neither waits for a next try."""
    paused = asyncio.Event()
    sink.reply = Reply(500, gate=paused)
    made = await desk.add(sink.url)
    for _ in range(3):
        await desk.emit()
    async with desk.delivering(concurrency=1, batch_max=3):

        async def under_way() -> bool:
            return len(sink.received) == 1

        await eventually_async(under_way)
        async with desk.database.transaction() as tx:
            await endpoints.pause(tx, made.endpoint.id)
        paused.set()
        await desk.drained()
    assert len(sink.received) == 1
    assert list((await desk.jobs()).values()) == ["skipped"] * 3


async def test_a_disabled_endpoint_is_not_paused(desk: WebhooksHarness) -> None:
    made = await desk.add(URL)
    await desk.fetch("SELECT handfast_webhooks.stop($1, 'disabled', 'x')", made.endpoint.id)
    with pytest.raises(Conflict, match="disabled: x"):
        async with desk.database.transaction() as tx:
            await endpoints.pause(tx, made.endpoint.id)


async def test_two_rotations_at_once_leave_one_current_secret(desk: WebhooksHarness) -> None:
    made = await desk.add(URL)

    async def rotate() -> str:
        async with desk.database.transaction() as tx:
            return (await endpoints.rotate(tx, made.endpoint.id)).secret

    fresh = await asyncio.gather(*(rotate() for _ in range(5)))
    assert len(set(fresh)) == 5
    current = await desk.rows(
        "SELECT secret FROM handfast_webhooks.secrets WHERE expires_at IS NULL"
    )
    assert len(current) == 1
    assert current[0]["secret"] in fresh
    assert await desk.fetch("SELECT count(*) FROM handfast_webhooks.secrets") == 6


async def test_a_rotation_without_overlap_ends_the_old_secret_at_once(
    desk: WebhooksHarness,
) -> None:
    made = await desk.add(URL)
    for wrong in (timedelta(seconds=-1), timedelta(days=8)):
        with pytest.raises(InvalidRequest):
            async with desk.database.transaction() as tx:
                await endpoints.rotate(tx, made.endpoint.id, overlap=wrong)
    async with desk.database.transaction() as tx:
        fresh = await endpoints.rotate(tx, made.endpoint.id, overlap=timedelta(0))
    valid = await desk.fetch(
        "SELECT array_agg(secret) FROM handfast_webhooks.secrets"
        " WHERE expires_at IS NULL OR expires_at > handfast_db.now()"
    )
    assert valid == [fresh.secret]


async def test_removing_takes_everything_along(
    desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    made = await desk.add(sink.url)
    await desk.emit()
    async with desk.database.transaction() as tx:
        assert await endpoints.remove(tx, made.endpoint.id) == 1
    assert list((await desk.jobs()).values()) == ["skipped"]
    assert await desk.fetch("SELECT count(*) FROM handfast_webhooks.secrets") == 0
    group = "SELECT count(*) FROM handfast_engine.groups"
    assert await desk.fetch(group) == 1
    await desk.fetch("SELECT handfast_webhooks.prune(handfast_db.now(), 10)")
    assert await desk.fetch(group) == 0


async def test_an_endpoint_has_its_own_group(desk: WebhooksHarness) -> None:
    made = await desk.add(URL)
    await desk.emit()
    assert (
        await desk.fetch("SELECT group_name FROM handfast_engine.live")
        == f"webhooks:{made.endpoint.id}"
    )
    assert await desk.fetch("SELECT max_running FROM handfast_engine.groups") == BUSY_MAX


async def test_the_log_is_pruned(desk: WebhooksHarness, sink: ScriptedReceiver) -> None:
    made = await desk.add(sink.url)
    async with desk.delivering():
        for _ in range(5):
            await desk.emit()
        await desk.drained()
    await desk.fetch(
        "UPDATE handfast_webhooks.attempts SET at = at - interval '15 days' WHERE id <= 3"
    )
    assert (
        await desk.fetch(
            "SELECT handfast_webhooks.prune(handfast_db.now() - interval '14 days', 2)"
        )
        == 2
    )
    assert (
        await desk.fetch(
            "SELECT handfast_webhooks.prune(handfast_db.now() - interval '14 days', 2)"
        )
        == 1
    )
    assert len(await desk.attempts(made.endpoint.id)) == 2


async def test_when_the_last_two_are_stopped_at_once_nothing_is_kept_for_them(
    desk: WebhooksHarness, dsn: str
) -> None:
    """Each sees the other as active: then events went to the outbox for nobody."""
    first, second = [(await desk.add(f"https://example.com/{n}")).endpoint.id for n in range(2)]
    emit = "SELECT handfast_engine.emit('thing.happened', 'one', '{}')"
    stop = "SELECT handfast_webhooks.stop($1, 'paused', 'enough')"
    async with Stage(dsn) as stage:
        one, other = await stage.sessions("one", "other")
        await one.begin()
        await one.run(stop, first)
        waiting = other.start(stop, second)
        await stage.blocked("other", by="one")
        await one.commit()
        await waiting
    await desk.fetch(emit)
    assert await desk.fetch("SELECT count(*) FROM handfast_engine.outbox") == 0
    async with desk.database.transaction() as tx:
        await endpoints.resume(tx, second)
    await desk.fetch(emit)
    assert await desk.fetch("SELECT count(*) FROM handfast_engine.outbox") == 1


async def test_a_new_address_does_not_answer_for_the_failures_of_the_old_one(
    desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    sink.reply = Reply(500)
    made = await desk.add(sink.url)
    endpoint = made.endpoint.id
    await desk.emit()
    async with desk.delivering():
        await desk.attempted(endpoint, 1)
    assert (await desk.get(endpoint)).failing_since is not None
    places = "SELECT max_running, shares FROM handfast_engine.groups WHERE name = $1"

    async def change(**to: str) -> tuple[bool, list[tuple[int, str | None]]]:
        async with desk.database.transaction() as tx:
            changed = await endpoints.change_endpoint(tx, endpoint, allow_private=True, **to)
        return changed.failing_since is not None, [
            tuple(row) for row in await desk.rows(places, f"webhooks:{endpoint}")
        ]

    restrained = (True, [(2, "webhooks failing")])
    assert await change(description="the shop") == restrained
    assert await change(url=sink.url) == restrained  # it is where it was
    assert await change(url=sink.url + "/new") == (False, [(BUSY_MAX, None)])
