"""The API in this process: what it serves, how it refuses, and that its description is true."""

import re
from collections.abc import AsyncIterator

import httpx2
import pytest
from litestar import Litestar, get
from litestar.routes import HTTPRoute

from handfast.base.settings import load_settings
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_app
from handfast.wiring import System

TOKEN = "hf_admin_for_the_tests_only"
PROBLEM = "application/problem+json"


@pytest.fixture
async def app(database: Database, dsn: str) -> Litestar:
    return create_app(System(load_settings(), database, Target(dsn)), TOKEN)


@pytest.fixture
async def client(app: Litestar) -> AsyncIterator[httpx2.AsyncClient]:
    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://handfast") as client:
        yield client


async def test_health_and_readiness(client: httpx2.AsyncClient) -> None:
    assert (await client.get("/health")).json()["status"] == "ok"
    assert (await client.get("/ready")).json() == {
        "status": "ready",
        "checks": {"database": "ok", "migrations": "ok"},
    }


async def test_not_ready_without_migrations(empty_dsn: str) -> None:
    async with await Database.open(Target(empty_dsn)) as empty:
        app = create_app(System(load_settings(), empty, Target(empty_dsn)), TOKEN)
        async with httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app), base_url="http://handfast"
        ) as client:
            answer = await client.get("/ready")
    assert answer.status_code == 503
    assert answer.headers["content-type"] == PROBLEM
    assert answer.json()["type"] == "urn:handfast:problem:not-ready"
    assert "handfast migrate" in answer.json()["detail"]


async def test_metrics(client: httpx2.AsyncClient) -> None:
    await client.get("/health")
    text = (await client.get("/metrics")).text
    assert 'handfast_http_requests_total{method="GET",route="/health",status="200"}' in text


async def test_docs_need_no_network(client: httpx2.AsyncClient) -> None:
    page = (await client.get("/docs")).text
    assert "//" not in page.replace("<!doctype", ""), "every address on the page is our own"
    for path in ("/static/swagger-ui/swagger-ui-bundle.js", "/static/swagger-ui/swagger-ui.css"):
        assert path in page
        assert (await client.get(path)).status_code == 200


@pytest.mark.parametrize(
    ("header", "status", "code"),
    [
        (None, 401, "NOT_AUTHENTICATED"),
        ("", 401, "NOT_AUTHENTICATED"),
        (f"Basic {TOKEN}", 401, "NOT_AUTHENTICATED"),
        ("Bearer", 401, "NOT_AUTHENTICATED"),
        ("Bearer wrong", 403, "NOT_ALLOWED"),
        ("Bearer wr\u00f6ng", 403, "NOT_ALLOWED"),
        (f"Bearer {TOKEN}x", 403, "NOT_ALLOWED"),
        (f"bearer {TOKEN}", 200, None),
        (f"Bearer {TOKEN}", 200, None),
    ],
)
async def test_operators_only(
    client: httpx2.AsyncClient, header: str | None, status: int, code: str | None
) -> None:
    headers = [] if header is None else [(b"authorization", header.encode("latin-1"))]
    answer = await client.get("/admin/system", headers=headers)
    assert answer.status_code == status
    if code:
        assert answer.headers["content-type"] == PROBLEM
        assert answer.json()["code"] == code
        assert TOKEN not in answer.text
    if status == 401:
        assert answer.headers["www-authenticate"] == "Bearer"


async def test_everything_under_admin_is_guarded(app: Litestar, client: httpx2.AsyncClient) -> None:
    asked = 0
    for route in app.routes:
        if isinstance(route, HTTPRoute) and route.path.startswith("/admin"):
            for method in {m for h in route.route_handlers for m in h.http_methods} - {"OPTIONS"}:
                answer = await client.request(method, re.sub(r"{[^}]*}", "1", route.path))
                assert answer.status_code == 401, (method, route.path)
                asked += 1
    assert asked


async def test_problems_for_what_is_not_there(client: httpx2.AsyncClient) -> None:
    for method, path, status, code in [
        ("GET", "/nothing", 404, "NOT_FOUND"),
        ("POST", "/health", 405, "METHOD_NOT_ALLOWED"),
    ]:
        answer = await client.request(method, path)
        assert answer.status_code == status
        assert answer.headers["content-type"] == PROBLEM
        problem = answer.json()
        assert problem["code"] == code
        assert problem["message"]
        assert problem["status"] == status


async def test_a_fault_of_ours_leaks_nothing(app: Litestar, client: httpx2.AsyncClient) -> None:
    @get("/broken", sync_to_thread=False)
    def broken() -> None:
        raise RuntimeError("the password is hunter2")

    app.register(broken)
    answer = await client.get("/broken")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == PROBLEM
    assert "hunter2" not in answer.text
    assert answer.json()["code"] == "INTERNAL_ERROR"


async def test_request_ids(client: httpx2.AsyncClient) -> None:
    given = await client.get("/health", headers={"X-Request-Id": "mine-1"})
    assert given.headers["x-request-id"] == "mine-1"
    odd = await client.get("/health", headers=[(b"x-request-id", b"evil\x7fid")])
    assert odd.headers["x-request-id"] != "evil\x7fid"
    assert (await client.get("/health")).headers["x-request-id"]
