"""Two server processes on one database: what one did holds for the next request of the other."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.support.calling import OPERATOR_TOKEN
from tests.support.otp import new_key
from tests.support.two_servers import two_servers

NUMBER = {"countryCode": "1", "phoneNumber": "5005550006", "deviceId": "phone"}


@pytest.fixture
def servers(dsn: str, tmp_path: Path) -> Iterator[list[str]]:
    with two_servers(dsn, tmp_path, HANDFAST_TEST_NUMBERS="+15005550006=123456") as urls:
        yield list(urls)


@asynccontextmanager
async def clients(urls: list[str]) -> AsyncIterator[list[httpx2.AsyncClient]]:
    async with (
        httpx2.AsyncClient(base_url=urls[0], timeout=60) as first,
        httpx2.AsyncClient(base_url=urls[1], timeout=60) as second,
    ):
        yield [first, second]


async def post(
    client: httpx2.AsyncClient, path: str, body: Any, key: dict[str, str] | None = None, **more: Any
) -> httpx2.Response:
    return await client.post(path, json=body, headers={**(key or {}), **more.get("headers", {})})


def bearer(answer: httpx2.Response) -> dict[str, str]:
    return {"Authorization": f"Bearer {answer.json()['accessToken']}"}


async def test_rows_of_the_contract(servers: list[str]) -> None:
    async with clients(servers) as (a, b):
        # POST /auth/otp/send: the same requestId, whatever the key and the process.
        sends = await asyncio.gather(
            *(post(one, "/auth/otp/send", NUMBER, new_key()) for one in (a, b) * 5)
        )
        assert {answer.status_code for answer in sends} == {200}
        [request] = {answer.json()["requestId"] for answer in sends}

        # POST /auth/otp/verify: the same tokens, also from the other; one session of many at once.
        said = {"requestId": request, "code": "123456", "deviceId": "phone"}
        key = new_key()
        both = await asyncio.gather(
            *(post(one, "/auth/otp/verify", said, key) for one in (a, b) * 5)
        )
        assert {answer.status_code for answer in both} == {200}
        assert len({answer.text for answer in both}) == 1
        other = await post(b, "/auth/otp/verify", said, new_key())
        assert other.status_code == 401, "the code is used"
        session = both[0]
        for one in (a, b):
            mine = await one.get("/auth/sessions", headers=bearer(session))
            assert len(mine.json()["sessions"]) == 1

        # POST /auth/refresh: a key is ignored; one successor; verify is not replayed any more.
        spent = {"refreshToken": session.json()["refreshToken"], "deviceId": "phone"}
        pairs = await asyncio.gather(
            *(post(one, "/auth/refresh", spent, new_key()) for one in (a, b) * 10)
        )
        assert {answer.status_code for answer in pairs} == {200}
        assert len({answer.json()["refreshToken"] for answer in pairs}) == 1
        late = await post(b, "/auth/otp/verify", said, key)
        assert late.json()["code"] == "IDEMPOTENCY_RESPONSE_NOT_KEPT"

        # A suspension in one holds for the next request of the other.
        user = session.json()["user"]["id"]
        admin = {"Authorization": f"Bearer {OPERATOR_TOKEN}"}
        done = await a.post(
            f"/admin/users/{user}/suspend", json={"reason": "because"}, headers=admin
        )
        assert done.status_code == 200, done.text
        refused = await b.get("/auth/sessions", headers=bearer(pairs[0]))
        assert (refused.status_code, refused.json()["code"]) == (403, "ACCOUNT_SUSPENDED")
        assert refused.json()["actionId"] == done.json()["actionId"]
        await b.post(f"/admin/users/{user}/reinstate", json={"reason": "sorry"}, headers=admin)
        assert (await a.get("/auth/sessions", headers=bearer(pairs[0]))).status_code == 200

        # POST /auth/logout: not idempotent, a key is ignored; it holds everywhere.
        key = new_key()
        outs = [
            await one.post("/auth/logout", headers={**bearer(pairs[0]), **key}) for one in (a, b)
        ]
        assert [answer.status_code for answer in outs] == [204, 401]
        gone = await b.get("/auth/sessions", headers=bearer(pairs[-1]))
        assert gone.json()["code"] == "TOKEN_REVOKED"
