"""Staying signed in: one successor for each token, theft, and what ends the replays of verify."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest
from litestar import Litestar

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api
from handfast.engine.system import System
from handfast.services.idempotency.stores.postgres import PostgresStore
from handfast.services.idempotency.stores.store import Call, ClaimAnswer
from handfast.services.identity.deletion import delete
from handfast.services.identity.secret import Purpose
from handfast.services.identity.suspension import suspend
from handfast.wiring import load_settings
from tests.support.calling import OPERATOR_TOKEN, calling
from tests.support.clock import freeze
from tests.support.otp import ask, new_key, right_code, try_code
from tests.support.signed_in import Person, sign_in
from tests.support.systems import whole_system

NOW = datetime(2026, 11, 17, 12, tzinfo=UTC)


@pytest.fixture
def system(database: Database, dsn: str) -> System:
    settings = load_settings(trusted_proxies="127.0.0.1")
    return whole_system(settings, database, Target(dsn))


@pytest.fixture
def api(system: System) -> Litestar:
    return create_api(system, OPERATOR_TOKEN)


@pytest.fixture
async def client(api: Litestar) -> AsyncIterator[httpx2.AsyncClient]:
    async with calling(api) as client:
        yield client


async def refresh(
    client: httpx2.AsyncClient, token: str, device: str | None = None, address: str = "203.0.113.1"
) -> httpx2.Response:
    body = {"refreshToken": token} | ({} if device is None else {"deviceId": device})
    return await client.post("/auth/refresh", json=body, headers={"X-Forwarded-For": address})


def code(answer: httpx2.Response) -> str:
    return str(answer.json()["code"])


async def works(client: httpx2.AsyncClient, token: str) -> bool:
    headers = {"Authorization": f"Bearer {token}"}
    return (await client.get("/auth/sessions", headers=headers)).status_code == 200


async def events(database: Database) -> list[tuple[str, str]]:
    async with database.connection() as connection:
        sql = "SELECT type, aggregate FROM handfast_engine.events ORDER BY at"
        return [tuple(row) for row in await connection.fetch(sql)]


async def test_a_new_pair_each_time(api: Litestar, client: httpx2.AsyncClient) -> None:
    anna = await sign_in(api, device="phone")
    token, seen = anna.refresh_token, {anna.refresh_token}
    for _ in range(3):
        answer = await refresh(client, token, "phone")
        assert answer.status_code == 200, answer.text
        assert set(answer.json()) == {"accessToken", "refreshToken", "expiresIn"}
        token = answer.json()["refreshToken"]
        seen.add(token)
        assert await works(client, answer.json()["accessToken"])
    assert len(seen) == 4
    assert await works(client, anna.access_token), "the sign-in is the same"


@pytest.mark.parametrize("device", ["phone", None])
async def test_twenty_at_once_have_one_successor(
    api: Litestar, client: httpx2.AsyncClient, database: Database, device: str | None
) -> None:
    anna = await sign_in(api, device=device)
    answers = await asyncio.gather(
        *(refresh(client, anna.refresh_token, device) for _ in range(20))
    )
    assert {answer.status_code for answer in answers} == {200}
    [successor] = {answer.json()["refreshToken"] for answer in answers}
    for answer in answers:
        assert await works(client, answer.json()["accessToken"]), "nobody is signed out"
    async with database.connection() as connection:
        sql = "SELECT count(*) FROM handfast_identity.refresh_tokens"
        assert await connection.fetchval(sql) == 2
    assert (await refresh(client, successor, device)).status_code == 200
    late = await refresh(client, anna.refresh_token, device)
    assert late.json()["refreshToken"] == successor, "also if it was spent meanwhile"
    assert await events(database) == []


THIEVES: dict[str, tuple[str | None, dict[str, Any], timedelta]] = {
    "later": ("phone", {"device": "phone"}, timedelta(seconds=20)),
    "from another device": ("phone", {"device": "another"}, timedelta(seconds=1)),
    "without the device": ("phone", {}, timedelta(seconds=1)),
    "from another address": (None, {"address": "203.0.113.99"}, timedelta(seconds=1)),
    "from another address, with a device": (
        None,
        {"address": "203.0.113.99", "device": "phone"},
        timedelta(seconds=1),
    ),
}


@pytest.mark.parametrize("how", THIEVES)
async def test_theft(
    api: Litestar, client: httpx2.AsyncClient, database: Database, how: str
) -> None:
    device, thief, later = THIEVES[how]
    await freeze(database, NOW)
    anna = await sign_in(api, device=device)
    other = await sign_in(api, anna.phone)
    first = await refresh(client, anna.refresh_token, device)
    await freeze(database, NOW + later)
    refused = await refresh(client, anna.refresh_token, **thief)
    assert (refused.status_code, code(refused)) == (401, "REFRESH_TOKEN_REUSED")
    assert not await works(client, first.json()["accessToken"]), "the family is ended"
    honest = await refresh(client, first.json()["refreshToken"], device)
    assert (honest.status_code, code(honest)) == (401, "REFRESH_TOKEN_REVOKED")
    assert await events(database) == [("auth.refresh_reused", f"user:{anna.user_id}")]
    assert await works(client, other.access_token), "only this one"


async def test_just_before_it_is_late(
    api: Litestar, client: httpx2.AsyncClient, database: Database
) -> None:
    await freeze(database, NOW)
    anna = await sign_in(api, device="phone")
    first = await refresh(client, anna.refresh_token, "phone")
    await freeze(database, NOW + timedelta(seconds=19.9))
    again = await refresh(client, anna.refresh_token, "phone", "198.51.100.7")
    assert again.json()["refreshToken"] == first.json()["refreshToken"]


async def test_a_device_that_was_never_signed_in(
    api: Litestar, client: httpx2.AsyncClient, database: Database
) -> None:
    """The token is the device's: whoever comes with it from another has stolen it."""
    anna = await sign_in(api, device="phone")
    assert code(await refresh(client, anna.refresh_token, "another")) == "REFRESH_TOKEN_REUSED"
    assert await events(database) == [("auth.refresh_reused", f"user:{anna.user_id}")]
    bob = await sign_in(api, device="phone")
    assert (await refresh(client, bob.refresh_token)).status_code == 200, "it need not say"


OLD, NEW = "the-secret-that-was-there-before-it-changed", "the-secret-that-is-there-from-now-on"


def api_with(database: Database, dsn: str, *secrets: str) -> Litestar:
    settings = load_settings(trusted_proxies="127.0.0.1", identity_secret=",".join(secrets))
    return create_api(whole_system(settings, database, Target(dsn)), OPERATOR_TOKEN)


async def test_a_device_outlives_the_secret(database: Database, dsn: str) -> None:
    """Whoever comes by while both secrets are there is known under the new one from then on."""
    before = api_with(database, dsn, OLD)
    anna, bob, eve = [await sign_in(before, device="phone") for _ in range(3)]
    both = api_with(database, dsn, NEW, OLD)
    async with calling(both) as client:
        first = await refresh(client, anna.refresh_token, "phone")
        assert first.status_code == 200, first.text
        silent = await refresh(client, bob.refresh_token)
        assert silent.status_code == 200, "it need not say"
        thief = await refresh(client, eve.refresh_token, "another")
        assert code(thief) == "REFRESH_TOKEN_REUSED"
    new, old = both.state.shared["identity"].secret.digests(Purpose.DEVICE, "phone")
    async with database.connection() as connection:
        sql = "SELECT id, device_hash FROM handfast_identity.sign_ins"
        kept = {row[0]: row[1] for row in await connection.fetch(sql)}
    assert kept == {anna.sign_in_id: new, bob.sign_in_id: old, eve.sign_in_id: old}


@pytest.mark.parametrize("device", ["phone", None])
async def test_the_grace_outlives_the_secret(
    database: Database, dsn: str, device: str | None
) -> None:
    await freeze(database, NOW)
    before, both = api_with(database, dsn, OLD), api_with(database, dsn, NEW, OLD)
    anna = await sign_in(before, device=device)
    async with calling(before) as client:
        first = await refresh(client, anna.refresh_token, device)
    async with calling(both) as client:
        again = await refresh(client, anna.refresh_token, device)
        assert again.status_code == 200, again.text
        assert again.json()["refreshToken"] == first.json()["refreshToken"]
        thief = await refresh(client, anna.refresh_token, "another", "203.0.113.99")
        assert code(thief) == "REFRESH_TOKEN_REUSED"


async def test_what_ends_refresh_tokens(
    api: Litestar, client: httpx2.AsyncClient, database: Database
) -> None:
    await freeze(database, NOW)
    anna, bob = await sign_in(api), await sign_in(api)
    assert code(await refresh(client, "hf_refresh_nobody")) == "TOKEN_INVALID"
    token = bob.refresh_token
    for day in (29, 58, 87):
        await freeze(database, NOW + timedelta(days=day))
        answer = await refresh(client, token)
        assert answer.status_code == 200, answer.text
        token = answer.json()["refreshToken"]
    assert code(await refresh(client, anna.refresh_token)) == "REFRESH_TOKEN_EXPIRED", (
        "30 days idle"
    )
    await freeze(database, NOW + timedelta(days=90))
    assert code(await refresh(client, token)) == "REFRESH_TOKEN_EXPIRED", "90 days at most"


async def test_a_suspended_user_may_refresh(
    api: Litestar, client: httpx2.AsyncClient, system: System
) -> None:
    anna = await sign_in(api)
    async with system.database.transaction() as tx:
        await suspend(tx, system.hooks, anna.user_id)
    assert (await refresh(client, anna.refresh_token)).status_code == 200


# --- replays of verify ----------------------------------------------------------------------------


async def verified(
    api: Litestar, client: httpx2.AsyncClient
) -> tuple[Person, tuple[str, str], dict[str, str]]:
    """Somebody, and what to send again."""
    request = (await ask(client)).json()["requestId"]
    said, key = (request, right_code(api, request)), new_key()
    answer = (await try_code(client, *said, headers=key)).json()
    headers = {"Authorization": f"Bearer {answer['accessToken']}"}
    [mine] = (await client.get("/auth/sessions", headers=headers)).json()["sessions"]
    person = Person(
        answer["user"]["id"], mine["id"], "", answer["accessToken"], answer["refreshToken"]
    )
    return person, said, key


async def log_out(client: httpx2.AsyncClient, person: Person, system: System) -> None:
    assert (await client.post("/auth/logout", headers=person.headers)).status_code == 204


async def refresh_once(client: httpx2.AsyncClient, person: Person, system: System) -> None:
    assert (await refresh(client, person.refresh_token, "phone")).status_code == 200


async def suspended(client: httpx2.AsyncClient, person: Person, system: System) -> None:
    async with system.database.transaction() as tx:
        await suspend(tx, system.hooks, person.user_id)


async def deleted(client: httpx2.AsyncClient, person: Person, system: System) -> None:
    async with system.database.transaction() as tx:
        await delete(tx, system.hooks, person.user_id)


async def end_session(client: httpx2.AsyncClient, person: Person, system: System) -> None:
    where = f"/auth/sessions/{person.sign_in_id}"
    assert (await client.delete(where, headers=person.headers)).status_code == 204


async def thief_came(client: httpx2.AsyncClient, person: Person, system: System) -> None:
    assert (await refresh(client, person.refresh_token, "another")).status_code == 401


ENDS = [log_out, refresh_once, suspended, deleted, end_session, thief_came]


@pytest.mark.parametrize("end", ENDS)
async def test_verify_is_replayed_until(
    api: Litestar, client: httpx2.AsyncClient, system: System, end: Any
) -> None:
    person, said, key = await verified(api, client)
    replayed = await try_code(client, *said, headers=key)
    assert replayed.headers["idempotent-replayed"] == "true"
    assert replayed.json()["accessToken"] == person.access_token
    await end(client, person, system)
    refused = await try_code(client, *said, headers=key)
    assert (refused.status_code, code(refused)) == (409, "IDEMPOTENCY_RESPONSE_NOT_KEPT")
    assert person.refresh_token not in refused.text


@pytest.mark.parametrize("end", ENDS)
async def test_nor_by_one_that_had_read_it(
    api: Litestar,
    client: httpx2.AsyncClient,
    system: System,
    end: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The replay has the record in its hand; then the sign-in ends; then it goes on."""
    person, said, key = await verified(api, client)
    has_read, may_go_on = asyncio.Event(), asyncio.Event()
    claim = PostgresStore.claim

    async def slow_claim(self: PostgresStore, call: Call) -> ClaimAnswer:
        claimed = await claim(self, call)
        assert claimed.answer is not None
        has_read.set()
        await may_go_on.wait()
        return claimed

    monkeypatch.setattr(PostgresStore, "claim", slow_claim)
    late = asyncio.create_task(try_code(client, *said, headers=key))
    await has_read.wait()
    await end(client, person, system)
    may_go_on.set()
    refused = await late
    assert (refused.status_code, code(refused)) == (409, "IDEMPOTENCY_RESPONSE_NOT_KEPT")
    assert person.refresh_token not in refused.text


async def test_for_five_minutes(
    api: Litestar, client: httpx2.AsyncClient, database: Database
) -> None:
    await freeze(database, NOW)
    _, said, key = await verified(api, client)
    await freeze(database, NOW + timedelta(minutes=4, seconds=59))
    assert (await try_code(client, *said, headers=key)).status_code == 200
    await freeze(database, NOW + timedelta(minutes=5))
    assert (await try_code(client, *said, headers=key)).status_code == 401, "the code is used"
