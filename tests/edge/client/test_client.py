"""The client against the real API: every method, and what it does when the API says no."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from uuid import uuid4

import httpx2
import pytest

from handfast import Context, Handfast, JobState
from handfast.base.telemetry import REGISTRY
from handfast.client import Client, HttpRetryPolicy, RetryTransport
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.client.errors import CallRefused, CallUnanswered
from handfast.edge.http.app import create_api, surrounded
from handfast.engine.operating.dead_letters import DeadFilter
from handfast.wiring import load_settings
from tests.support.jobs import die, enqueue
from tests.support.scripted_server import OK, Answer, Fault, ScriptedServer, Step, problem
from tests.support.systems import whole_system
from tests.support.webhooks_harness import WebhooksHarness

pytestmark = pytest.mark.on_lowest

TOKEN = "hf_admin_for_the_tests_only"


async def no_wait(_: float) -> None: ...


QUICK = HttpRetryPolicy(make_keys=True, budget=None, sleep=no_wait, total_seconds=None)


@pytest.fixture
def api(database: Database, dsn: str) -> httpx2.ASGITransport:
    program = Handfast()

    @program.job("report.daily")
    async def report(ctx: Context) -> None: ...

    program.expect(
        "reports",
        kind="report.daily",
        sql="SELECT 'today' AS key, '{}'::jsonb AS payload, $1::timestamptz AS due_at,"
        " false AS result_exists WHERE $2::timestamptz > $1",
        window=timedelta(hours=1),
    )
    system = whole_system(load_settings(), database, Target(dsn))
    api = create_api(system, TOKEN, program=program)
    return httpx2.ASGITransport(cast("Any", surrounded(api)))


@pytest.fixture
async def client(api: httpx2.ASGITransport) -> AsyncIterator[Client]:
    async with Client("http://handfast", token=TOKEN, transport=api, policy=QUICK) as client:
        yield client


async def test_operating(client: Client) -> None:
    assert (await client.health()).status == "ok"
    assert (await client.ready()).checks["database"] == "ok"
    stats = await client.stats()
    assert stats.stats.workers == 0
    assert await client.schedules() == []


async def test_jobs(client: Client, database: Database) -> None:
    for key in ("a", "b", "c"):
        await enqueue(database, "mail.welcome", key)
    page = await client.jobs(kind="mail.welcome", limit=2)
    assert [job.key for job in page.jobs] == ["a", "b"]
    rest = await client.jobs(kind="mail.welcome", after=page.next)
    assert [job.key for job in rest.jobs] == ["c"]
    whole = await client.job(page.jobs[0].id)
    assert (whole.kind, whole.key) == ("mail.welcome", "a")
    gone = await client.cancel_job(whole.id, reason="a test")
    assert gone.state is JobState.CANCELLED
    assert [j.key for j in (await client.jobs(state=JobState.CANCELLED)).jobs] == ["a"]
    [entry] = (await client.audit(subject=f"job:{whole.id}")).entries
    assert (entry.actor, entry.action, entry.reason) == ("operator", "job.cancel", "a test")


async def test_dead_letters(client: Client, database: Database) -> None:
    for key in ("a", "b", "c"):
        await enqueue(database, "mail.welcome", key)
    await die(database)
    dead = (await client.dead()).letters
    assert len(dead) == 3
    assert (await client.dead(DeadFilter(kind="other.kind"))).letters == []
    assert (await client.retry_job(dead[0].id)).state is JobState.READY
    assert await client.requeue_dead([dead[1].id]) == 1
    assert await client.discard_dead("a test", where=DeadFilter(kind="mail.welcome")) == 1
    assert (await client.dead()).letters == []


async def test_gaps(client: Client) -> None:
    missing = {report.name: report.missing for report in await client.gaps()}
    assert missing.pop("reports") == 1
    assert set(missing.values()) == {0}, "of the football pipeline, which is always there"
    [repaired] = await client.repair_gaps("reports")
    assert repaired.enqueued == 1
    assert (await client.gaps("reports", limit=5))[0].missing == 0


async def test_a_refusal_says_what_the_server_said(client: Client) -> None:
    with pytest.raises(CallRefused, match="no job") as caught:
        await client.job(12345)
    assert caught.value.extra["status"] == 404
    assert caught.value.extra["code"] == "NOT_FOUND"
    assert caught.value.extra["type"] == "urn:handfast:problem:not-found"
    with pytest.raises(CallRefused, match=r"401"):
        async with Client("http://x", transport=client.http._transport) as nobody:
            await nobody.stats()


async def test_every_post_has_a_key_that_stays() -> None:
    script: list[Step] = [Fault.RESET_AFTER, Answer(502), Answer(200, body=b'{"requeued": 7}')]
    async with ScriptedServer(script) as server, Client(server.url, policy=QUICK) as client:
        assert await client.requeue_dead([1]) == 7
        keys = [seen.headers["idempotency-key"] for seen in server.seen]
        assert (len(keys), len(set(keys))) == (3, 1)
        assert len({seen.body for seen in server.seen}) == 1
        await client.request("POST", "/anything", body={"a": 1}, key="mine")
        assert server.seen[-1].headers["idempotency-key"] == "mine"
        assert server.seen[-1].headers["content-type"] == "application/json"


async def test_the_token_is_sent() -> None:
    async with ScriptedServer([OK]) as server, Client(server.url, token="secret") as client:
        await client.request("GET", "/x", params={"a": None, "b": 1})
    assert server.seen[0].headers["authorization"] == "Bearer secret"
    assert server.seen[0].path == "/x?b=1"


@pytest.mark.parametrize(
    "answer",
    [Answer(404, body=b"<html>"), Answer(404, body=b"\xff"), problem(404, "x"), Answer(302)],
)
async def test_any_refusal_is_understood(answer: Answer) -> None:
    async with ScriptedServer([answer]) as server, Client(server.url, policy=QUICK) as client:
        with pytest.raises(CallRefused, match=str(answer.status)):
            await client.health()


@pytest.mark.parametrize("body", [b"<html>", b'{"status": 1}', b"\xff", b""])
async def test_an_answer_of_somebody_else(body: bytes) -> None:
    async with ScriptedServer([Answer(200, body=body)]) as server, Client(server.url) as client:
        with pytest.raises(CallRefused, match="something else than Health"):
            await client.health()


async def test_no_answer() -> None:
    async with Client("http://127.0.0.1:1", policy=QUICK) as client:
        with pytest.raises(CallUnanswered, match="no answer"):
            await client.health()


async def test_the_total_holds_for_the_body_too() -> None:
    """The headers come at once and the body never ends: one call, one limit."""
    policy = HttpRetryPolicy(total_seconds=0.3, budget=None)
    endless = Answer(200, {"Content-Length": "1000"}, b"{")
    async with (
        ScriptedServer([endless]) as server,
        Client(server.url, policy=policy, timeout=60) as client,
    ):
        loop = asyncio.get_running_loop()
        started = loop.time()
        with pytest.raises(CallUnanswered):
            await client.health()
        assert loop.time() - started < 30


async def test_webhooks(client: Client, database: Database) -> None:
    made = await client.webhooks.add("https://shop.example.com/hook", types=["run.*"])
    assert made.secret.startswith("whsec_")
    here = made.endpoint.id
    assert await client.webhooks.endpoints() == [made.endpoint]
    paused = await client.webhooks.change(here, state="paused", description="the shop")
    assert (paused.state, paused.description, paused.types) == ("paused", "the shop", ["run.*"])
    assert (await client.webhooks.change(here, state="active")).state == "active"
    rotated = await client.webhooks.rotate(here, overlap=timedelta(hours=1))
    assert rotated.secret != made.secret
    event = await WebhooksHarness(database).emit("run.ready")
    assert (await client.webhooks.replay(here, event)).deliveries == 1
    until = datetime.now(UTC) + timedelta(hours=1)
    again = await client.webhooks.replay_range(here, until - timedelta(days=1), until)
    assert again.deliveries == 1
    assert (await client.webhooks.attempts(here, limit=5)).attempts == []
    await client.webhooks.remove(here)
    assert await client.webhooks.endpoints() == []


async def test_an_endpoint_whose_answer_was_lost(client: Client) -> None:
    """The same key again is the same endpoint with the same secret."""
    key, url = str(uuid4()), "https://shop.example.com/hook"
    lost = await client.webhooks.add(url, key=key)
    again = await client.webhooks.add(url, key=key)
    assert (again.endpoint.id, again.secret) == (lost.endpoint.id, lost.secret)
    assert await client.webhooks.endpoints() == [lost.endpoint]


BREAKS_AT_COMMIT = """
CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON handfast_webhooks.endpoints
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION cut();
"""


async def test_an_unknown_commit_is_not_repeated_without_a_key(
    api: httpx2.ASGITransport, database: Database
) -> None:
    """Nobody knows whether the endpoint is there: a second POST might make a second."""
    async with database.connection() as connection:
        await connection.execute(BREAKS_AT_COMMIT)
    labels = {"method": "POST", "route": "/webhooks/endpoints", "status": "500"}
    before = REGISTRY.get_sample_value("handfast_http_requests_total", labels) or 0
    transport = RetryTransport(api, dataclasses.replace(QUICK, make_keys=False))
    async with httpx2.AsyncClient(transport=transport, base_url="http://handfast") as http:
        answer = await http.post(
            "/webhooks/endpoints",
            headers={"Authorization": f"Bearer {TOKEN}"},
            json={"url": "https://example.com/hook"},
        )
    assert (answer.status_code, answer.json()["code"]) == (500, "COMMIT_UNKNOWN")
    assert REGISTRY.get_sample_value("handfast_http_requests_total", labels) == before + 1
