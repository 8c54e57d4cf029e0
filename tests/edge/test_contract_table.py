"""What a repetition does, for each endpoint of the contract's table: thirteen that are idempotent,
three that are not. One test for a row, named as the source names it. Every repetition is sent to
another server process on the same database."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import pytest
from litestar import Litestar

from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.pool import Database
from handfast.edge.http.app import create_api
from handfast.wiring import load_settings
from tests.conftest import TEMPLATE, a_database
from tests.support.calling import OPERATOR_TOKEN
from tests.support.matched import Pair, matched, offer_each_other
from tests.support.otp import new_key
from tests.support.people import Caller, key
from tests.support.pictures import photo
from tests.support.signed_in import sign_in
from tests.support.systems import whole_system
from tests.support.two_servers import two_servers

CODE = "123456"
NUMBERS = [f"500555000{digit}" for digit in range(6, 9)]  # one for each test that needs a code

# As the source has them; the test of each has its name.
IDEMPOTENT = {
    "POST /auth/otp/send",
    "POST /auth/otp/verify",
    "PATCH /users/me",
    "POST /users/me/photos",
    "POST /compatibility/responses",
    "POST /verification/session",
    "POST /matches/offers/{id}/action",
    "POST /matches/{id}/unmatch",
    "POST /matches/{id}/messages",
    "POST /matches/{id}/read",
    "POST /safety/report",
    "POST /safety/block",
    "POST /safety/appeal",
}
NOT_IDEMPOTENT = {
    "POST /auth/refresh",
    "POST /auth/logout",
    "DELETE /users/me/photos/{id}",
}


@pytest.fixture(scope="module")
def shared(
    server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, str, str]]:
    """A database, and the addresses of two server processes on it, for all rows."""
    numbers = ",".join(f"+1{number}={CODE}" for number in NUMBERS)
    with asyncio.Runner() as runner:
        databases = asynccontextmanager(a_database)(server, TEMPLATE)
        dsn = runner.run(databases.__aenter__())
        folder = tmp_path_factory.mktemp("pictures")
        with two_servers(dsn, folder, HANDFAST_TEST_NUMBERS=numbers) as urls:
            yield dsn, *urls
        runner.run(databases.__aexit__(None, None, None))


@pytest.fixture
async def database(shared: tuple[str, str, str]) -> AsyncIterator[Database]:
    async with await Database.open(Target(shared[0]), pool_size=4) as database:
        yield database


class Twice:
    """Requests of a user: first here, then at the other server."""

    def __init__(
        self, entrance: Litestar, here: httpx2.AsyncClient, there: httpx2.AsyncClient
    ) -> None:
        self._entrance = entrance  # where people are made; nothing is asked of it
        self.here, self.there = here, there

    async def somebody(self) -> Caller:
        return Caller(await sign_in(self._entrance), self.here)

    async def pair(self) -> Pair:
        found = await matched(self._entrance)
        found.ada.client = found.bob.client = self.here
        return found

    def elsewhere(self, who: Caller) -> Caller:
        return Caller(who.person, self.there)

    async def same_key(
        self, who: Caller, method: str, path: str, **body: Any
    ) -> tuple[httpx2.Response, httpx2.Response]:
        same = key()
        first = await who.send(method, path, headers=same, **body)
        again = await self.elsewhere(who).send(method, path, headers=same, **body)
        assert again.status_code == first.status_code, again.text
        assert again.headers["idempotent-replayed"] == "true"
        assert again.json() == first.json()
        return first, again

    async def new_key(self, who: Caller, method: str, path: str, **body: Any) -> httpx2.Response:
        return await self.elsewhere(who).send(method, path, **body)


@pytest.fixture
async def twice(
    shared: tuple[str, str, str], database: Database, tmp_path: Path
) -> AsyncIterator[Twice]:
    system = whole_system(load_settings(data_dir=tmp_path), database, Target(shared[0]))
    entrance = create_api(system, OPERATOR_TOKEN, idempotency_secret="s" * 40)
    async with (
        httpx2.AsyncClient(base_url=shared[1], timeout=60) as here,
        httpx2.AsyncClient(base_url=shared[2], timeout=60) as there,
    ):
        yield Twice(entrance, here, there)


def test_every_row_is_here() -> None:
    def name(row: str) -> str:
        method, _, path = row.partition(" ")
        words = path.replace("{id}", "id").strip("/").replace("/", "_")
        return f"test_{method.lower()}_{words}"

    assert (len(IDEMPOTENT), len(NOT_IDEMPOTENT)) == (13, 3)
    assert {name(row) for row in IDEMPOTENT | NOT_IDEMPOTENT} <= set(globals())


async def post(
    client: httpx2.AsyncClient, path: str, body: Any, headers: dict[str, str] | None = None
) -> httpx2.Response:
    return await client.post(path, json=body, headers=headers or {})


def phone(number: str) -> dict[str, str]:
    return {"countryCode": "1", "phoneNumber": number, "deviceId": "phone"}


async def signed_in_by_code(
    twice: Twice, number: str
) -> tuple[httpx2.Response, dict[str, str], Any]:
    sent = await post(twice.here, "/auth/otp/send", phone(number), new_key())
    body = {"requestId": sent.json()["requestId"], "code": CODE, "deviceId": "phone"}
    headers = new_key()
    return await post(twice.here, "/auth/otp/verify", body, headers), headers, body


# --- idempotent -----------------------------------------------------------------------------------


async def test_post_auth_otp_send(twice: Twice) -> None:
    """The same requestId for ten minutes, whatever the key."""
    first = await post(twice.here, "/auth/otp/send", phone(NUMBERS[0]), new_key())
    again = await post(twice.there, "/auth/otp/send", phone(NUMBERS[0]), new_key())
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json()["requestId"] == again.json()["requestId"]


async def test_post_auth_otp_verify(twice: Twice) -> None:
    """The same key and payload: the same tokens; never after a logout."""
    first, headers, body = await signed_in_by_code(twice, NUMBERS[1])
    again = await post(twice.there, "/auth/otp/verify", body, headers)
    assert (first.status_code, again.json()) == (200, first.json())
    bearer = {"Authorization": f"Bearer {first.json()['accessToken']}"}
    assert (await post(twice.there, "/auth/logout", {}, bearer)).status_code == 204
    late = await post(twice.here, "/auth/otp/verify", body, headers)
    assert late.is_client_error
    assert "accessToken" not in late.json()


async def test_patch_users_me(twice: Twice) -> None:
    """The last write wins; a key is optional."""
    ada = await twice.somebody()
    await twice.same_key(ada, "PATCH", "/users/me", json={"bio": "Lakes."})
    assert (await twice.new_key(ada, "PATCH", "/users/me", json={"bio": "Hills."})).is_success
    assert (await ada.get("/users/me")).json()["bio"] == "Hills."
    keyless = await ada.client.patch("/users/me", headers=ada.person.headers, json={"bio": "Sea."})
    assert keyless.json()["bio"] == "Sea."


async def test_post_users_me_photos(twice: Twice) -> None:
    """The same key: the same photo; the same bytes under another: 409."""
    ada = await twice.somebody()
    files = {"photo": ("a.jpg", photo())}
    first, _ = await twice.same_key(ada, "POST", "/users/me/photos", files=files)
    assert first.status_code == 201
    assert (await twice.new_key(ada, "POST", "/users/me/photos", files=files)).status_code == 409


async def test_post_compatibility_responses(twice: Twice) -> None:
    """The same responses overwrite."""
    ada = await twice.somebody()
    body = {"version": 1, "responses": [{"questionId": "time_alone", "answer": 3}]}
    first, _ = await twice.same_key(ada, "POST", "/compatibility/responses", json=body)
    again = await twice.new_key(ada, "POST", "/compatibility/responses", json=body)
    assert (again.status_code, again.json()) == (200, first.json())


async def test_post_verification_session(twice: Twice) -> None:
    """The same session for five minutes."""
    ada = await twice.somebody()
    await ada.patch(birthDate="1990-12-10")
    body = {"consentVersion": "1"}
    first, _ = await twice.same_key(ada, "POST", "/verification/session", json=body)
    again = await twice.new_key(ada, "POST", "/verification/session", json=body)
    assert (again.status_code, again.json()) == (201, first.json())


async def test_post_matches_offers_id_action(database: Database, twice: Twice) -> None:
    """The same action: the same state."""
    ada, bob = await twice.somebody(), await twice.somebody()
    async with database.transaction() as tx:
        await tx.execute(
            "UPDATE handfast_people.users SET verified_at = created_at, questionnaire_done = true"
        )
    await offer_each_other(database, ada.id, bob.id)
    (offer,) = (await ada.get("/matches/offers")).json()["offers"]
    path, body = f"/matches/offers/{offer['id']}/action", {"action": "accept"}
    first, _ = await twice.same_key(ada, "POST", path, json=body)
    again = await twice.new_key(ada, "POST", path, json=body)
    assert (again.status_code, again.json()) == (200, first.json())
    other = await twice.new_key(ada, "POST", path, json={"action": "pass"})
    assert other.status_code == 409


async def told(pair: Pair, kind: str) -> int:
    """How often both were told of such a thing."""
    events = "SELECT count(*) FROM handfast_engine.events WHERE type = $1 AND aggregate = $2"
    return int(await pair.value(events, kind, f"match:{pair.match_id}"))


@pytest.fixture
async def pair(twice: Twice) -> Pair:
    return await twice.pair()


async def test_post_matches_id_unmatch(pair: Pair, twice: Twice) -> None:
    """A no-op if it is over already, by whomever."""
    path = f"{pair.path}/unmatch"
    first, _ = await twice.same_key(pair.ada, "POST", path, json={})
    again = await twice.new_key(pair.ada, "POST", path, json={})
    assert (again.status_code, again.json()) == (200, first.json())
    theirs = await twice.new_key(pair.bob, "POST", path, json={})
    assert theirs.json()["closedAt"] == first.json()["closedAt"]
    assert await told(pair, "match.closed") == 1


async def test_post_matches_id_messages(pair: Pair, twice: Twice) -> None:
    """Deduplicated by clientMessageId: 200 with the stored one; with another text 409."""
    path, body = f"{pair.path}/messages", {"content": "Hello.", "clientMessageId": "c-1"}
    first, _ = await twice.same_key(pair.ada, "POST", path, json=body)
    assert first.status_code == 201
    again = await twice.new_key(pair.ada, "POST", path, json=body)
    assert (again.status_code, again.json()) == (200, first.json())
    other = await twice.new_key(pair.ada, "POST", path, json={**body, "content": "Bye."})
    assert other.status_code == 409
    assert len((await pair.shown(pair.bob))["messages"]) == 1


async def test_post_matches_id_read(pair: Pair, twice: Twice) -> None:
    """A no-op the second time."""
    await pair.sent(pair.ada, "Hello.")
    path = f"{pair.path}/read"
    first, _ = await twice.same_key(pair.bob, "POST", path, json={})
    again = await twice.new_key(pair.bob, "POST", path, json={})
    assert (again.status_code, again.json()) == (200, first.json())
    assert await told(pair, "chat.read") == 1


async def test_post_safety_report(pair: Pair, twice: Twice) -> None:
    """A duplicate is rejected within the hour, with the id of the first."""
    body = {"type": "user", "subjectId": str(pair.bob.id), "category": "scam"}
    first, _ = await twice.same_key(pair.ada, "POST", "/safety/report", json=body)
    assert first.status_code == 201
    again = await twice.new_key(pair.ada, "POST", "/safety/report", json=body)
    assert (again.status_code, again.json()["existingId"]) == (409, first.json()["reportId"])


async def test_post_safety_block(pair: Pair, twice: Twice) -> None:
    """A no-op if blocked already."""
    body = {"userId": str(pair.bob.id)}
    first, _ = await twice.same_key(pair.ada, "POST", "/safety/block", json=body)
    again = await twice.new_key(pair.ada, "POST", "/safety/block", json=body)
    assert (again.status_code, again.json()) == (200, first.json())
    blocks = (await twice.elsewhere(pair.ada).get("/users/me/blocks")).json()["blocks"]
    assert [one["userId"] for one in blocks] == [str(pair.bob.id)]
    path = f"/users/me/blocks/{pair.bob.id}"
    assert (await twice.new_key(pair.ada, "DELETE", path)).status_code == 204
    assert (await pair.ada.send("DELETE", path)).status_code == 404


async def test_post_safety_appeal(pair: Pair, twice: Twice) -> None:
    """A duplicate is rejected, with the id of the first."""
    operator = {"Authorization": f"Bearer {OPERATOR_TOKEN}"}
    body = {"reason": "because", "days": 3}
    done = await post(twice.here, f"/admin/users/{pair.bob.id}/suspend", body, operator)
    sent = {"actionId": done.json()["actionId"], "reason": "It was a joke."}
    first, _ = await twice.same_key(pair.bob, "POST", "/safety/appeal", json=sent)
    assert first.status_code == 201
    again = await twice.new_key(pair.bob, "POST", "/safety/appeal", json=sent)
    assert (again.status_code, again.json()["existingId"]) == (409, first.json()["appealId"])


# --- not idempotent -------------------------------------------------------------------------------


async def test_post_auth_refresh(twice: Twice) -> None:
    """A key is ignored: the second gets another access token, and the same successor (R23)."""
    first, _, _ = await signed_in_by_code(twice, NUMBERS[2])
    body, same = {"refreshToken": first.json()["refreshToken"], "deviceId": "phone"}, new_key()
    one = await post(twice.here, "/auth/refresh", body, same)
    two = await post(twice.there, "/auth/refresh", body, same)
    assert (one.status_code, two.status_code) == (200, 200)
    assert "idempotent-replayed" not in two.headers
    assert one.json()["refreshToken"] == two.json()["refreshToken"]


async def test_post_auth_logout(twice: Twice) -> None:
    """A key is ignored: the second is 401."""
    ada = await twice.somebody()
    same = key()
    assert (await ada.send("POST", "/auth/logout", headers=same)).status_code == 204
    again = await twice.elsewhere(ada).send("POST", "/auth/logout", headers=same)
    assert again.status_code == 401


async def test_delete_users_me_photos_id(twice: Twice) -> None:
    """A key is ignored: the second is 404."""
    ada = await twice.somebody()
    made = await ada.add_photo()
    path, same = f"/users/me/photos/{UUID(made.json()['id'])}", key()
    assert (await ada.send("DELETE", path, headers=same)).status_code == 204
    again = await twice.elsewhere(ada).send("DELETE", path, headers=same)
    assert again.status_code == 404
