"""Codes over HTTP: which request one gets, how often, how many guesses, and what nobody learns."""

import asyncio
import threading
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from litestar import Litestar
from structlog.testing import capture_logs

from handfast.db.connect import Target
from handfast.db.migrations import functions
from handfast.db.pool import Database
from handfast.db.statements import Statement, load
from handfast.edge.http.app import create_api
from handfast.engine.system import System
from handfast.wiring import load_settings
from tests.support.calling import OPERATOR_TOKEN, calling
from tests.support.clock import freeze
from tests.support.eventually import eventually_async
from tests.support.otp import E164, ask, new_key, right_code, sign_in_by_code, try_code, wrong_code
from tests.support.signed_in import sign_in
from tests.support.systems import whole_system

NOW = datetime(2026, 11, 17, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def system(database: Database, dsn: str) -> System:
    settings = load_settings(trusted_proxies="127.0.0.1", test_numbers="+15005550006=123456")
    return whole_system(settings, database, Target(dsn))


@pytest.fixture
def api(system: System) -> Litestar:
    return create_api(system, OPERATOR_TOKEN)


@pytest.fixture
async def client(api: Litestar) -> AsyncIterator[httpx2.AsyncClient]:
    async with calling(api) as client:
        yield client


def from_address(address: str) -> dict[str, str]:
    return {"X-Forwarded-For": address}


async def test_from_a_number_to_signed_in(api: Litestar, client: httpx2.AsyncClient) -> None:
    sent = await ask(client)
    assert sent.status_code == 200, sent.text
    assert set(sent.json()) == {"requestId", "expiresAt", "retryAfter"}
    assert sent.json()["retryAfter"] == 60
    request = sent.json()["requestId"]
    answer = await try_code(client, request, right_code(api, request))
    assert answer.status_code == 200, answer.text
    session = answer.json()
    assert set(session) == {"accessToken", "refreshToken", "expiresIn", "user", "onboardingStatus"}
    assert session["expiresIn"] == 900
    assert session["user"]["id"]
    headers = {"Authorization": f"Bearer {session['accessToken']}"}
    [mine] = (await client.get("/auth/sessions", headers=headers)).json()["sessions"]
    assert mine["current"]


async def test_test_numbers_have_fixed_codes(
    client: httpx2.AsyncClient, database: Database
) -> None:
    body = {"countryCode": "1", "phoneNumber": "5005550006"}
    request = (await ask(client, body=body)).json()["requestId"]
    assert (await try_code(client, request, "123456")).status_code == 200
    async with database.connection() as connection:
        assert await connection.fetchval("SELECT count(*) FROM handfast_engine.jobs") == 0


async def test_the_same_request_for_ten_minutes(
    api: Litestar, client: httpx2.AsyncClient, database: Database
) -> None:
    await freeze(database, NOW)
    first = (await ask(client)).json()
    await freeze(database, NOW + timedelta(seconds=20))
    again = (await ask(client)).json()
    assert again == first | {"retryAfter": 40}, "no second message within a minute"
    await freeze(database, NOW + MINUTE)
    second = (await ask(client)).json()
    assert second == first | {"retryAfter": 60}, "a new code under the same id"
    request = first["requestId"]
    assert (await try_code(client, request, right_code(api, request, 1))).status_code == 401
    async with database.connection() as connection:
        keys = await connection.fetch("SELECT key FROM handfast_engine.jobs ORDER BY id")
    assert [key[0] for key in keys] == [f"{request}:1", f"{request}:2"]
    assert (await try_code(client, request, right_code(api, request, 2))).status_code == 200
    await freeze(database, NOW + 2 * MINUTE)
    assert (await ask(client)).json()["requestId"] != request, "that one is used"


async def test_a_clock_that_is_set_back_keeps_nobody_waiting(
    client: httpx2.AsyncClient, database: Database
) -> None:
    await freeze(database, NOW)
    first = (await ask(client)).json()
    await freeze(database, NOW - timedelta(hours=1))
    refused = await ask(client)
    assert refused.status_code == 429, "a step back frees nothing"
    assert int(refused.headers["retry-after"]) <= 60

    async def mended() -> bool:  # beside the request, which was rolled back
        async with database.connection() as connection:
            sql = "SELECT max(whole_at) FROM handfast_limits.buckets WHERE name = $1"
            whole = await connection.fetchval(sql, "otp-phone-minute")
        return bool(whole <= NOW - timedelta(hours=1) + MINUTE)

    await eventually_async(mended)
    await freeze(database, NOW - timedelta(hours=1) + MINUTE)
    again = (await ask(client)).json()
    assert (again["requestId"], again["retryAfter"]) == (first["requestId"], 60)


async def test_requests_end(api: Litestar, client: httpx2.AsyncClient, database: Database) -> None:
    await freeze(database, NOW)
    request = (await ask(client)).json()["requestId"]
    await freeze(database, NOW + 10 * MINUTE)
    assert (await try_code(client, request, right_code(api, request))).status_code == 401
    assert (await ask(client)).json()["requestId"] != request


async def test_tries_go_on_counting(
    api: Litestar, client: httpx2.AsyncClient, database: Database
) -> None:
    await freeze(database, NOW)
    request = (await ask(client)).json()["requestId"]
    wrong = wrong_code(right_code(api, request, 1))
    assert [(await try_code(client, request, wrong)).status_code for _ in range(2)] == [401] * 2
    await freeze(database, NOW + MINUTE)
    assert (await ask(client)).json()["requestId"] == request
    wrong = wrong_code(right_code(api, request, 2))
    assert (await try_code(client, request, wrong)).status_code == 401
    refused = await try_code(client, request, right_code(api, request, 2))
    assert (refused.status_code, refused.json()["code"]) == (401, "OTP_INVALID")
    await freeze(database, NOW + 2 * MINUTE)
    assert (await ask(client)).json()["requestId"] != request, "its tries are used up"


async def test_ten_at_once_get_one_request(client: httpx2.AsyncClient, database: Database) -> None:
    answers = await asyncio.gather(*(ask(client) for _ in range(10)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["requestId"] for answer in answers}) == 1
    async with database.connection() as connection:
        assert await connection.fetchval("SELECT count(*) FROM handfast_engine.jobs") == 1


async def test_a_stranger_cannot_use_up_the_tries(
    api: Litestar, client: httpx2.AsyncClient, database: Database
) -> None:
    """Without a device, from elsewhere: it is another request."""
    await freeze(database, NOW)
    mine = (await ask(client, "phone")).json()["requestId"]
    await freeze(database, NOW + MINUTE)
    for address, device in (("203.0.113.7", None), ("203.0.113.8", "phone2")):
        theirs = await ask(client, device, headers=from_address(address))
        if theirs.status_code == 200:
            request = theirs.json()["requestId"]
            assert request != mine
            for _ in range(4):
                await try_code(client, request, wrong_code(right_code(api, request)), None)
    assert (await try_code(client, mine, right_code(api, mine))).status_code == 200


async def test_limits(client: httpx2.AsyncClient, database: Database) -> None:
    """One in a minute, five in an hour, ten in a day, whoever asks."""
    sent = []
    for minute in [*range(0, 120, 8), *range(120, 26 * 60, 55)]:
        for seconds in (0, 50) if minute < 40 else (0,):
            await freeze(database, NOW + minute * MINUTE + timedelta(seconds=seconds))
            headers = from_address(f"203.0.{minute % 250}.{seconds}")
            answer = await ask(client, f"device {minute} {seconds}", headers=headers)
            if answer.status_code == 200:
                sent.append(minute + seconds / 60)
            else:
                assert answer.status_code == 429
                assert int(answer.headers["retry-after"]) > 0
    assert sent[:5] == [0, 8, 16, 24, 32], "as many as are allowed"
    for at in sent:
        assert sum(at <= other < at + 1 for other in sent) == 1
        assert sum(at <= other < at + 60 for other in sent) <= 5
        assert sum(at <= other < at + 24 * 60 for other in sent) <= 10
    assert len(sent) > 10, "and again the next day"


async def test_other_limits(client: httpx2.AsyncClient, database: Database) -> None:
    def number(last: int) -> dict[str, str]:
        return {"phoneNumber": f"1512345{last:04}"}

    answers = [await ask(client, body=number(n)) for n in range(21)]
    assert [answer.status_code for answer in answers] == [200] * 20 + [429], "by address"
    elsewhere = [
        await ask(client, body=number(n), headers=from_address(f"203.0.113.{n}"))
        for n in range(21, 52)
    ]
    assert [answer.status_code for answer in elsewhere] == [200] * 30 + [429], "by prefix"
    async with database.connection() as connection:
        rows = await connection.fetch("SELECT name, subject FROM handfast_limits.buckets")
    assert "1512345" not in f"{rows}", "numbers are hashed there too"


async def test_a_thousand_guesses_in_a_day(
    api: Litestar, client: httpx2.AsyncClient, database: Database
) -> None:
    """By many addresses and devices: at most ten requests, three tries each, are compared."""
    answers = []
    for step in range(13):
        await freeze(database, NOW + step * timedelta(minutes=110))
        headers = from_address(f"198.51.100.{step}")
        sent = await ask(client, f"device {step}", headers=headers)
        assert sent.status_code == (200 if step < 10 else 429)
        request = sent.json().get("requestId", str(uuid4()))
        right = right_code(api, request)
        answers += await asyncio.gather(
            *(
                try_code(client, request, f"{(int(right) + 1 + guess) % 10**6:06}")
                for guess in range(77)
            )
        )
    assert len(answers) == 1001
    assert {answer.status_code for answer in answers} == {401}
    async with database.connection() as connection:
        sql = "SELECT array_agg(tries ORDER BY created_at) FROM handfast_identity.otp_requests"
        assert await connection.fetchval(sql) == [3] * 10, "so many were compared, of 1001"


async def test_two_verifies_of_one_code(
    api: Litestar, client: httpx2.AsyncClient, database: Database
) -> None:
    request = (await ask(client)).json()["requestId"]
    code = right_code(api, request)
    answers = await asyncio.gather(*(try_code(client, request, code) for _ in range(3)))
    assert sorted(answer.status_code for answer in answers) == [200, 401, 401]
    async with database.connection() as connection:
        assert await connection.fetchval("SELECT count(*) FROM handfast_identity.sign_ins") == 1


COSTLY = {
    "premium rate": ("44", "9098790000"),
    "toll-free": ("1", "8002345678"),
    "shared cost": ("49", "1801234567"),
    "nobody's": ("49", "1111111111"),
    "of no country": ("999", "123456789"),
    "too long for any network": ("49", "301234567890123"),
}


@pytest.mark.parametrize("number", COSTLY)
async def test_numbers_that_are_refused(
    client: httpx2.AsyncClient, database: Database, number: str
) -> None:
    country, rest = COSTLY[number]
    refused = await ask(client, body={"countryCode": country, "phoneNumber": rest})
    assert (refused.status_code, refused.json()["code"]) == (422, "PHONE_NOT_USABLE"), refused.text
    async with database.connection() as connection:
        assert not await connection.fetchval("SELECT count(*) FROM handfast_identity.otp_requests")


BAD: list[dict[str, Any]] = [
    {"phoneNumber": "123456"},
    {"phoneNumber": "1" * 16},
    {"phoneNumber": 15123456789},
    {"phoneNumber": "１５１２３４５６７８９"},  # noqa: RUF001
    {"phoneNumber": "15123456789\n"},
    {"countryCode": "+49"},
    {"countryCode": ""},
    {"countryCode": "1234"},
    {"deviceId": ""},
    {"deviceId": "x" * 201},
    {"deviceId": "\0"},
    {"extra": 1},
]


@pytest.mark.parametrize("body", BAD, ids=str)
async def test_what_cannot_be_read(client: httpx2.AsyncClient, body: dict[str, Any]) -> None:
    assert (await ask(client, body=body)).status_code == 400


async def test_a_key_is_required(client: httpx2.AsyncClient) -> None:
    for path in ("/auth/otp/send", "/auth/otp/verify"):
        refused = await client.post(path, json={})
        assert (refused.status_code, refused.json()["code"]) == (400, "IDEMPOTENCY_KEY_MISSING")


async def test_whose_key_it_is(api: Litestar, client: httpx2.AsyncClient) -> None:
    """A send's is the phone's and the device's, a verify's its request's: also from elsewhere."""
    key = new_key()
    first = await ask(client, headers=key)
    moved = await ask(client, headers={**key, **from_address("203.0.113.9")})
    assert moved.headers["idempotent-replayed"] == "true"
    assert moved.json() == first.json()
    other = await ask(client, "another device", headers=key)
    assert other.status_code == 429, "not a conflict: it is another's key, and too soon"
    request = first.json()["requestId"]
    code = right_code(api, request)
    signed = await try_code(client, request, code, headers=key)
    replayed = await try_code(client, request, code, headers={**key, **from_address("203.0.113.9")})
    assert replayed.json() == signed.json()
    conflict = await try_code(client, request, wrong_code(code), headers=key)
    assert (conflict.status_code, conflict.json()["code"]) == (409, "IDEMPOTENCY_KEY_REUSED")


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[Statement[Any]]:
    """What was said to the database, in order; not what keeps claims alive, by a thread."""
    said: list[Statement[Any]] = []
    for name in ("all", "maybe", "run", "count"):  # `one` is `maybe`
        original = getattr(Statement, name)

        def heard(self: Statement[Any], *args: Any, _original: Any = original) -> Any:
            if threading.current_thread() is threading.main_thread():
                said.append(self)
            return _original(self, *args)

        monkeypatch.setattr(Statement, name, heard)
    return said


async def test_nobody_learns_whether_a_number_is_known(
    api: Litestar, client: httpx2.AsyncClient, statements: list[Statement[Any]]
) -> None:
    """The same statements in the same order, and none of them reads accounts."""
    await sign_in(api, E164)
    said: list[list[str]] = []
    for number in ("15123456789", "15198765432", "15123456789"):
        statements.clear()
        body = {"phoneNumber": number}
        answer = await ask(client, f"device {len(said)}", body=body)
        assert answer.status_code == (200 if len(said) < 2 else 429)
        said.append([one.name for one in statements])
    assert said[0] == said[1]
    assert "identity.add_otp_request" in said[0]
    names = {name for one in said for name in one}
    texts = " ".join(load(name) for name in names)
    function = Path(functions.__file__).parents[2] / "sql/functions/identity/otp/live_request.sql"
    for word in ("accounts", "banned", "sign_ins"):
        assert f"handfast_identity.{word}" not in texts + function.read_text()


async def test_what_is_in_the_clear(
    api: Litestar, client: httpx2.AsyncClient, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """The number and the code in no event, payload, audit, log line or kept answer."""
    with capture_logs() as logs:
        session = (await sign_in_by_code(api, client)).json()
    async with database.connection() as connection:
        tables = await connection.fetch(
            "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables"
            " WHERE schemaname LIKE 'handfast%' AND NOT (schemaname = 'handfast_identity'"
            " AND tablename IN ('accounts', 'otp_requests'))"
        )
        for (table,) in tables:
            rows = await connection.fetch(f"SELECT t::text FROM {table} AS t")
            for secret in ("15123456789", session["refreshToken"], session["accessToken"]):
                assert secret not in str(rows), (table, secret)
    said = f"{logs} {caplog.text}"
    for secret in ("15123456789", session["refreshToken"], session["accessToken"]):
        assert secret not in said
