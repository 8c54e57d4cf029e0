"""Wrong tokens are counted by address; whoever has tried too many is refused for a while."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api, surrounded
from handfast.wiring import load_settings
from tests.support.clock import freeze
from tests.support.systems import whole_system
from tests.support.up import Up

TOKEN = "hf_admin_for_the_tests_only"
NOW = datetime(2026, 2, 19, 9, tzinfo=UTC)
RIGHT = {"Authorization": f"Bearer {TOKEN}"}
WRONG = {"Authorization": "Bearer hf_admin_a_guess"}


@pytest.fixture
async def app(database: Database, dsn: str) -> Any:
    await freeze(database, NOW)
    return surrounded(create_api(whole_system(load_settings(), database, Target(dsn)), TOKEN))


def caller(app: Any, address: str) -> httpx2.AsyncClient:
    transport = httpx2.ASGITransport(cast("Any", app), client=(address, 1))
    return httpx2.AsyncClient(transport=transport, base_url="http://handfast")


async def test_ten_wrong_tokens_in_a_minute(app: Any, database: Database) -> None:
    async with caller(app, "9.9.9.9") as guesser, caller(app, "8.8.8.8") as operator:
        for _ in range(10):
            assert (await guesser.get("/admin/system", headers=WRONG)).status_code == 403
        refused = await guesser.get("/admin/system", headers=WRONG)
        assert refused.status_code == 429
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.headers["retry-after"] == "6"
        assert refused.headers["ratelimit"] == '"operator-logins";r=0;t=60'
        assert refused.json()["code"] == "TOO_MANY_REQUESTS"
        right = await guesser.get("/admin/system", headers=RIGHT)
        assert right.status_code == 429, "or the answers would tell which guess was right"
        assert (await operator.get("/admin/system", headers=RIGHT)).status_code == 200
        assert (await guesser.get("/admin/system")).status_code == 401, "that is no guess"
        await freeze(database, NOW + timedelta(seconds=6))
        assert (await guesser.get("/admin/system", headers=RIGHT)).status_code == 200


async def test_the_right_token_is_never_counted(app: Any, database: Database) -> None:
    async with caller(app, "9.9.9.9") as operator:
        for _ in range(30):
            assert (await operator.get("/admin/system", headers=RIGHT)).status_code == 200
    async with database.connection() as connection:
        assert await connection.fetchval("SELECT count(*) FROM handfast_limits.buckets") == 0


async def test_a_claimed_address_is_not_believed(tmp_path: Path, dsn: str) -> None:
    """Over a real socket: the server underneath must not believe it either."""
    with Up(tmp_path / "data", DATABASE_URL=dsn, HANDFAST_ADMIN_TOKEN=TOKEN) as up:
        async with httpx2.AsyncClient(base_url=up.url, timeout=60) as client:
            answers = [
                await client.get(
                    "/admin/system", headers={**WRONG, "X-Forwarded-For": f"1.2.3.{number}"}
                )
                for number in range(20)
            ]
    statuses = [answer.status_code for answer in answers]
    # In real time, in which one more guess is free every six seconds.
    assert (statuses[:10], 429 in statuses) == ([403] * 10, True)


async def test_a_named_proxy_is_believed(tmp_path: Path, dsn: str) -> None:
    settings = {"HANDFAST_ADMIN_TOKEN": TOKEN, "HANDFAST_TRUSTED_PROXIES": "127.0.0.0/8"}
    with Up(tmp_path / "data", DATABASE_URL=dsn, **settings) as up:
        async with httpx2.AsyncClient(base_url=up.url, timeout=60) as client:
            for number in range(15):
                claimed = {**WRONG, "X-Forwarded-For": f"1.2.3.{number}"}
                assert (await client.get("/admin/system", headers=claimed)).status_code == 403
