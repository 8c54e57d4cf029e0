"""Who is signed in: by which tokens, for how long, and what ends it for the next request."""

import base64
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import httpx2
import msgspec
import pytest
from bench.roundtrips import counted
from joserfc import jwt
from joserfc.jwk import OctKey, OKPKey
from litestar import Litestar, Request, get, post
from litestar.datastructures import State

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api
from handfast.edge.http.policies import OPERATOR, PLAYER, USER, policy
from handfast.edge.http.signed_in import signed_in
from handfast.engine.system import System
from handfast.services.identity.authority import TokenAuthority
from handfast.services.identity.deletion import delete
from handfast.services.identity.suspension import reinstate, suspend
from handfast.services.identity.tokens import access
from handfast.services.identity.tokens.signing_keys import add_key
from handfast.wiring import load_settings
from tests.support.calling import OPERATOR_TOKEN, calling
from tests.support.clock import freeze
from tests.support.signed_in import Person, sign_in
from tests.support.systems import whole_system

NOW = datetime(2026, 11, 17, 12, tzinfo=UTC)


class Me(msgspec.Struct, rename="camel"):
    user_id: str
    sign_in_id: str


def me_of(request: Request[Any, Any, State]) -> Me:
    user = signed_in(request)
    return Me(str(user.user_id), str(user.sign_in_id))


@policy(USER)
@get("/me", sync_to_thread=False)
def me(request: Request[Any, Any, State]) -> Me:
    return me_of(request)


@policy(USER, suspended=True)
@get("/left", sync_to_thread=False)
def left(request: Request[Any, Any, State]) -> Me:
    return me_of(request)


@policy(PLAYER)
@post("/play", sync_to_thread=False, status_code=200)
def play(request: Request[Any, Any, State]) -> Me:
    return me_of(request)


@policy(USER, OPERATOR)
@get("/both", sync_to_thread=False)
def both() -> str:
    return "yours"


@pytest.fixture
def system(database: Database, dsn: str) -> System:
    return whole_system(load_settings(), database, Target(dsn))


@pytest.fixture
def api(system: System) -> Litestar:
    return create_api(system, OPERATOR_TOKEN, routes=[me, left, play, both])


@pytest.fixture
async def client(api: Litestar) -> AsyncIterator[httpx2.AsyncClient]:
    async with calling(api) as client:
        yield client


async def told(client: httpx2.AsyncClient, path: str, token: str) -> tuple[int, str]:
    answer = await client.get(path, headers={"Authorization": f"Bearer {token}"})
    return answer.status_code, answer.json().get("code", "") if answer.is_error else ""


async def test_a_handler_knows_who_is_signed_in(api: Litestar, client: httpx2.AsyncClient) -> None:
    anna = await sign_in(api)
    answer = await client.get("/me", headers=anna.headers)
    assert answer.json() == {"userId": str(anna.user_id), "signInId": str(anna.sign_in_id)}
    player = await client.post("/play", headers=anna.headers)
    assert player.json() == answer.json(), "a player is the user, under the same id"
    again = await sign_in(api, anna.phone)
    assert (again.user_id, again.sign_in_id == anna.sign_in_id) == (anna.user_id, False)


async def test_where_operators_may_too(api: Litestar, client: httpx2.AsyncClient) -> None:
    anna = await sign_in(api)
    assert (await told(client, "/both", anna.access_token))[0] == 200
    assert (await told(client, "/both", OPERATOR_TOKEN))[0] == 200
    assert await told(client, "/both", "nobody's") == (401, "TOKEN_INVALID")
    await client.post("/auth/logout", headers=anna.headers)
    for _ in range(20):  # more than an address may guess in a minute
        assert await told(client, "/both", anna.access_token) == (401, "TOKEN_REVOKED")
    assert (await told(client, "/both", OPERATOR_TOKEN))[0] == 200, "that was no guessing"


def forged(person: Person, api: Litestar) -> dict[str, Any]:
    """Tokens that look like Anna's, each wrong in one way."""
    head, body, signature = person.access_token.split(".")
    header = json.loads(base64.urlsafe_b64decode(head + "=="))
    claims = json.loads(base64.urlsafe_b64decode(body + "=="))
    authority: TokenAuthority = api.state.shared["identity"]
    [ours] = authority.keys._private.values()
    foreign = OKPKey.generate_key("Ed25519")

    def part(value: dict[str, Any]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    def signed(key: OKPKey, **other: Any) -> str:
        return jwt.encode(header, claims | other, key, algorithms=[access.ALGORITHM])

    public = ours.as_dict(private=False)["x"]
    symmetric = jwt.encode(
        header | {"alg": "HS256"}, claims, OctKey.import_key(str(public)), algorithms=["HS256"]
    )
    return {
        "no token at all": "abc",
        "two parts": f"{head}.{body}",
        "no base64": f"{head}.{body}.!!!",
        "a head that is no JSON": f"abcd.{body}.{signature}",
        "another's signature": signed(foreign),
        "another's claims": f"{head}.{part(claims | {'sub': str(uuid4())})}.{signature}",
        "alg none": f"{part(header | {'alg': 'none'})}.{body}.",
        "alg none, signed": f"{part(header | {'alg': 'none'})}.{body}.{signature}",
        "the public key as a secret": symmetric,
        "EdDSA": f"{part(header | {'alg': 'EdDSA'})}.{body}.{signature}",
        "no kid": f"{part({'alg': access.ALGORITHM})}.{body}.{signature}",
        "another kid": f"{part(header | {'kid': 'x'})}.{body}.{signature}",
        "another audience": signed(ours, aud="somebody else"),
        "several audiences": signed(ours, aud=["handfast"]),
        "another issuer": signed(ours, iss="somebody else"),
        "no expiry": signed(ours, exp=None),
        "an expiry in words": signed(ours, exp="tomorrow"),
        "another user": signed(ours, sub=str(uuid4())),
        "no sign-in": signed(ours, sid="7"),
        "far too long": person.access_token + "a" * 10_000,
    }


async def test_tokens_that_are_no_good(api: Litestar, client: httpx2.AsyncClient) -> None:
    anna = await sign_in(api)
    wrong = forged(anna, api)
    for name, token in wrong.items():
        assert await told(client, "/me", token) == (401, "TOKEN_INVALID"), name
    answer = await client.get("/me", headers={"Authorization": f"Bearer {wrong['EdDSA']}"})
    assert answer.headers["www-authenticate"] == "Bearer"
    assert (await told(client, "/me", anna.access_token))[0] == 200


async def test_a_token_for_something_else(api: Litestar, client: httpx2.AsyncClient) -> None:
    anna = await sign_in(api)
    authority: TokenAuthority = api.state.shared["identity"]
    [(kid, key)] = authority.keys._private.items()
    claims = access.read(anna.access_token, key, kid, issuer="handfast", audience="handfast").claims
    for scope, statuses in (("user", (200, 403)), ("player", (403, 200)), ("else", (403, 403))):
        token = access.sign(key, kid, msgspec.structs.replace(claims, scope=scope))
        headers = {"Authorization": f"Bearer {token}"}
        mine = await client.get("/me", headers=headers)
        played = await client.post("/play", headers=headers)
        assert (mine.status_code, played.status_code) == statuses, scope
        assert scope != "else" or mine.json()["code"] == "INSUFFICIENT_SCOPE"


async def test_time_ends_tokens_and_sign_ins(
    api: Litestar, client: httpx2.AsyncClient, database: Database
) -> None:
    await freeze(database, NOW)
    anna = await sign_in(api)
    for later, wanted in (
        (timedelta(minutes=14, seconds=59), (200, "")),
        (timedelta(minutes=15), (401, "TOKEN_EXPIRED")),
        (timedelta(days=30), (401, "SESSION_EXPIRED")),
    ):
        await freeze(database, NOW + later)
        assert await told(client, "/me", anna.access_token) == wanted, later


async def test_what_ends_a_sign_in(api: Litestar, client: httpx2.AsyncClient) -> None:
    system: System = api.state.system
    anna = await sign_in(api)
    out = await client.post("/auth/logout", headers=anna.headers)
    assert (out.status_code, out.content) == (204, b"")
    assert await told(client, "/me", anna.access_token) == (401, "TOKEN_REVOKED")
    assert (await client.post("/auth/logout", headers=anna.headers)).status_code == 401
    bob = await sign_in(api)
    async with system.database.transaction() as tx:
        await delete(tx, system.hooks, bob.user_id)
    assert await told(client, "/left", bob.access_token) == (401, "TOKEN_REVOKED")


async def test_own_sign_ins(api: Litestar, client: httpx2.AsyncClient) -> None:
    anna, bob = await sign_in(api), await sign_in(api)
    others = [await sign_in(api, anna.phone) for _ in range(3)]
    listed = (await client.get("/auth/sessions", headers=anna.headers)).json()["sessions"]
    assert [one["id"] for one in listed] == [
        *(str(one.sign_in_id) for one in reversed(others)),
        str(anna.sign_in_id),
    ]
    assert [one["current"] for one in listed] == [False, False, False, True]
    for which, status in ((others[0], 204), (others[0], 404), (bob, 404)):
        where = f"/auth/sessions/{which.sign_in_id}"
        assert (await client.delete(where, headers=anna.headers)).status_code == status
    assert await told(client, "/me", others[0].access_token) == (401, "TOKEN_REVOKED")
    assert (await told(client, "/me", bob.access_token))[0] == 200


async def test_a_sixth_ends_the_oldest(api: Litestar, client: httpx2.AsyncClient) -> None:
    anna = await sign_in(api)
    others = [await sign_in(api, anna.phone) for _ in range(4)]
    assert (await told(client, "/me", anna.access_token))[0] == 200
    sixth = await sign_in(api, anna.phone)
    assert await told(client, "/me", anna.access_token) == (401, "TOKEN_REVOKED")
    for one in (*others, sixth):
        assert (await told(client, "/me", one.access_token))[0] == 200


async def test_what_expired_ends_before_what_is_in_use(
    api: Litestar, client: httpx2.AsyncClient, database: Database
) -> None:
    await freeze(database, NOW)
    anna = await sign_in(api)
    for _ in range(4):
        await sign_in(api, anna.phone)
    async with database.transaction() as tx:  # nobody used the other four for a month
        await tx.execute(
            "UPDATE handfast_identity.sign_ins SET idle_until = handfast_db.now() WHERE id <> $1",
            anna.sign_in_id,
        )
    await sign_in(api, anna.phone)
    assert (await told(client, "/me", anna.access_token))[0] == 200
    listed = (await client.get("/auth/sessions", headers=anna.headers)).json()["sessions"]
    assert len(listed) == 2


async def test_what_a_suspension_leaves(
    api: Litestar, client: httpx2.AsyncClient, database: Database
) -> None:
    system: System = api.state.system
    await freeze(database, NOW)
    anna = await sign_in(api)
    until = NOW + timedelta(minutes=5)
    async with database.transaction() as tx:
        account = await suspend(tx, system.hooks, anna.user_id, until=until)
    refused = await client.get("/me", headers=anna.headers)
    said = refused.json()
    assert (refused.status_code, said["code"]) == (403, "ACCOUNT_SUSPENDED")
    assert (said["actionId"], said["until"]) == (str(account.action_id), "2026-11-17T12:05:00Z")
    assert (await told(client, "/left", anna.access_token))[0] == 200
    assert (await client.get("/auth/sessions", headers=anna.headers)).status_code == 403
    await freeze(database, until)
    assert (await told(client, "/me", anna.access_token))[0] == 200, "its time is up"
    async with database.transaction() as tx:
        await reinstate(tx, system.hooks, anna.user_id)
        await suspend(tx, system.hooks, anna.user_id)
    assert (await client.get("/me", headers=anna.headers)).json()["until"] is None
    assert (await client.post("/auth/logout", headers=anna.headers)).status_code == 204


async def test_keys_change_under_live_tokens(
    api: Litestar, client: httpx2.AsyncClient, database: Database
) -> None:
    authority: TokenAuthority = api.state.shared["identity"]
    await freeze(database, NOW)
    before = await sign_in(api)
    assert (await told(client, "/me", before.access_token))[0] == 200

    async def add(*, max_age: timedelta | None, revoke: bool = False) -> bool:
        async with database.connection() as connection:
            return await add_key(connection, authority.secret, max_age=max_age, revoke=revoke)

    async def kids() -> list[str]:
        answer = await client.get("/.well-known/jwks.json")
        assert answer.headers["cache-control"] == "public, max-age=300"
        return [key["kid"] for key in answer.json()["keys"]]

    [first] = await kids()
    assert not await add(max_age=timedelta(days=90)), "young enough"
    await freeze(database, NOW + timedelta(days=90))
    old = await sign_in(api)
    assert await add(max_age=timedelta(days=90))
    published = await kids()
    assert (len(published), published[1]) == (2, first), "known before it signs"
    assert access.kid_of((await sign_in(api)).access_token) == first
    await freeze(database, NOW + timedelta(days=90, minutes=10))
    new = await sign_in(api)
    assert access.kid_of(new.access_token) == published[0]
    for one in (old, new):
        assert (await told(client, "/me", one.access_token))[0] == 200
    await freeze(database, NOW + timedelta(days=91, minutes=11))
    assert await kids() == [published[0]]
    assert await told(client, "/me", old.access_token) == (401, "TOKEN_INVALID")
    newest = await sign_in(api)
    assert await add(max_age=None, revoke=True)
    assert await told(client, "/me", newest.access_token) == (401, "TOKEN_INVALID")
    assert (await told(client, "/me", (await sign_in(api)).access_token))[0] == 200


async def test_round_trips(dsn: str, api: Litestar) -> None:
    """Whether somebody is signed in costs one; with the handler's own read there are two."""
    anna = await sign_in(api)
    async with counted(dsn) as wire, await Database.open(Target(wire.dsn), pool_size=1) as through:
        proxied = create_api(
            whole_system(load_settings(), through, Target(wire.dsn)), OPERATOR_TOKEN, routes=[me]
        )
        async with calling(proxied) as client:
            for path, trips in (("/me", 1), ("/auth/sessions", 2)):
                for _ in range(3):  # keys are read and statements prepared the first time
                    wire.reset()
                    assert (await client.get(path, headers=anna.headers)).status_code == 200
                assert wire.trips == trips, path
