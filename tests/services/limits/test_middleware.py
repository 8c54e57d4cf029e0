"""The limits around an application that knows nothing of them, over a real socket."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from handfast.db.errors import DatabaseUnreachable
from handfast.db.pool import Database
from handfast.edge.http.serve import bind, url_of
from handfast.services.limits.limit import Limit
from handfast.services.limits.limiter import Limiter
from handfast.services.limits.middleware import RateLimited
from handfast.services.limits.rules import LimitRule
from handfast.services.limits.subject import Proxies
from tests.support.clock import freeze

NOW = datetime(2026, 2, 19, 9, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
RUNS = Limit("runs", 3, MINUTE)
ALL = Limit("all", 5, timedelta(hours=1), durable=False)
# RFC 9651: a list of strings with integer parameters; anything else does not match.
SF_LIST = re.compile(
    r'"[\x20-\x21\x23-\x5b\x5d-\x7e]*"(;[a-z]+=\d{1,15})*(, "[^"]*"(;[a-z]+=\d+)*)*'
)


async def echo(request: Request) -> JSONResponse:
    return JSONResponse({"path": request.url.path}, status_code=201)


def application() -> Starlette:
    routes = [Route("/{rest:path}", echo, methods=["GET", "POST"])]
    return Starlette(routes=routes)


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def served(app: Any) -> AsyncIterator[httpx2.AsyncClient]:
    with bind("127.0.0.1", 0) as bound:
        config = uvicorn.Config(app, log_config=None, lifespan="off", proxy_headers=False)
        server = _Server(config)
        serving = asyncio.create_task(server.serve(sockets=[bound]))
        async with httpx2.AsyncClient(base_url=url_of(bound), timeout=30) as client:
            yield client
        server.should_exit = True
        await serving


@pytest.fixture
async def limiter(database: Database) -> Limiter:
    await freeze(database, NOW)
    return Limiter(database)


def parsed(value: str) -> dict[str, dict[str, int]]:
    assert SF_LIST.fullmatch(value), value
    members = (member.split(";") for member in value.split(", "))
    return {
        name.strip('"'): {key: int(number) for key, number in (p.split("=") for p in parameters)}
        for name, *parameters in members
    }


async def test_headers_and_refusal(limiter: Limiter) -> None:
    app = RateLimited(
        application(), limiter, [LimitRule("/runs", methods={"POST"}, limits=[RUNS]), ANYWHERE]
    )
    async with served(app) as client:
        for left in (2, 1, 0):
            answer = await client.post("/runs")
            assert answer.status_code == 201
            assert parsed(answer.headers["ratelimit-policy"]) == {
                "runs": {"q": 3, "w": 60},
                "all": {"q": 5, "w": 3600},
            }
            state = parsed(answer.headers["ratelimit"])
            assert state["runs"] == {"r": left, "t": (3 - left) * 20}
            assert state["all"]["r"] == left + 2
            assert "retry-after" not in answer.headers
        refused = await client.post("/runs")
        other = await client.get("/runs")
    assert refused.status_code == 429
    assert refused.headers["retry-after"] == "20"
    assert refused.headers["content-type"] == "application/problem+json"
    assert parsed(refused.headers["ratelimit"])["runs"]["r"] == 0
    problem = refused.json()
    assert problem["type"] == "urn:handfast:problem:too-many-requests"
    assert (problem["status"], problem["code"]) == (429, "TOO_MANY_REQUESTS")
    assert "'runs' (3 in 60 s)" in problem["detail"]
    assert "20 s" in problem["message"]
    assert other.status_code == 201, "another method, and the refusal took nothing from 'all'"
    assert parsed(other.headers["ratelimit"])["all"]["r"] == 1


ANYWHERE = LimitRule("/{rest:path}", limits=[ALL])


async def test_addresses_and_principals(limiter: Limiter) -> None:
    async def principal(scope: Any) -> str | None:
        found = dict(scope["headers"]).get(b"x-user")
        return found.decode() if found else None

    app = RateLimited(
        application(),
        limiter,
        [LimitRule("/runs", by="principal", limits=[RUNS])],
        principal=principal,
        proxies=Proxies("127.0.0.1"),
    )

    async def used(client: httpx2.AsyncClient, headers: dict[str, str]) -> int:
        answers = [await client.get("/runs", headers=headers) for _ in range(5)]
        return sum(answer.status_code == 201 for answer in answers)

    async with served(app) as client:
        assert await used(client, {"X-User": "ann"}) == 3
        assert await used(client, {"X-User": "bob"}) == 3
        assert await used(client, {}) == 3
        assert await used(client, {"X-Forwarded-For": "1.2.3.4"}) == 3
        assert await used(client, {"X-Forwarded-For": "6.6.6.6, 1.2.3.4"}) == 0
        assert await used(client, {"X-User": "address:1.2.3.4"}) == 3, "a name is not an address"


async def test_claims_are_not_believed_by_default(limiter: Limiter) -> None:
    app = RateLimited(application(), limiter, [LimitRule("/runs", limits=[RUNS])])
    async with served(app) as client:
        codes = [
            (await client.get("/runs", headers={"X-Forwarded-For": f"1.2.3.{n}"})).status_code
            for n in range(5)
        ]
    assert codes == [201, 201, 201, 429, 429]


async def test_what_no_rule_fits_is_untouched(limiter: Limiter) -> None:
    app = RateLimited(application(), limiter, [LimitRule("/runs", limits=[RUNS])])
    async with served(app) as client:
        answer = await client.get("/elsewhere")
    assert answer.status_code == 201
    assert not [name for name in answer.headers if name.startswith("ratelimit")]


async def test_two_rules_with_one_limit_count_once(limiter: Limiter) -> None:
    rules = [LimitRule("/runs", limits=[RUNS]), LimitRule("/{rest:path}", limits=[RUNS])]
    async with served(RateLimited(application(), limiter, rules)) as client:
        answer = await client.get("/runs")
    assert parsed(answer.headers["ratelimit"]) == {"runs": {"r": 2, "t": 20}}


async def test_nobody_is_let_through_uncounted() -> None:
    class Away(Limiter):
        def __init__(self) -> None: ...

        async def take_all(self, asks: Any) -> Any:
            raise DatabaseUnreachable("No connection.")

    app = RateLimited(application(), Away(), [LimitRule("/runs", limits=[RUNS])])
    async with served(app) as client:
        answer = await client.get("/runs")
    assert answer.status_code == 503
    assert answer.json()["code"] == "DATABASE_UNREACHABLE"
    assert answer.headers["retry-after"] == "1"


@pytest.mark.parametrize(
    ("rule", "path", "fits"),
    [
        ("/runs", "/runs", True),
        ("/runs", "/runs/", True),
        ("/runs", "/runs//", True),
        ("/runs", "/runs/1", False),
        ("/runs", "/xruns", False),
        ("/runs/{id}", "/runs/1", True),
        ("/runs/{id}", "/runs/a.b", True),
        ("/runs/{id}", "/runs/1/2", False),
        ("/runs/{id}/stop", "/runs/1/stop", True),
        ("/runs/{rest:path}", "/runs/1/2/3", True),
        ("/{rest:path}", "/", True),
        ("/", "/", True),
        ("/", "/x", False),
        ("/a.b", "/axb", False),
    ],
)
def test_paths(rule: str, path: str, fits: bool) -> None:
    assert LimitRule(rule, limits=[RUNS]).fits("GET", path) is fits


def test_methods_and_mistakes() -> None:
    rule = LimitRule("/runs", methods={"post"}, limits=[RUNS])
    assert rule.fits("POST", "/runs")
    assert not rule.fits("GET", "/runs")
    with pytest.raises(ValueError, match="slash"):
        LimitRule("runs", limits=[RUNS])
    with pytest.raises(ValueError, match="no limits"):
        LimitRule("/runs", limits=[])
    with pytest.raises(ValueError, match="who that is"):
        RateLimited(application(), Any, [LimitRule("/runs", by="principal", limits=[RUNS])])  # type: ignore[arg-type]
