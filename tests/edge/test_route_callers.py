"""Every route as every kind of caller: the policies say who is let in, and so it is.

The policies are read, and what is described and what happens is compared with them: a route that is
added tomorrow is walked without anybody's help.
"""

import re
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from litestar import Litestar, get

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api
from handfast.edge.http.cookies import CHANGE_HEADER
from handfast.edge.http.policies import (
    ANYONE,
    GAME_SERVER,
    GUESSABLE,
    OPERATOR,
    PEOPLE,
    PLAYER,
    STAFF,
    USER,
    Caller,
    Policy,
    policy,
)
from handfast.edge.http.route_table import PolicedRoute, RouteTable
from handfast.engine.system import System
from handfast.services.idempotency.asgi.rules import SAFE_METHODS
from handfast.services.identity.sign_ins import end_sign_ins
from handfast.services.identity.suspension import suspend
from handfast.wiring import load_settings
from tests.support.calling import OPERATOR_TOKEN, VIEWER_TOKEN, calling
from tests.support.signed_in import sign_in
from tests.support.systems import whole_system

GAME_TOKEN = "hf_game_for_the_tests_only"

# Every kind of caller. The tokens of people are made for each test: see ``token_of``.
CALLERS: dict[str, Caller | None] = {
    "nobody": None,
    "a wrong token": None,
    "a viewer": Caller.VIEWER,
    "an operator": OPERATOR,
    "a user": USER,
    "another user": USER,
    "a suspended user": USER,
    "a user who has signed out": None,
    "a player": PLAYER,
    "a game server": GAME_SERVER,
    "a viewer by cookie": Caller.VIEWER,
    "an operator by cookie": OPERATOR,
}
HELD = {
    "a wrong token": "hf_admin_that_nobody_holds",
    "a viewer": VIEWER_TOKEN,
    "an operator": OPERATOR_TOKEN,
    "a game server": GAME_TOKEN,
}
COOKIES = {"a viewer by cookie": VIEWER_TOKEN, "an operator by cookie": OPERATOR_TOKEN}
CHANGE = {CHANGE_HEADER: "1"}


@policy(PLAYER)
@get("/toy/play", sync_to_thread=False)
def play() -> str:
    return "played"


@policy(GAME_SERVER)
@get("/toy/report", sync_to_thread=False)
def report() -> str:
    return "reported"


@policy(USER, OPERATOR)
@get("/toy/shared", sync_to_thread=False)
def shared() -> str:
    return "shared"


@pytest.fixture
async def api(database: Database, dsn: str) -> Litestar:
    settings = load_settings(
        viewer_token=VIEWER_TOKEN,
        game_token=GAME_TOKEN,
        operator_login_limit=1_000_000,
        match_run_limit=1_000_000,
    )
    system = whole_system(settings, database, Target(dsn))
    # For kinds of caller that no route of ours names yet.
    api = create_api(system, OPERATOR_TOKEN, routes=[play, report, shared])
    api.state.stopping.set()  # a stream of events would have no end
    return api


async def token_of(api: Litestar, who: str) -> str | None:
    if who == "nobody" or who in HELD:
        return HELD.get(who)
    system: System = api.state.system
    person = await sign_in(api)
    async with system.database.transaction() as tx:
        if who == "a suspended user":
            await suspend(tx, system.hooks, person.user_id)
        if who == "a user who has signed out":
            await end_sign_ins(tx, person.user_id, "logout")
    return person.access_token


async def headers_of(api: Litestar, who: str) -> dict[str, str]:
    if who in COOKIES:
        return await cookie_of(api, COOKIES[who]) | CHANGE
    token = await token_of(api, who)
    return {} if token is None else {"Authorization": f"Bearer {token}"}


async def cookie_of(api: Litestar, token: str) -> dict[str, str]:
    async with calling(api) as client:
        signed_in = await client.post("/admin/session", json={"token": token})
    assert signed_in.status_code == 201
    return {"Cookie": signed_in.headers["set-cookie"].partition(";")[0]}


def expected(policy: Policy, who: str) -> int | None:
    """The refusal, or None. Whoever the route's own authenticators know is told 403 if they may
    not; a token that could be a guess at an operator's is told no more than that."""
    kind = CALLERS[who]
    if ANYONE in policy.callers:
        return None
    people = PEOPLE if kind in PEOPLE else frozenset()
    if kind in policy.callers or people & policy.callers:  # one token makes a user and a player
        return 403 if who == "a suspended user" and not policy.suspended else None
    if who == "nobody" or not policy.callers & STAFF:
        return 401
    return 401 if policy.callers & PEOPLE and kind not in STAFF else 403


# What refuses with 401 or 403 by itself: a code, a refresh token, a token to sign in with, a cookie
# without the header for changes.
WRONG_WITHOUT_A_TOKEN = {
    *("POST /auth/otp/verify", "POST /auth/refresh"),
    *("POST /admin/session", "POST /admin/session/code"),
    *("DELETE /admin/session", "DELETE /admin/session/all"),
}
SIGNS_OUT = {
    *("POST /auth/logout", "DELETE /users/me"),
    *("DELETE /admin/session", "DELETE /admin/session/all"),
}


async def called(client: httpx2.AsyncClient, one: PolicedRoute, headers: dict[str, str]) -> int:
    path = re.sub(r"{[^}]*:(int|uuid|path|str)}", _some, str(one.route.path))
    body: dict[str, Any] | None = {} if one.route.method in {"POST", "PATCH", "PUT"} else None
    return (await client.request(one.route.method, path, json=body, headers=headers)).status_code


def _some(place: "re.Match[str]") -> str:
    return {"int": "7", "uuid": str(uuid4())}.get(place[1], "x")


@pytest.mark.parametrize("who", CALLERS)
async def test_every_route_as(api: Litestar, who: str) -> None:
    table: RouteTable = api.state.routes
    assert len(table.routes) > 40
    headers = await headers_of(api, who)
    async with calling(api) as client:
        for one in table.routes:
            status = await called(client, one, headers)
            if str(one) in SIGNS_OUT:
                headers = await headers_of(api, who)
            refusal = expected(one.policy, who)
            if refusal is None and str(one) in WRONG_WITHOUT_A_TOKEN:
                continue
            assert (status if status in (401, 403) else None) == refusal, (str(one), who, status)


# What a browser adds by itself when a page of another site sends a request with our cookie, and
# what a forger leaves out.
FORGED: dict[str, dict[str, str]] = {
    "without the header": {},
    "with an empty header": {CHANGE_HEADER: ""},
    "from another origin": CHANGE | {"Origin": "https://evil.example"},
    "from a sandbox": CHANGE | {"Origin": "null"},
    "from another port": CHANGE | {"Origin": "http://handfast:8001"},
    "across sites": CHANGE | {"Sec-Fetch-Site": "cross-site"},
    "from a neighbour": CHANGE | {"Sec-Fetch-Site": "same-site", "Origin": "http://handfast"},
}
OWN = [CHANGE, CHANGE | {"Origin": "http://handfast"}, CHANGE | {"Sec-Fetch-Site": "same-origin"}]


@pytest.mark.parametrize("how", FORGED)
async def test_forged_requests_change_nothing(api: Litestar, how: str) -> None:
    """Every route that staff change something at, and signing out."""
    table: RouteTable = api.state.routes
    cookie = await cookie_of(api, OPERATOR_TOKEN)
    ends = {"DELETE /admin/session", "DELETE /admin/session/all"}
    changing = [
        one
        for one in table.routes
        if one.route.method not in SAFE_METHODS and (one.policy.callers & STAFF or str(one) in ends)
    ]
    assert len(changing) > 25
    async with calling(api) as client:
        for one in changing:
            assert await called(client, one, cookie | FORGED[how]) == 403, str(one)
        assert (await client.get("/admin/session", headers=cookie)).status_code == 200
        [bulk] = [one for one in changing if str(one) == "POST /admin/jobs/{job_id:int}/retry"]
        for headers in OWN:
            assert await called(client, bulk, cookie | headers) == 404, "it is let in"


async def test_nobody_reaches_what_is_anothers(api: Litestar) -> None:
    """As if it were not there."""
    anna, bob = await sign_in(api), await sign_in(api)
    async with calling(api) as client:
        where = f"/auth/sessions/{anna.sign_in_id}"
        assert (await client.delete(where, headers=bob.headers)).status_code == 404
        mine = (await client.get("/auth/sessions", headers=bob.headers)).json()["sessions"]
        assert [one["id"] for one in mine] == [str(bob.sign_in_id)]
        assert (await client.get("/auth/sessions", headers=anna.headers)).status_code == 200


async def test_the_document_says_the_same(api: Litestar) -> None:
    async with calling(api) as client:
        document = (await client.get("/openapi.json")).json()
    described = {
        f"{method.upper()} {path}": operation
        for path, item in document["paths"].items()
        for method, operation in item.items()
    }
    table: RouteTable = api.state.routes
    known = {re.sub(r":[a-z]+}", "}", str(one)): one for one in table.routes if one.described}
    assert set(described) == set(known)
    schemes = document["components"]["securitySchemes"]
    for name, one in known.items():
        _described_as(one.policy, described[name], schemes, name)


def _described_as(
    policy: Policy, operation: Mapping[str, Any], schemes: Mapping[str, Any], name: str
) -> None:
    secured = {kind for one in operation.get("security", []) for kind in one}
    assert secured == {kind.value for kind in policy.callers - {ANYONE}}, name
    assert secured <= set(schemes), "a token that nobody explains"
    told = {int(status) for status in operation["responses"]} & {401, 403, 409, 429}
    wanted = set() if ANYONE in policy.callers else {401, 403}
    limited = policy.limits or policy.callers & GUESSABLE
    assert wanted | ({429} if limited else set()) <= told, name
    if ANYONE in policy.callers and name not in WRONG_WITHOUT_A_TOKEN:
        assert not told & {401, 403}, name
