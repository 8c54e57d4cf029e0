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
from litestar import Litestar

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api
from handfast.edge.http.identity import Identity
from handfast.edge.http.policies import (
    ANYONE,
    GAME_SERVER,
    OPERATOR,
    PLAYER,
    STAFF,
    USER,
    Caller,
    Policy,
)
from handfast.edge.http.route_table import PolicedRoute, RouteTable
from handfast.wiring import load_settings
from tests.support.calling import OPERATOR_TOKEN, VIEWER_TOKEN, calling
from tests.support.systems import whole_system

# A token of each kind of caller; those without an authenticator are nobody's to the API.
TOKENS: dict[str, tuple[Caller | None, str | None]] = {
    "nobody": (None, None),
    "a wrong token": (None, "hf_admin_that_nobody_holds"),
    "a viewer": (Caller.VIEWER, VIEWER_TOKEN),
    "an operator": (OPERATOR, OPERATOR_TOKEN),
    "a user": (USER, "a-token-of-a-user"),
    "a player": (PLAYER, "a-token-of-a-player"),
    "a game server": (GAME_SERVER, "a-token-of-a-game-server"),
}


class People:
    """Who will have an authenticator of their own one day."""

    kinds = frozenset({USER, PLAYER, GAME_SERVER})

    async def identify(self, token: str) -> Identity | None:
        found = [kind for kind, known in TOKENS.values() if kind in self.kinds and known == token]
        return Identity(found[0], "7") if found else None


@pytest.fixture
async def api(database: Database, dsn: str) -> Litestar:
    settings = load_settings(
        viewer_token=VIEWER_TOKEN, operator_login_limit=1_000_000, match_run_limit=1_000_000
    )
    api = create_api(whole_system(settings, database, Target(dsn)), OPERATOR_TOKEN)
    api.state.stopping.set()  # a stream of events would have no end
    return api


def expected(policy: Policy, kind: Caller | None, known: frozenset[Caller]) -> int | None:
    """The refusal, or None. Whoever the route's own authenticators know is told 403 if they may
    not; a token that could be a guess at an operator's is told no more than that."""
    if ANYONE in policy.callers or (kind in policy.callers and kind in known):
        return None
    return 403 if policy.callers & STAFF else 401


async def called(client: httpx2.AsyncClient, one: PolicedRoute) -> int:
    path = re.sub(r"{[^}]*:(int|uuid|path|str)}", _some, str(one.route.path))
    body: dict[str, Any] | None = {} if one.route.method in {"POST", "PATCH", "PUT"} else None
    return (await client.request(one.route.method, path, json=body)).status_code


def _some(place: "re.Match[str]") -> str:
    return {"int": "7", "uuid": str(uuid4())}.get(place[1], "x")


@pytest.mark.parametrize("who", TOKENS)
async def test_every_route_as(api: Litestar, who: str) -> None:
    kind, token = TOKENS[who]
    table: RouteTable = api.state.routes
    assert len(table.routes) > 25
    async with calling(api, token) as client:
        for one in table.routes:
            refusal = expected(one.policy, kind, STAFF)
            if token is None and refusal is not None:
                refusal = 401
            status = await called(client, one)
            assert (status if status in (401, 403) else None) == refusal, (str(one), who, status)


@pytest.mark.parametrize("who", TOKENS)
async def test_people_are_let_in_nowhere_yet(api: Litestar, who: str) -> None:
    """Also when somebody knows them: no route of ours says user, player or game server."""
    api.state.authenticators = [*api.state.authenticators, People()]
    kind, token = TOKENS[who]
    table: RouteTable = api.state.routes
    async with calling(api, token) as client:
        for one in table.routes:
            if ANYONE not in one.policy.callers and kind in People.kinds:
                assert await called(client, one) == 403, (str(one), who)


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
    wanted = set() if ANYONE in policy.callers else {401, 403, 429}
    assert wanted | ({429} if policy.limits else set()) <= told, name
    if ANYONE in policy.callers:
        assert not told & {401, 403}, name
