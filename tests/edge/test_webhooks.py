"""Webhook endpoints over HTTP and on the command line."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from typing import Any, cast
from uuid import uuid4

import httpx2
import pytest

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api, surrounded
from handfast.wiring import load_settings
from tests.edge.test_engine_cli import answer, handfast
from tests.support.eventually import eventually_async
from tests.support.scripted_receiver import Reply, ScriptedReceiver, open_receiver
from tests.support.systems import whole_system
from tests.support.webhooks_harness import WebhooksHarness

TOKEN = "hf_admin_for_the_tests_only"
URL = "https://shop.example.com/hook"


@pytest.fixture
def desk(database: Database) -> WebhooksHarness:
    return WebhooksHarness(database)


@pytest.fixture
async def sink() -> AsyncIterator[ScriptedReceiver]:
    async with open_receiver() as sink:
        yield sink


@pytest.fixture
async def client(database: Database, dsn: str) -> AsyncIterator[httpx2.AsyncClient]:
    api = create_api(whole_system(load_settings(), database, Target(dsn)), TOKEN)
    transport = httpx2.ASGITransport(cast("Any", surrounded(api)), raise_app_exceptions=False)
    async with httpx2.AsyncClient(
        transport=transport,
        base_url="http://handfast",
        headers={"Authorization": f"Bearer {TOKEN}"},
    ) as client:
        yield client


async def test_an_endpoints_life(client: httpx2.AsyncClient, desk: WebhooksHarness) -> None:
    given = {"url": URL, "types": ["match.*"], "description": "the shop"}
    made = await client.post("/webhooks/endpoints", json=given)
    assert made.status_code == 201, made.text
    endpoint, secret = made.json()["endpoint"], made.json()["secret"]
    assert secret.startswith("whsec_")
    assert {name: endpoint[name] for name in given} == given
    here = f"/webhooks/endpoints/{endpoint['id']}"
    listed = await client.get("/webhooks/endpoints")
    assert listed.json() == {"endpoints": [endpoint]}
    assert secret not in listed.text

    changed = await client.patch(here, json={"types": ["run.ready"], "state": "paused"})
    assert changed.status_code == 200, changed.text
    assert (changed.json()["types"], changed.json()["state"]) == (["run.ready"], "paused")
    assert changed.json()["url"] == URL
    event = await desk.emit("run.ready")
    refused = await client.post(f"{here}/replay", json={"eventId": str(event)})
    assert (refused.status_code, refused.json()["code"]) == (409, "CONFLICT")
    resumed = await client.patch(here, json={"state": "active"})
    assert (resumed.json()["state"], resumed.json()["reason"]) == ("active", None)

    rotated = await client.post(f"{here}/rotate", params={"overlapSeconds": 3600})
    assert rotated.status_code == 200
    assert rotated.json()["secret"] not in (secret, "")
    replayed = await client.post(f"{here}/replay", json={"eventId": str(event)})
    assert (replayed.status_code, replayed.json()["deliveries"]) == (202, 1)
    span = {"since": "2020-01-01T00:00:00Z", "until": "2020-01-02T00:00:00Z"}
    replayed = await client.post(f"{here}/replay", json=span)
    assert (replayed.status_code, replayed.json()["deliveries"]) == (202, 0)

    gone = await client.delete(here)
    assert (gone.status_code, gone.content) == (204, b"")
    assert list((await desk.jobs()).values()) == ["skipped"]
    for call in (
        client.delete(here),
        client.patch(here, json={}),
        client.post(f"{here}/rotate"),
        client.post(f"{here}/replay", json={"eventId": str(event)}),
        client.get(f"{here}/attempts"),
    ):
        assert (await call).status_code == 404


async def test_the_log_in_pages(
    client: httpx2.AsyncClient, desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    sink.reply = Reply(200, body=b"thanks")
    made = await desk.add(sink.url)
    for _ in range(5):
        await desk.emit()
    async with desk.delivering():
        await desk.drained()
    here = f"/webhooks/endpoints/{made.endpoint.id}/attempts"
    seen: list[Any] = []
    after: dict[str, Any] = {}
    while True:
        page = (await client.get(here, params={"limit": 2, **after})).json()
        seen += page["attempts"]
        if page["next"] is None:
            break
        after = {"after": page["next"]}
    assert len({one["eventId"] for one in seen}) == len(seen) == 5
    assert [one["id"] for one in seen] == sorted((one["id"] for one in seen), reverse=True)
    assert (seen[0]["outcome"], seen[0]["status"], seen[0]["excerpt"]) == (
        "delivered",
        200,
        "thanks",
    )


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "INVALID_REQUEST"),
        ({"url": "ftp://shop.example.com"}, 400, "INVALID_REQUEST"),
        ({"url": URL, "types": ["match"]}, 422, "INVALID_REQUEST"),
        ({"url": URL, "secret": "mine"}, 400, "INVALID_REQUEST"),
        ({"url": "http://127.0.0.1/"}, 422, "INVALID_ENDPOINT_URL"),
        ({"url": "http://169.254.169.254/latest"}, 422, "INVALID_ENDPOINT_URL"),
        ({"url": "http://user:pw@shop.example.com/"}, 422, "INVALID_ENDPOINT_URL"),
    ],
)
async def test_endpoints_that_are_refused(
    client: httpx2.AsyncClient, body: dict[str, Any], status: int, code: str
) -> None:
    answered = await client.post("/webhooks/endpoints", json=body)
    assert (answered.status_code, answered.json()["code"]) == (status, code), answered.text
    assert answered.headers["content-type"] == "application/problem+json"
    assert (await client.get("/webhooks/endpoints")).json() == {"endpoints": []}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"since": "2026-01-01T00:00:00Z"},
        {"eventId": str(uuid4()), "since": "2026-01-01T00:00:00Z", "until": "2026-01-02T00:00:00Z"},
        {"eventId": str(uuid4()), "onlyMissing": True},
        {"since": "2026-01-01T00:00:00Z", "until": "2026-01-09T00:00:00Z"},
        {"since": "0001-01-01T00:00:00+23:59", "until": "9999-12-31T23:59:59-23:59"},
    ],
)
async def test_replays_that_are_refused(
    client: httpx2.AsyncClient, desk: WebhooksHarness, body: dict[str, Any]
) -> None:
    made = await desk.add(URL)
    answered = await client.post(f"/webhooks/endpoints/{made.endpoint.id}/replay", json=body)
    assert (answered.status_code, answered.json()["code"]) == (422, "INVALID_REQUEST")
    audited = (await client.get("/admin/audit", params={"action": "webhook.replay"})).json()
    assert audited["entries"] == []


async def test_operators_only(client: httpx2.AsyncClient) -> None:
    for token, status in (("", 401), ("Bearer wrong-token-wrong-token", 403)):
        answered = await client.get("/webhooks/endpoints", headers={"Authorization": token})
        assert answered.status_code == status


async def test_the_command_line(dsn: str, desk: WebhooksHarness, sink: ScriptedReceiver) -> None:
    empty = await handfast(dsn, "webhooks", "list")
    assert "No endpoints yet" in empty.stdout
    refused = await handfast(dsn, "webhooks", "add", sink.url)
    assert refused.returncode != 0
    assert "HANDFAST_WEBHOOKS_ALLOW_PRIVATE" in refused.stderr
    made = await answer(dsn, "webhooks", "add", URL, "match.*", "run.ready")
    endpoint = made["endpoint"]["id"]
    assert made["endpoint"]["types"] == ["match.*", "run.ready"]
    shown = await handfast(dsn, "webhooks", "list")
    assert endpoint in shown.stdout
    assert made["secret"] not in shown.stdout
    rotated = await handfast(dsn, "webhooks", "rotate", endpoint, "--overlap-hours", "1")
    assert "whsec_" in rotated.stdout
    assert made["secret"] not in rotated.stdout
    paused = await answer(dsn, "webhooks", "pause", endpoint, "--reason", "moving house")
    assert (paused["state"], paused["reason"]) == ("paused", "moving house")
    assert (await answer(dsn, "webhooks", "resume", endpoint))["state"] == "active"
    event = await desk.emit()
    assert (await answer(dsn, "webhooks", "replay", endpoint, str(event)))["deliveries"] == 1
    done = await handfast(
        dsn, "webhooks", "replay", endpoint, "--since", "2020-01-01", "--until", "2020-01-03"
    )
    assert "0 deliveries" in done.stdout
    which = await handfast(dsn, "webhooks", "replay", endpoint)
    assert "--since" in which.stderr
    assert (await answer(dsn, "webhooks", "remove", endpoint))["skipped"] == 2
    unknown = await handfast(dsn, "webhooks", "pause", endpoint)
    assert "There is no endpoint" in unknown.stderr


async def test_tail_shows_what_was(dsn: str, desk: WebhooksHarness, sink: ScriptedReceiver) -> None:
    sink.reply = Reply(500, body=b"no")
    made = await desk.add(sink.url)
    event = await desk.emit()
    async with desk.delivering():
        await desk.attempted(made.endpoint.id, 1)
    said = await handfast(dsn, "webhooks", "tail", str(made.endpoint.id), "--no-follow")
    assert str(event) in said.stdout
    assert "it answered 500" in said.stdout
    told = await handfast(dsn, "webhooks", "tail", str(made.endpoint.id), "--no-follow", "--json")
    assert json.loads(told.stdout)["status"] == 500


async def test_a_worker_without_a_program_delivers(
    dsn: str, desk: WebhooksHarness, sink: ScriptedReceiver
) -> None:
    made = await desk.add(sink.url)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "handfast", "worker", "--lanes", "webhooks"),
        env={**os.environ, "DATABASE_URL": dsn, "HANDFAST_WEBHOOKS_ALLOW_PRIVATE": "true"},
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        assert b"works on webhooks" in await asyncio.wait_for(process.stdout.readline(), 30)
        await desk.emit()

        async def arrived() -> bool:
            return len(await desk.attempts(made.endpoint.id)) == 1

        await eventually_async(arrived)
    finally:
        process.terminate()
        assert await asyncio.wait_for(process.wait(), 30) == 0
