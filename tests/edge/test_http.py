"""The API in this process: what it serves, how it refuses, and that its description is true."""

import asyncio
import logging
import re
from collections.abc import AsyncIterator
from typing import Any, cast
from uuid import uuid4

import httpx2
import pytest
from litestar import Litestar, get
from litestar.routes import HTTPRoute

from handfast.base import supervise
from handfast.base.telemetry import REGISTRY
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api, surrounded
from handfast.edge.http.policies import ANYONE, policy
from handfast.engine.crew import Crew, WorkerOptions
from handfast.engine.host import Host
from handfast.facade import Handfast
from handfast.wiring import load_settings
from tests.support.eventually import eventually_async
from tests.support.systems import whole_system

pytestmark = pytest.mark.on_lowest

TOKEN = "hf_admin_for_the_tests_only"
PROBLEM = "application/problem+json"


@pytest.fixture
async def api(database: Database, dsn: str) -> Litestar:
    return create_api(whole_system(load_settings(), database, Target(dsn)), TOKEN)


def asking(api: Litestar) -> httpx2.AsyncClient:
    # Litestar types its scope more narrowly than httpx2 does; it is the same ASGI.
    app = cast("Any", surrounded(api))
    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
    return httpx2.AsyncClient(transport=transport, base_url="http://handfast")


@pytest.fixture
async def client(api: Litestar) -> AsyncIterator[httpx2.AsyncClient]:
    async with asking(api) as client:
        yield client


async def test_health_and_readiness(client: httpx2.AsyncClient) -> None:
    assert (await client.get("/health")).json()["status"] == "ok"
    assert (await client.get("/ready")).json() == {
        "status": "ready",
        "checks": {"database": "ok", "migrations": "ok", "background": "ok"},
        "lanes": [],
    }


async def test_not_ready_while_a_background_task_keeps_dying(client: httpx2.AsyncClient) -> None:
    async def work() -> None:
        raise OverflowError("secret of the house")

    task = supervise.start("promote", work)
    await asyncio.sleep(0)
    refused = await client.get("/ready")
    task.cancel()
    assert refused.status_code == 503
    assert "promote ended by an error" in refused.json()["detail"]
    assert "secret" not in refused.text
    assert 'background_deaths_total{task="promote"}' in (await client.get("/metrics")).text
    assert (await client.get("/ready")).status_code == 200


async def test_readiness_looks_at_every_worker_of_the_process(database: Database, dsn: str) -> None:
    system = whole_system(load_settings(), database, Target(dsn))
    hf = Handfast()
    hf.use(system)
    crews = [Crew(hf.kinds, WorkerOptions(lanes=lanes)) for lanes in (("a", "b"), ("c",))]
    host = Host(database, Target(dsn), crews)
    async with asking(create_api(system, TOKEN, host=host)) as client:

        async def answer() -> tuple[int, Any]:
            found = await client.get("/ready")
            return found.status_code, found.json()

        assert (await answer())[0] == 503, "they have not begun"
        task = asyncio.create_task(host.run())
        await eventually_async(lambda: asyncio.sleep(0, host.working))
        status, said = await answer()
        assert (status, said["checks"]["worker"], said["lanes"]) == (200, "ok", ["a", "b", "c"])

        async def asleep() -> bool:
            """Who still looks for jobs would find out by itself, and register again."""
            return host.listener.hears and all(worker.sleeping for worker in host.workers)

        await eventually_async(asleep)
        async with database.connection() as connection:  # it ended, and nobody here has noticed
            await connection.execute(
                "UPDATE handfast_engine.workers SET ended_at = handfast_db.now() WHERE id = $1",
                host.workers[1].id,
            )
        status, said = await answer()
        assert status == 503
        assert "these lanes at the moment: c." in said["detail"]
        host.stop()
        await task


@pytest.mark.parametrize("path", ["/health", "/ready", "/docs", "/openapi.json"])
async def test_head_is_get_without_the_body(client: httpx2.AsyncClient, path: str) -> None:
    full, head = await client.get(path), await client.head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == full.headers["content-length"] != "0"
    assert f'{{method="HEAD",route="{path}",status="200"}}' in (await client.get("/metrics")).text


async def test_head_of_a_stream_has_an_end(client: httpx2.AsyncClient) -> None:
    """What comes next on its connection, from whomever behind a proxy, would wait for it."""
    started = await client.post("/api/match/run", json={"url": "https://acme.com"})
    operator = {"Authorization": f"Bearer {TOKEN}"}
    for path in (f"/api/match/run/{started.json()['runId']}/events", "/admin/events"):
        async with asyncio.timeout(20):
            head = await client.head(path, headers=operator)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-type"].startswith("text/event-stream")


async def test_not_ready_without_migrations(empty_dsn: str) -> None:
    async with await Database.open(Target(empty_dsn)) as empty:
        api = create_api(whole_system(load_settings(), empty, Target(empty_dsn)), TOKEN)
        async with asking(api) as client:
            answer = await client.get("/ready")
            head = await client.head("/ready")
    assert answer.status_code == 503
    assert answer.headers["content-type"] == PROBLEM
    assert answer.json()["type"] == "urn:handfast:problem:not-ready"
    assert "handfast migrate" in answer.json()["detail"]
    assert (head.status_code, head.content) == (503, b"")


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


@pytest.mark.parametrize("path", ["/docs", "/static/docs.js", "/static/swagger-ui/swagger-ui.css"])
async def test_pages_are_protected(client: httpx2.AsyncClient, path: str) -> None:
    headers = (await client.get(path)).headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"


async def test_docs_work_under_their_policy_and_keep_no_token(client: httpx2.AsyncClient) -> None:
    """Nothing is inside the page that the policy forbids, and what it loads has the right type."""
    page = await client.get("/docs")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert re.findall(r"<script(?![^>]* src=)|<style| style=| on\w+=", page.text) == []
    for path, kind in re.findall(r'(?:src|href)="(/static/[^"]+\.(js|css))"', page.text):
        loaded = await client.get(path)
        wanted = {"js": "text/javascript", "css": "text/css"}[kind]
        assert loaded.headers["content-type"].startswith(wanted)
    script = (await client.get("/static/docs.js")).text
    assert "persistAuthorization: false" in script
    assert re.findall(r"(?:local|session)Storage\.setItem|document\.cookie", script) == []


@pytest.mark.parametrize(
    "path",
    [
        "%00",
        "a" * 5000,
        "/".join(["a" * 300] * 10),
        "swagger-ui",
        "",
        "../app.py",
        "..%2fapp.py",
        "swagger-ui/%2e%2e/%2e%2e/app.py",
        "swagger-ui/swagger-ui.css%00.html",
        "%ff%fe",
    ],
    ids=lambda path: path[:20],
)
async def test_no_such_file(client: httpx2.AsyncClient, path: str) -> None:
    answer = await client.get(f"/static/{path}")
    assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize("path", ["%00", "a" * 5000, "admin/jobs/%00", "fixtures/" + "1" * 5000])
async def test_odd_paths_are_no_fault_of_ours(client: httpx2.AsyncClient, path: str) -> None:
    operator = {"Authorization": f"Bearer {TOKEN}"}
    assert (await client.get(f"/{path}", headers=operator)).status_code in {400, 404}


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


# Whoever signs in is nobody yet, and who is not signed in may sign out.
FOR_ANYBODY = {
    *(("POST", "/admin/session"), ("POST", "/admin/session/code")),
    *(("DELETE", "/admin/session"), ("DELETE", "/admin/session/all")),
}


async def test_everything_under_admin_is_guarded(api: Litestar, client: httpx2.AsyncClient) -> None:
    asked = 0
    for route in api.routes:
        if isinstance(route, HTTPRoute) and route.path.startswith("/admin"):
            for method in {m for h in route.route_handlers for m in h.http_methods} - {"OPTIONS"}:
                path = re.sub(r"{[^}]*:uuid}", str(uuid4()), route.path)
                answer = await client.request(method, re.sub(r"{[^}]*}", "1", path))
                if (method, route.path) in FOR_ANYBODY:
                    assert answer.status_code in (200, 400), (method, route.path)
                    continue
                assert answer.status_code == 401, (method, route.path)
                asked += 1
    assert asked


async def test_problems_for_what_is_not_there(client: httpx2.AsyncClient) -> None:
    for method, path, status, code in [
        ("GET", "/nothing", 404, "NOT_FOUND"),
        ("GET", "/static/swagger-ui/", 404, "NOT_FOUND"),
        ("GET", "/static/nothing.js", 404, "NOT_FOUND"),
        ("GET", "/static/../app.py", 404, "NOT_FOUND"),
        ("POST", "/health", 405, "METHOD_NOT_ALLOWED"),
        ("BREW", "/health", 405, "METHOD_NOT_ALLOWED"),
    ]:
        answer = await client.request(method, path)
        assert answer.status_code == status
        assert answer.headers["content-type"] == PROBLEM
        problem = answer.json()
        assert problem["code"] == code
        assert problem["message"].startswith(problem["detail"] + " "), "advice follows"
        assert problem["status"] == status
        assert "swagger-ui" not in answer.text, "no path of this machine"
        assert answer.headers["x-request-id"]
        if status == 405:
            assert "It takes: " in problem["message"]


async def test_what_no_route_takes_is_counted_and_logged(
    client: httpx2.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    def unknown(method: str, status: int) -> float:
        labels = {"method": method, "route": "unknown", "status": str(status)}
        return REGISTRY.get_sample_value("handfast_http_requests_total", labels) or 0

    before = unknown("GET", 404), unknown("POST", 405)
    with caplog.at_level(logging.INFO):
        await client.get("/nothing/7")
        await client.post("/health")
    assert (unknown("GET", 404), unknown("POST", 405)) == (before[0] + 1, before[1] + 1)
    assert "/nothing/7" in caplog.text
    assert "/nothing/7" not in (await client.get("/metrics")).text


async def test_a_fault_of_ours_leaks_nothing(api: Litestar, client: httpx2.AsyncClient) -> None:
    @policy(ANYONE)
    @get("/broken", sync_to_thread=False)
    def broken() -> None:
        raise RuntimeError("the password is hunter2")

    api.register(broken)
    answer = await client.get("/broken")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == PROBLEM
    assert "hunter2" not in answer.text
    assert answer.json()["code"] == "INTERNAL_ERROR"


@pytest.mark.parametrize("host", ["::1", "a:b:c", "handfast:99999", "[handfast"])
async def test_a_host_that_is_none_is_refused_like_any_other_mistake(
    client: httpx2.AsyncClient, host: str
) -> None:
    for answer in (
        await client.post("/api/match/run", headers={"Host": host}, json={"url": 5}),
        await client.get(f"/api/match/run/{uuid4()}?limit=x", headers={"Host": host}),
        await client.get("/health", headers={"Host": host}),
    ):
        assert (answer.status_code, answer.headers["content-type"]) == (400, PROBLEM), answer.text
    for name in ("handfast", "handfast:8000", "handfast:", "[::1]:8000", "[::1]", ""):
        assert (await client.get("/health", headers={"Host": name})).status_code == 200


async def test_request_ids(client: httpx2.AsyncClient) -> None:
    given = await client.get("/health", headers={"X-Request-Id": "mine-1"})
    assert given.headers["x-request-id"] == "mine-1"
    odd = await client.get("/health", headers=[(b"x-request-id", b"evil\x7fid")])
    assert odd.headers["x-request-id"] != "evil\x7fid"
    assert (await client.get("/health")).headers["x-request-id"]


@pytest.mark.parametrize("keyed", [True, False])
async def test_bodies_are_bounded_by_route(client: httpx2.AsyncClient, *, keyed: bool) -> None:
    """Anybody may start a match run, and nobody needs more than an address for it."""
    key = {"Idempotency-Key": str(uuid4())} if keyed else {}
    answer = await client.post("/api/match/run", headers=key, json={"url": "a" * 20_000})
    assert answer.status_code == 413
    assert answer.json()["code"] == "BODY_TOO_LARGE"
    operator = {"Authorization": f"Bearer {TOKEN}", **key}
    many = {"fixtures": [], "source": "a" * 2_000_000}
    assert (await client.post("/fixtures", headers=operator, json=many)).status_code == 400
    assert (
        await client.post("/admin/dead/requeue", headers=operator, json=many)
    ).status_code == 413


async def test_a_caller_that_goes_away_in_its_body_is_no_fault_of_ours(
    api: Litestar, caplog: pytest.LogCaptureFixture
) -> None:
    messages = [{"type": "http.request", "body": b'{"url"', "more_body": True}]

    async def receive() -> Any:
        return messages.pop() if messages else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        """Nobody is there to be told."""

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/match/run",
        "raw_path": b"/api/match/run",
        "root_path": "",
        "query_string": b"",
        "headers": [(b"content-type", b"application/json")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }
    labels = {"method": "POST", "route": "/api/match/run", "status": "499"}
    before = REGISTRY.get_sample_value("handfast_http_requests_total", labels) or 0
    with caplog.at_level(logging.WARNING):
        await cast("Any", surrounded(api))(scope, receive, send)
    assert caplog.records == []
    assert REGISTRY.get_sample_value("handfast_http_requests_total", labels) == before + 1
