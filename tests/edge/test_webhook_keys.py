"""Keys on the operators' webhook routes: nothing is made twice, and no secret lies about.

Answers that hold a signing secret are kept encrypted. Whoever has another secret by the time of the
repetition cannot read them, and says so.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import httpx2
import pytest
import redis.asyncio as aioredis

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api, surrounded
from handfast.wiring import load_settings
from tests.support.systems import whole_system
from tests.support.valkey import Valkey
from tests.support.webhooks_harness import WebhooksHarness

TOKEN = "hf_admin_for_the_tests_only"
ENDPOINTS = "/webhooks/endpoints"
GIVEN = {"url": "https://shop.example.com/hook"}


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[Valkey]:
    with Valkey(tmp_path) as running:
        yield running


@pytest.fixture
async def client(database: Database, dsn: str, valkey: Valkey) -> AsyncIterator[httpx2.AsyncClient]:
    async with process(database, dsn, valkey, "s" * 40) as client:
        yield client


@asynccontextmanager
async def process(
    database: Database, dsn: str, valkey: Valkey, secret: str
) -> AsyncIterator[httpx2.AsyncClient]:
    system = whole_system(load_settings(redis_url=valkey.url), database, Target(dsn))
    api = create_api(system, TOKEN, idempotency_secret=secret)
    transport = httpx2.ASGITransport(cast("Any", surrounded(api)), raise_app_exceptions=False)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with httpx2.AsyncClient(
        transport=transport, base_url="http://handfast", headers=headers
    ) as client:
        yield client
    for close in cast("list[Any]", api.on_shutdown):  # the connections to Redis, too
        await close()


def new_key() -> dict[str, str]:
    return {"Idempotency-Key": str(uuid4())}


async def count(database: Database, table: str) -> int:
    async with database.connection() as connection:
        found: int = await connection.fetchval(f"SELECT count(*) FROM {table}")
        return found


async def check_repeated(first: httpx2.Response, again: httpx2.Response, *, status: int) -> None:
    assert first.status_code == status, first.text
    assert first.json()["secret"].startswith("whsec_")
    assert again.content == first.content
    assert again.status_code == status
    assert again.headers["idempotent-replayed"] == "true"


async def check_no_secret_lies_about(secret: str, database: Database, valkey: Valkey) -> None:
    async with database.connection() as connection:
        rows = await connection.fetch(
            "SELECT response, encrypted FROM handfast_idempotency.records"
        )
    assert rows
    for row in rows:
        assert row["encrypted"]
        assert secret.encode() not in row["response"]
    client = aioredis.Redis.from_url(valkey.url, protocol=2)
    try:
        assert await client.dbsize() == 0
    finally:
        await client.aclose()


async def test_an_endpoint_is_registered_once(
    client: httpx2.AsyncClient, database: Database, valkey: Valkey
) -> None:
    headers = new_key()
    first = await client.post(ENDPOINTS, json=GIVEN, headers=headers)
    again = await client.post(ENDPOINTS, json=GIVEN, headers=headers)
    await check_repeated(first, again, status=201)
    assert await count(database, "handfast_webhooks.endpoints") == 1
    await asyncio.sleep(0.2)  # what would be told to Redis is told behind the answer
    await check_no_secret_lies_about(first.json()["secret"], database, valkey)
    other = await client.post(
        ENDPOINTS, json={"url": "https://other.example.com/"}, headers=headers
    )
    assert (other.status_code, other.json()["code"]) == (409, "IDEMPOTENCY_KEY_REUSED")
    assert await count(database, "handfast_webhooks.endpoints") == 1


async def test_another_secret_cannot_read_it_and_makes_no_second(
    client: httpx2.AsyncClient, database: Database, dsn: str, valkey: Valkey
) -> None:
    headers = new_key()
    assert (await client.post(ENDPOINTS, json=GIVEN, headers=headers)).status_code == 201
    async with process(database, dsn, valkey, "o" * 40) as other:
        again = await other.post(ENDPOINTS, json=GIVEN, headers=headers)
    assert (again.status_code, again.json()["code"]) == (409, "IDEMPOTENCY_RESPONSE_NOT_KEPT")
    async with process(database, dsn, valkey, "n" * 40 + "," + "s" * 40) as rotated:
        again = await rotated.post(ENDPOINTS, json=GIVEN, headers=headers)
    assert again.status_code == 201
    assert await count(database, "handfast_webhooks.endpoints") == 1


async def test_ten_at_once_register_one(client: httpx2.AsyncClient, database: Database) -> None:
    headers = new_key()
    answers = await asyncio.gather(
        *(client.post(ENDPOINTS, json=GIVEN, headers=headers) for _ in range(10))
    )
    assert sorted(a.status_code for a in answers) == [201] * 10
    assert await count(database, "handfast_webhooks.endpoints") == 1


async def test_a_secret_is_rotated_once(client: httpx2.AsyncClient, database: Database) -> None:
    made = (await client.post(ENDPOINTS, json=GIVEN)).json()
    rotate, headers = f"{ENDPOINTS}/{made['endpoint']['id']}/rotate", new_key()
    first = await client.post(rotate, headers=headers)
    again = await client.post(rotate, headers=headers)
    await check_repeated(first, again, status=200)
    assert await count(database, "handfast_webhooks.secrets") == 2


async def test_an_event_is_sent_again_once(client: httpx2.AsyncClient, database: Database) -> None:
    """No secret in it: kept either way."""
    made = (await client.post(ENDPOINTS, json=GIVEN)).json()
    event = await WebhooksHarness(database).emit("run.ready")
    replay, headers = f"{ENDPOINTS}/{made['endpoint']['id']}/replay", new_key()
    before = await count(database, "handfast_webhooks.replays")
    first = await client.post(replay, json={"eventId": str(event)}, headers=headers)
    again = await client.post(replay, json={"eventId": str(event)}, headers=headers)
    assert first.status_code == again.status_code == 202, first.text
    assert again.content == first.content
    assert again.headers["idempotent-replayed"] == "true"
    assert await count(database, "handfast_webhooks.replays") == before + 1
    without = await client.post(replay, json={"eventId": str(event)})
    assert without.status_code == 202
    assert await count(database, "handfast_webhooks.replays") == before + 2, (
        "without a key it is new"
    )


async def test_a_refusal_is_answered_again(client: httpx2.AsyncClient) -> None:
    """It holds no secret, so it is kept where the answer itself would not be."""
    headers = new_key()
    private = {"url": "http://10.0.0.1/hook"}
    first = await client.post(ENDPOINTS, json=private, headers=headers)
    again = await client.post(ENDPOINTS, json=private, headers=headers)
    assert first.status_code == again.status_code == 422, first.text
    assert again.headers["idempotent-replayed"] == "true"


async def test_strangers_learn_nothing(client: httpx2.AsyncClient) -> None:
    headers = new_key()
    await client.post(ENDPOINTS, json=GIVEN, headers=headers)
    stranger = await client.post(
        ENDPOINTS, json=GIVEN, headers={**headers, "Authorization": "Bearer somebody-elses-token"}
    )
    assert stranger.status_code == 403
