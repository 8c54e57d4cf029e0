"""The OpenAPI document says of idempotency keys what the middleware does."""

import re
from collections.abc import AsyncIterator
from typing import Any, cast
from uuid import uuid1, uuid4

import httpx2
import pytest
from litestar import Litestar

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api, surrounded
from handfast.edge.http.route_table import RouteTable
from handfast.services.idempotency.asgi.rules import Need
from handfast.wiring import load_settings
from tests.support.pages import ROOT
from tests.support.signed_in import sign_in
from tests.support.systems import whole_system

TOKEN = "hf_admin_for_the_tests_only"
# Section 3.2 of the contract: every POST of its table but refresh and logout.
REQUIRED = {
    "POST /auth/otp/send",
    "POST /auth/otp/verify",
    "POST /users/me/photos",
    "POST /compatibility/responses",
    "POST /verification/session",
    "POST /matches/offers/{offer_id}/action",
    "POST /matches/{match_id}/unmatch",
    "POST /matches/{match_id}/messages",
    "POST /matches/{match_id}/read",
    "POST /safety/report",
    "POST /safety/appeal",
    "POST /safety/block",
    "POST /admin/players/{player_id}/deposits",
    "POST /admin/players/{player_id}/refunds",
    "POST /admin/players/{player_id}/withdrawals",
    "POST /admin/disputes/{dispute_id}/resolve",
    "POST /sessions/{session_id}/dispute",
    "POST /sessions/{session_id}/result",
    "POST /stakes",
    "PATCH /stakes/{ticket_id}",
    "DELETE /stakes/{ticket_id}",
}
OPTIONAL = {
    "POST /sessions/{session_id}/moves",
    "DELETE /admin/users/{user_id}/sessions/{sign_in_id}",
    "PATCH /admin/people/{user_id}",
    "PATCH /users/me",
    "PATCH /webhooks/endpoints/{endpoint_id}",
    "POST /admin/bulk",
    "POST /admin/bulk/{bulk_id}/undo",
    "POST /admin/dead/discard",
    "POST /admin/dead/requeue",
    "POST /admin/gaps/repair",
    "POST /admin/jobs/{job_id}/cancel",
    "POST /admin/jobs/{job_id}/retry",
    "POST /admin/jobs/{job_id}/revive",
    "POST /admin/pauses",
    "POST /admin/pauses/resume",
    "POST /admin/people/{user_id}/verification",
    "POST /admin/users/{user_id}/reinstate",
    "POST /admin/users/{user_id}/suspend",
    "POST /api/match/run",
    "POST /fixtures",
    "POST /users/me/export",
    "POST /verification/session/{session_id}/complete",
    "POST /webhooks/endpoints",
    "POST /webhooks/endpoints/{endpoint_id}/replay",
    "POST /webhooks/endpoints/{endpoint_id}/rotate",
    "PUT /users/me/preferences",
    "POST /admin/reports/{report_id}/decide",
    "POST /admin/reports/{report_id}/notes",
    "POST /admin/appeals/{appeal_id}/decide",
}
GAME_TOKEN = "hf_game_for_the_tests_only"
NUMBERED = ("/stakes", "/sessions", "/admin/disputes")  # their ids are numbers
METHODS = {"post", "put", "patch", "delete", "get"}


@pytest.fixture
async def api(database: Database, dsn: str) -> Litestar:
    settings = load_settings(game_token=GAME_TOKEN)
    return create_api(whole_system(settings, database, Target(dsn)), TOKEN)


@pytest.fixture
async def client(api: Litestar) -> AsyncIterator[httpx2.AsyncClient]:
    transport = httpx2.ASGITransport(cast("Any", surrounded(api)), raise_app_exceptions=False)
    async with httpx2.AsyncClient(
        transport=transport,
        base_url="http://handfast",
        headers={"Authorization": f"Bearer {TOKEN}"},
    ) as client:
        yield client


async def operations(client: httpx2.AsyncClient) -> dict[str, dict[str, Any]]:
    document = (await client.get("/openapi.json")).json()
    return {
        f"{method.upper()} {path}": operation
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method in METHODS
    }


def key_of(operation: dict[str, Any]) -> dict[str, Any] | None:
    found = [p for p in operation.get("parameters", []) if p["name"] == "Idempotency-Key"]
    assert len(found) <= 1
    return found[0] if found else None


async def test_every_route_that_takes_a_key_says_so(client: httpx2.AsyncClient) -> None:
    described = {name: key_of(operation) for name, operation in (await operations(client)).items()}
    taking = {name for name, key in described.items() if key}
    assert taking == REQUIRED | OPTIONAL
    for name in taking:
        key = described[name]
        assert key is not None
        assert (key["in"], key["schema"]["type"]) == ("header", "string")
        assert key["required"] == (name in REQUIRED), name


async def test_the_rules_are_those_that_are_described(
    api: Litestar, client: httpx2.AsyncClient
) -> None:
    table: RouteTable = api.state.routes
    rules = {
        re.sub(r":[a-z]+}", "}", rule.route): rule.need
        for rule in table.key_rules()
        if rule.need is not Need.IGNORED  # only what is refused anyway: /stakes/current as a ticket
    }
    described = {name: key_of(one) for name, one in (await operations(client)).items()}
    assert rules == {
        name: Need.REQUIRED if key["required"] else Need.OPTIONAL
        for name, key in described.items()
        if key is not None
    }


def test_the_page_names_all_that_require_a_key() -> None:
    text = (ROOT / "docs" / "reference" / "http.md").read_text()
    table = text.partition("## Idempotency keys")[2].partition("\n\nOf the others")[0]
    named = re.findall(r"`([A-Z]+ /[^`]*)`", table)
    assert sorted(named) == sorted(re.sub(r"{\w+}", "{id}", name) for name in REQUIRED)


async def test_what_is_said_is_what_happens(api: Litestar, client: httpx2.AsyncClient) -> None:
    """Asked of every route that says so: a malformed key is refused, and both are described."""
    anna = await sign_in(api)
    for name, operation in (await operations(client)).items():
        key = key_of(operation)
        if key is None:
            continue
        assert {"400", "409"} <= set(operation["responses"]), name
        good = [r for status, r in operation["responses"].items() if status.startswith("2")]
        assert good, name
        assert all("Idempotent-Replayed" in r["headers"] for r in good), name
        pattern = re.compile(key["schema"]["pattern"])
        assert pattern.search(str(uuid4()))
        assert pattern.search(str(uuid4()).upper())
        assert not pattern.search(str(uuid1()))
        method, path = name.split(" ")
        some_id = "1" if path.startswith(NUMBERED) else str(uuid4())
        there = re.sub(
            r"\{\w+_id\}", some_id, path.replace("{job_id}", "1").replace("{bulk_id}", "1")
        )
        callers = operation.get("security", [])
        user = anna.headers if {"user": []} in callers else {}
        if {"game_server": []} in callers:
            user = {"Authorization": f"Bearer {GAME_TOKEN}"}
        body: dict[str, str] | None = (
            {} if name in ("POST /auth/otp/send", "POST /auth/otp/verify") else None
        )
        bad = await client.request(
            method, there, json=body, headers={"Idempotency-Key": str(uuid1()), **user}
        )
        assert (bad.status_code, bad.json()["code"]) == (400, "IDEMPOTENCY_KEY_MALFORMED"), name


async def test_the_document_is_the_same_each_time(client: httpx2.AsyncClient) -> None:
    assert (await client.get("/openapi.json")).content == (
        await client.get("/openapi.json")
    ).content
