"""What strangers are told while the database is away: that it is, and nothing of where it was."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import asyncpg
import httpx2
import pytest
from structlog.testing import capture_logs

from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.pool import Database
from handfast.edge.http.app import create_api, surrounded
from handfast.services.idempotency import IdempotencyMiddleware, PostgresStore, RedisStore
from handfast.wiring import load_settings
from tests.support.eventually import eventually_async
from tests.support.keyed_shop import Shop, make_shop, new_key, who
from tests.support.people import somebody
from tests.support.silent_proxy import SilentProxy
from tests.support.systems import whole_system

SECRETS = (
    "127.0.0.1",
    "postgresql",
    "redis://",
    "handfast_owner@",
    "test_",
    "DATABASE_URL",
    "hush",
)


@pytest.fixture
async def gone(server: EmbeddedServer, dsn: str) -> AsyncIterator[Database]:
    """A database that was there, and is not there any more."""
    async with SilentProxy(server.address.host, 5432) as proxy:
        database = await Database.open(Target(proxy.dsn(urlsplit(dsn).path.lstrip("/"))))
    yield database
    await database.close()


def says_nothing(answer: httpx2.Response) -> None:
    assert answer.headers["content-type"] == "application/problem+json"
    for secret in (*SECRETS, "HANDFAST_"):
        assert secret not in answer.text, answer.text


async def test_the_api(gone: Database) -> None:
    api = create_api(
        whole_system(load_settings(), gone, gone.target), "hf_admin_for_the_tests_only"
    )
    transport = httpx2.ASGITransport(cast("Any", surrounded(api)), raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://handfast") as client:
        with capture_logs() as log:
            answers = [
                await client.get("/ready"),
                await client.post("/api/match/run", json={"url": "https://acme.com"}),
                await client.get("/api/match/run/6a4f0e0c-3b0a-4b3c-9d57-0d1f1b8f3f10"),
            ]
    for answer in answers:
        says_nothing(answer)
    assert answers[0].status_code == 503
    assert answers[0].json()["detail"] == "The database cannot be reached."
    assert {a.json()["detail"] for a in answers[1:] if a.status_code == 503} == {
        "The database cannot be reached."
    }
    assert "127.0.0.1" in str(log), "the log has the rest"


async def test_it_is_stopped_while_it_is_asked_who_is_calling(
    database: Database, dsn: str, tmp_path: Path
) -> None:
    settings = load_settings(data_dir=tmp_path)
    system = whole_system(settings, database, Target(dsn))
    ada = await somebody(create_api(system, "hf_admin_for_the_tests_only"))
    holder = await asyncpg.connect(dsn)

    async def stopped() -> bool:
        return bool(
            await holder.fetchval(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE wait_event_type = 'Lock' AND datname = current_database()"
            )
        )

    async with holder.transaction():
        await holder.execute("LOCK TABLE handfast_identity.accounts")
        asking = asyncio.create_task(ada.patch(bio="Lakes."))
        await eventually_async(stopped)
        answer = await asking
    await holder.close()
    says_nothing(answer)
    assert (answer.status_code, answer.json()["code"]) == (503, "DATABASE_UNREACHABLE")


async def test_a_fault_of_ours_around_the_routes(gone: Database) -> None:
    class Broken:
        async def take_all(self, _asks: Any) -> None:
            raise RuntimeError("hush")

    api = create_api(
        whole_system(load_settings(), gone, gone.target), "hf_admin_for_the_tests_only"
    )
    api.state["limiter"] = Broken()
    transport = httpx2.ASGITransport(cast("Any", surrounded(api)), raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://handfast") as client:
        with capture_logs() as log:
            answer = await client.post("/api/match/run", json={"url": "https://acme.com"})
    says_nothing(answer)
    assert (answer.status_code, answer.json()["code"]) == (500, "INTERNAL_ERROR")
    assert "hush" in str(log), "the log has the rest"


async def test_any_app_behind_the_middleware(gone: Database) -> None:
    redis = f"redis://:hush@127.0.0.1:{urlsplit(gone.target.dsn).port}/0"
    for store in (PostgresStore(gone), PostgresStore(gone.target.dsn), RedisStore(redis)):
        app = IdempotencyMiddleware(make_shop([]), store, principal=who)
        shop = Shop(gone, store, [], asyncio.Event(), app)
        with capture_logs() as log:
            answer = await shop.post(key=new_key())
        assert answer.status_code == 503
        says_nothing(answer)
        assert "request_failed" in str(log), "the log has the rest"
        await shop.client.aclose()
        await store.close()
