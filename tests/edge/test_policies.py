"""What a route says of itself is what happens; and without saying it, nothing starts."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from litestar import Litestar, Request, get, post, route
from litestar.datastructures import State
from litestar.params import FromPath, JSONBody

from handfast.apps.runs.settings import RunsSettings
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.api.viewing import as_it_is
from handfast.edge.http.app import create_api
from handfast.edge.http.changes import changing
from handfast.edge.http.identity import Identity
from handfast.edge.http.policies import (
    ANYONE,
    KIB,
    OPERATOR,
    OPTIONAL,
    REQUIRED,
    USER,
    Caller,
    Key,
    RouteLimit,
    policy,
)
from handfast.engine.system import System
from handfast.services.idempotency import transaction
from handfast.wiring import chosen, load_settings
from tests.support.calling import OPERATOR_TOKEN, VIEWER_TOKEN, calling
from tests.support.systems import whole_system

ANNA, BOB = "hf_admin_token_of_anna", "hf_admin_token_of_bob"


class Note(msgspec.Struct):
    text: str


class Written(msgspec.Struct):
    number: int


@pytest.fixture
def system(database: Database, dsn: str) -> System:
    settings = load_settings(viewer_token=VIEWER_TOKEN, match_run_limit=2)
    return whole_system(settings, database, Target(dsn))


def api_with(system: System, *routes: Any, token: str = OPERATOR_TOKEN) -> Litestar:
    return create_api(system, token, routes=routes)


async def test_a_route_without_a_policy_does_not_start(system: System) -> None:
    @get("/forgotten", sync_to_thread=False)
    def forgotten() -> None: ...

    with pytest.raises(ValueError, match=r"forgotten.* has no policy"):
        api_with(system, forgotten)


async def test_nor_does_one_that_would_answer_options(system: System) -> None:
    """The guard lets these through: the framework's own say only which methods there are."""

    @policy(OPERATOR)
    @route("/odd", http_method=["GET", "OPTIONS"], sync_to_thread=False)
    def odd() -> None: ...

    with pytest.raises(ValueError, match=r"odd.* answers OPTIONS"):
        api_with(system, odd)


async def test_nor_does_one_that_comes_later_answer(system: System) -> None:
    @get("/forgotten", sync_to_thread=False)
    def forgotten() -> str:
        return "open to all"

    api = api_with(system)
    api.register(forgotten)
    async with calling(api, OPERATOR_TOKEN) as client:
        answer = await client.get("/forgotten")
    assert (answer.status_code, "open" in answer.text) == (500, False)


@pytest.mark.parametrize(
    ("callers", "more", "decorator", "why"),
    [
        ([], {}, get, "nobody may call it"),
        ([ANYONE, OPERATOR], {}, get, "nobody else is to be named"),
        ([ANYONE], {"viewer": as_it_is}, get, "nobody else is to be named"),
        ([USER], {"viewer": as_it_is}, post, "viewers may look"),
        ([OPERATOR], {}, post, "no name for the audit"),
        ([OPERATOR], {"audit": "job.look"}, get, "would be in the audit"),
        ([OPERATOR], {"key": OPTIONAL}, get, "would take an idempotency key"),
        ([OPERATOR], {"suspended": True}, get, "nobody is let in who could be suspended"),
    ],
)
def test_policies_that_make_no_sense(
    callers: list[Caller], more: dict[str, Any], decorator: Any, why: str
) -> None:
    async def odd() -> None: ...

    with pytest.raises(ValueError, match=f"odd.*{why}"):
        policy(*callers, **more)(decorator("/odd")(odd))


async def test_users_are_refused_until_somebody_knows_them(system: System) -> None:
    """Nobody does while identity is off."""
    off = chosen(None, [], serving=True)
    system = System(system.settings, system.database, system.direct, off)

    @policy(USER)
    @get("/mine", sync_to_thread=False)
    def mine() -> str:
        return "yours"

    class Users:
        kinds = frozenset({USER})

        async def identify(self, token: str) -> Identity | None:
            return Identity(USER, "7") if token == "a-users-token" else None

    api = api_with(system, mine)
    async with calling(api) as client:
        for token in ("a-users-token", OPERATOR_TOKEN, VIEWER_TOKEN, "wrong"):
            refused = await client.get("/mine", headers={"Authorization": f"Bearer {token}"})
            assert (refused.status_code, refused.json()["code"]) == (401, "NOT_AUTHENTICATED")
            assert refused.headers["www-authenticate"] == "Bearer"
        api.state.authenticators = [*api.state.authenticators, Users()]
        mine_now = await client.get("/mine", headers={"Authorization": "Bearer a-users-token"})
        assert mine_now.text == "yours"
    async with system.database.connection() as connection:
        counted = await connection.fetchval("SELECT count(*) FROM handfast_limits.buckets")
    assert counted == 0, "an old token of a user is no guess at an operator's"


async def test_keys_as_the_policy_has_them(system: System) -> None:
    made: list[str] = []

    @policy(ANYONE, key=REQUIRED)
    @post("/notes")
    async def write(request: Request[Any, Any, State], data: JSONBody[Note]) -> Written:
        async with transaction(request):
            made.append(data.text)
            return Written(len(made))

    api = api_with(system, write)
    async with calling(api) as client:
        lacking = await client.post("/notes", json={"text": "a"})
        assert (lacking.status_code, lacking.json()["code"]) == (400, "IDEMPOTENCY_KEY_MISSING")
        key = {"Idempotency-Key": str(uuid4())}
        answers = [await client.post("/notes", json={"text": "a"}, headers=key) for _ in range(2)]
        described = (await client.get("/openapi.json")).json()["paths"]["/notes"]["post"]
    assert [answer.json() for answer in answers] == [{"number": 1}] * 2
    assert made == ["a"]
    [parameter] = described["parameters"]
    assert (parameter["name"], parameter["required"]) == ("Idempotency-Key", True)


async def test_a_key_belongs_to_its_principal(system: System) -> None:
    """Operators with names are several principals; a policy may have one of its own."""

    @policy(OPERATOR, key=OPTIONAL, audit="note.write")
    @post("/by-caller")
    async def by_caller(request: Request[Any, Any, State]) -> Written:
        async with changing(request, "note:1"):
            return Written(1)

    @policy(OPERATOR, key=Key(principal=lambda _: "all of us"), audit="note.write")
    @post("/shared")
    async def shared(request: Request[Any, Any, State]) -> Written:
        async with changing(request, "note:1"):
            return Written(1)

    api = api_with(system, by_caller, shared, token=f"anna={ANNA},bob={BOB}")
    replayed = {}
    for path in ("/by-caller", "/shared"):
        key = {"Idempotency-Key": str(uuid4())}
        for token in (ANNA, BOB):
            async with calling(api, token) as client:
                answer = await client.post(path, headers=key)
                assert answer.status_code == 201, answer.text
                replayed[path, token] = "idempotent-replayed" in answer.headers
    assert replayed == {
        ("/by-caller", ANNA): False,
        ("/by-caller", BOB): False,
        ("/shared", ANNA): False,
        ("/shared", BOB): True,
    }


async def test_a_key_may_belong_to_what_the_body_names(system: System) -> None:
    def by_text(scope: Any, body: bytes) -> str:
        return msgspec.json.decode(body, type=Note).text

    @policy(ANYONE, key=Key(body_principal=by_text), body=KIB)
    @post("/codes")
    async def write(request: Request[Any, Any, State], data: JSONBody[Note]) -> Written:
        async with transaction(request):
            return Written(len(data.text))

    async with calling(api_with(system, write)) as client:
        key = {"Idempotency-Key": str(uuid4())}
        sent = ["one", "three", "one"]
        answers = [await client.post("/codes", json={"text": text}, headers=key) for text in sent]
    assert [answer.json()["number"] for answer in answers] == [3, 5, 3]
    assert ["idempotent-replayed" in answer.headers for answer in answers] == [False, False, True]


async def test_limits_as_the_policy_has_them(system: System) -> None:
    minute = timedelta(minutes=1)

    @policy(ANYONE, limits=[RouteLimit("of-me", 1, minute)])
    @get("/people/me", sync_to_thread=False)
    def me() -> str:
        return "me"

    @policy(
        ANYONE,
        limits=[
            RouteLimit("of-all", lambda settings: settings.of(RunsSettings).match_run_limit, minute)
        ],
    )
    @get("/people/{name:str}", sync_to_thread=False)
    def anybody(name: FromPath[str]) -> str:
        return name

    @policy(OPERATOR, limits=[RouteLimit("by-name", 1, minute, by="principal")])
    @get("/mine", sync_to_thread=False)
    def mine() -> str:
        return "mine"

    api = api_with(system, me, anybody, mine, token=f"anna={ANNA},bob={BOB}")
    async with calling(api) as client:
        assert [(await client.get("/people/me")).status_code for _ in range(2)] == [200, 429]
        # /people/me fits /people/{name} too, and takes nothing from its limit.
        assert [(await client.get("/people/x")).status_code for _ in range(3)] == [200, 200, 429]
        assert (await client.get("/mine")).status_code == 401
    for token, statuses in ((ANNA, [200, 429]), (BOB, [200, 429])):
        async with calling(api, token) as client:
            assert [(await client.get("/mine")).status_code for _ in range(2)] == statuses


@pytest.mark.parametrize("keyed", [True, False])
async def test_bodies_as_the_policy_has_them(system: System, *, keyed: bool) -> None:
    @policy(ANYONE, key=OPTIONAL, body=2 * KIB)
    @post("/notes")
    async def write(data: JSONBody[Note]) -> Written:
        return Written(len(data.text))

    headers = {"Idempotency-Key": str(uuid4())} if keyed else {}
    async with calling(api_with(system, write)) as client:
        for length, status in ((1000, 201), (3000, 413)):
            headers = {name: str(uuid4()) for name in headers}
            answer = await client.post("/notes", json={"text": "x" * length}, headers=headers)
            assert answer.status_code == status, answer.text


async def test_options_say_all_methods_to_anybody(system: System) -> None:
    async with calling(api_with(system)) as client:
        for path, methods in (
            ("/webhooks/endpoints", "GET, OPTIONS, POST"),
            (f"/webhooks/endpoints/{uuid4()}", "DELETE, OPTIONS, PATCH"),
            ("/fixtures", "GET, OPTIONS, POST"),
            ("/health", "GET, OPTIONS"),
        ):
            answer = await client.options(path)
            assert (answer.status_code, answer.headers["allow"]) == (204, methods)
            assert answer.headers["x-request-id"]
        assert (await client.options("/nothing")).status_code == 404


async def test_a_viewer_is_told_why(system: System) -> None:
    async with calling(api_with(system), VIEWER_TOKEN) as client:
        refused = await client.get("/admin/audit")
    assert (refused.status_code, refused.json()["code"]) == (403, "NOT_ALLOWED")
    assert "the token is a viewer's" in refused.json()["detail"]
