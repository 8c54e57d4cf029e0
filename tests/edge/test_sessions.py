"""Sessions of operators and viewers: begun, used, ended, and what forgers get."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import httpx2
import pytest
from litestar import Litestar
from pydantic import SecretStr

from handfast.base.settings import Mode
from handfast.base.tokens import NamedToken
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api, surrounded
from handfast.edge.http.cookies import CHANGE_HEADER, HOST_NAME, NAME
from handfast.edge.http.routes import admin_engine
from handfast.engine.operating.audit import list_audit
from handfast.engine.operating.sessions import CODE_LIFE, LIFE, make_code
from handfast.engine.system import System
from handfast.wiring import chosen, load_settings
from tests.support.clock import freeze
from tests.support.jobs import enqueue

OPERATOR = "hf_admin_token_of_anna"
OTHER = "hf_admin_token_of_bert"
VIEWER = "hf_viewer_token_of_vera"
CHANGE = {CHANGE_HEADER: "1"}
NOW = datetime(2026, 2, 19, 9, tzinfo=UTC)
HERE, THERE = "http://127.0.0.1:8000", "https://ops.example.com"


def serving(
    database: Database,
    dsn: str,
    tokens: str = f"anna={OPERATOR},bert={OTHER}",
    mode: Mode = Mode.DEVELOPMENT,
) -> Litestar:
    settings = load_settings().model_copy(
        update={"viewer_token": SecretStr(f"vera={VIEWER}"), "mode": mode}
    )
    on = chosen("none", serving=True)  # in production the others want to be set up
    return create_api(System(settings, database, Target(dsn), on), tokens)


@asynccontextmanager
async def browser(
    api: Litestar, base: str = HERE, address: str = "127.0.0.1"
) -> AsyncIterator[httpx2.AsyncClient]:
    transport = httpx2.ASGITransport(cast("Any", surrounded(api)), client=(address, 1))
    async with httpx2.AsyncClient(transport=transport, base_url=base) as client:
        yield client


@pytest.fixture
async def api(database: Database, dsn: str) -> Litestar:
    await freeze(database, NOW)
    return serving(database, dsn)


async def sign_in(client: httpx2.AsyncClient, token: str = OPERATOR) -> httpx2.Response:
    return await client.post("/admin/session", json={"token": token})


async def secret_of(client: httpx2.AsyncClient, token: str = OPERATOR) -> str:
    answer = await sign_in(client, token)
    assert answer.status_code == 201, answer.text
    return answer.headers["set-cookie"].partition("=")[2].partition(";")[0]


def holding(secret: str, name: str = NAME) -> dict[str, str]:
    return {"Cookie": f"{name}={secret}"}


async def test_a_cookie_for_a_token(api: Litestar) -> None:
    async with browser(api) as client:
        answer = await sign_in(client)
        assert answer.json() == {
            "caller": "operator",
            "name": "anna",
            "endsAt": (NOW + LIFE).isoformat().replace("+00:00", "Z"),
        }
        assert OPERATOR not in answer.text
        cookie, *parts = answer.headers["set-cookie"].split("; ")
        assert cookie.startswith(f"{NAME}=hf_session_")
        assert parts == ["Max-Age=43200", "Path=/", "HttpOnly", "SameSite=Strict"]
        assert answer.headers["cache-control"] == "no-store"
        assert (await client.get("/admin/jobs")).status_code == 200
        assert (await client.get("/admin/session")).json()["name"] == "anna"


async def test_over_tls_alone_unless_it_is_this_machine(api: Litestar) -> None:
    async with browser(api, THERE, "9.9.9.9") as client:
        cookie, *parts = (await sign_in(client)).headers["set-cookie"].split("; ")
        assert cookie.startswith(f"{HOST_NAME}=hf_session_")
        assert parts == ["Max-Age=43200", "Path=/", "HttpOnly", "SameSite=Strict", "Secure"]
        secret = cookie.partition("=")[2]
        client.cookies.clear()
        path = "/admin/jobs"
        # A neighbour's host may set a cookie for the whole domain, but not under this prefix.
        assert (await client.get(path, headers=holding(secret, NAME))).status_code == 401
        assert (await client.get(path, headers=holding(secret, HOST_NAME))).status_code == 200
    for base in ("http://localhost:8000", "http://[::1]:8000"):
        async with browser(api, base) as client:
            assert "Secure" not in (await sign_in(client)).headers["set-cookie"]


@pytest.mark.parametrize("how", ["everywhere", "too old", "not at all"])
async def test_a_stream_ends_with_its_session(
    api: Litestar, database: Database, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(admin_engine, "SESSION_LOOK_SECONDS", 0.1)
    async with browser(api) as client:
        secret = await secret_of(client)
    told, gone = asyncio.Event(), asyncio.Event()

    async def receive() -> Any:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if b"event: stats" in message.get("body", b""):
            told.set()
        if message["type"] == "http.response.body" and not message.get("more_body"):
            gone.set()

    sent = {"Host": "127.0.0.1:8000", **holding(secret)}
    headers = [(key.lower().encode(), value.encode()) for key, value in sent.items()]
    scope = {"type": "http", "method": "GET", "path": "/admin/events", "raw_path": b"/admin/events"}
    scope |= {"root_path": "", "query_string": b"", "headers": headers}
    scope |= {"scheme": "http", "server": ("127.0.0.1", 8000), "client": ("127.0.0.1", 1)}
    reading = asyncio.create_task(cast("Any", surrounded(api))(scope, receive, send))
    async with asyncio.timeout(30):
        await told.wait()
    if how == "everywhere":
        async with browser(api) as client:
            await client.delete("/admin/session/all", headers={**holding(secret), **CHANGE})
    elif how == "too old":
        await freeze(database, NOW + LIFE + timedelta(seconds=1))
    else:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(2.5):
                await gone.wait()
        gone.set()
    async with asyncio.timeout(30):
        await gone.wait()
        await reading


async def test_changes_need_a_header(api: Litestar, database: Database) -> None:
    job = await enqueue(database, "s.a", "1")
    async with browser(api) as client:
        await sign_in(client)
        refused = await client.post(f"/admin/jobs/{job}/cancel")
        assert refused.status_code == 403
        assert CHANGE_HEADER in refused.text
        keyed = {"Idempotency-Key": "3f8a0d4e-6c1b-4a57-9d0e-2b7c8f1a5e64"}
        assert (await client.post(f"/admin/jobs/{job}/cancel", headers=keyed)).status_code == 403
        done = await client.post(f"/admin/jobs/{job}/cancel", headers=CHANGE)
        assert done.json() == {"id": job, "state": "cancelled"}
    async with database.connection() as connection:
        entries = (await list_audit(connection)).entries
    assert [(one.actor, one.action, one.subject) for one in entries] == [
        ("anna", "job.cancel", f"job:{job}"),
        ("anna", "session.begin", "operator:anna"),
    ]


async def test_a_viewer_stays_one(api: Litestar, database: Database) -> None:
    job = await enqueue(database, "s.a", "1", payload={"secret": "planted"})
    async with browser(api) as client:
        assert (await sign_in(client, VIEWER)).json()["caller"] == "viewer"
        seen = await client.get(f"/admin/jobs/{job}")
        assert seen.status_code == 200
        assert "planted" not in seen.text
        for headers in ({}, CHANGE):
            refused = await client.post(f"/admin/jobs/{job}/cancel", headers=headers)
            assert refused.status_code == 403
        assert (await client.get("/admin/audit")).status_code in (200, 403)
        assert (await client.delete("/admin/session", headers=CHANGE)).json() == {"ended": 1}


async def test_a_token_goes_before_a_cookie(api: Litestar) -> None:
    async with browser(api) as client:
        await sign_in(client, VIEWER)
        bearer = {"Authorization": f"Bearer {OPERATOR}"}
        assert (await client.get("/admin/session", headers=bearer)).json()["name"] == "anna"
        wrong = {"Authorization": "Bearer hf_admin_nobodys_token"}
        assert (await client.get("/admin/jobs", headers=wrong)).status_code == 403


async def test_wrong_tokens_count_wherever_they_are_sent(api: Litestar) -> None:
    async with browser(api, address="9.9.9.9") as client:
        for _ in range(5):
            assert (await sign_in(client, "hf_admin_a_guess_too")).status_code == 403
            wrong = {"Authorization": "Bearer hf_admin_a_guess_too"}
            assert (await client.get("/admin/jobs", headers=wrong)).status_code == 403
        assert (await sign_in(client, "hf_admin_a_guess_too")).status_code == 429
        assert (await sign_in(client)).status_code == 429, "or it would tell which one is right"
    async with browser(api, address="8.8.8.8") as client:
        assert (await sign_in(client)).status_code == 201


async def test_it_ends_after_twelve_hours(api: Litestar, database: Database) -> None:
    async with browser(api) as client:
        held = holding(await secret_of(client))
        client.cookies.clear()
        await freeze(database, NOW + LIFE - timedelta(seconds=1))
        assert (await client.get("/admin/jobs", headers=held)).status_code == 200
        await freeze(database, NOW + LIFE)
        assert (await client.get("/admin/jobs", headers=held)).status_code == 401


@pytest.mark.parametrize(
    "forged",
    [
        "",
        "hf_session_",
        "hf_session_" + "A" * 43,
        OPERATOR,
        "a" * 5000,
        "%00",
        "\xff\xfe",
        '"quoted"',
        "x; handfast_session=y",
    ],
)
async def test_forged(api: Litestar, forged: str) -> None:
    async with browser(api) as client:
        await secret_of(client)
        client.cookies.clear()
        headers = {b"cookie": f"{NAME}={forged}".encode("latin-1")}
        for _ in range(15):  # no guess at a token, and not counted as one
            assert (await client.get("/admin/jobs", headers=headers)).status_code == 401
        assert (await sign_in(client)).status_code == 201


async def test_nobody_can_choose_a_session_for_another(api: Litestar) -> None:
    """What a browser brings along is never made good, and what it had is over."""
    chosen = "hf_session_" + "B" * 43
    async with browser(api) as client:
        first = await client.post(
            "/admin/session", json={"token": OPERATOR}, headers=holding(chosen)
        )
        secret = first.headers["set-cookie"].partition("=")[2].partition(";")[0]
        assert secret != chosen
        client.cookies.clear()
        assert (await client.get("/admin/jobs", headers=holding(chosen))).status_code == 401
        again = await client.post("/admin/session", json={"token": VIEWER}, headers=holding(secret))
        assert again.status_code == 201
        client.cookies.clear()
        assert (await client.get("/admin/jobs", headers=holding(secret))).status_code == 401


async def test_a_changed_token_ends_its_sessions(
    api: Litestar, database: Database, dsn: str
) -> None:
    async with browser(api) as client:
        anna, bert = await secret_of(client), await secret_of(client, OTHER)
    changed = serving(database, dsn, f"anna=hf_admin_token_that_is_new,bert={OTHER}")
    async with browser(changed) as client:
        assert (await client.get("/admin/jobs", headers=holding(anna))).status_code == 401
    gone = serving(database, dsn, f"anna={OPERATOR}")
    async with browser(gone) as client:
        assert (await client.get("/admin/jobs", headers=holding(bert))).status_code == 401
    renamed = serving(database, dsn, f"carl={OPERATOR},bert={OTHER}")
    async with browser(renamed) as client:
        assert (await client.get("/admin/jobs", headers=holding(anna))).status_code == 401


async def test_sign_out_here_and_everywhere(api: Litestar) -> None:
    async with browser(api) as client:
        secrets = []
        for token in (OPERATOR, OPERATOR, OPERATOR, OTHER):
            secrets.append(await secret_of(client, token))
            client.cookies.clear()
        one, two, three, bert = (holding(secret) for secret in secrets)
        assert (await client.delete("/admin/session", headers=one)).status_code == 403
        assert (await client.delete("/admin/session", headers=one | CHANGE)).json() == {"ended": 1}
        assert (await client.get("/admin/session", headers=one)).status_code == 401
        out = await client.delete("/admin/session/all", headers=two | CHANGE)
        assert out.json() == {"ended": 2}
        assert "Max-Age=0" in out.headers["set-cookie"]
        for held in (one, two, three):
            assert (await client.get("/admin/jobs", headers=held)).status_code == 401
        assert (await client.get("/admin/jobs", headers=bert)).status_code == 200
        for path in ("/admin/session", "/admin/session/all"):  # nobody is signed in
            bearer = {"Authorization": f"Bearer {OTHER}"}
            for headers in (CHANGE, CHANGE | one, bearer):
                assert (await client.delete(path, headers=headers)).json() == {"ended": 0}
        assert (await client.get("/admin/jobs", headers=bert)).status_code == 200


async def test_secrets_are_not_stored(api: Litestar, database: Database) -> None:
    async with browser(api) as client:
        secret = await secret_of(client)
    async with database.transaction() as tx:
        code = await make_code(tx, "operator", NamedToken("anna", OPERATOR))
        rows = "SELECT s::text FROM handfast_engine.{} AS s"
        for table in ("operator_sessions", "sign_in_codes", "audit"):
            stored = str(await tx.fetch(rows.format(table)))
            for one in (secret, code, OPERATOR, secret.encode().hex(), OPERATOR.encode().hex()):
                assert one not in stored


# --- codes ----------------------------------------------------------------------------------------


async def code_of(database: Database) -> str:
    async with database.transaction() as tx:
        return await make_code(tx, "operator", NamedToken("anna", OPERATOR))


async def exchange(client: httpx2.AsyncClient, code: str) -> int:
    return (await client.post("/admin/session/code", json={"code": code})).status_code


async def test_a_code_is_good_once(api: Litestar, database: Database) -> None:
    code = await code_of(database)
    async with browser(api) as client, browser(api) as second:
        assert await exchange(client, code) == 201
        assert await exchange(second, code) == 403
        assert (await client.get("/admin/session")).json()["name"] == "anna"


async def test_a_code_is_good_for_five_minutes(api: Litestar, database: Database) -> None:
    code = await code_of(database)
    await freeze(database, NOW + CODE_LIFE)
    async with browser(api) as client:
        assert await exchange(client, code) == 403


async def test_guessed_codes_count(api: Litestar, database: Database) -> None:
    code = await code_of(database)
    async with browser(api) as client:
        for _ in range(10):
            assert await exchange(client, "hf_code_guessed") == 403
        assert await exchange(client, code) == 429


@pytest.mark.parametrize(
    ("base", "address", "mode"),
    [
        (THERE, "127.0.0.1", Mode.DEVELOPMENT),
        (HERE, "9.9.9.9", Mode.DEVELOPMENT),
        (HERE, "127.0.0.1", Mode.PRODUCTION),
    ],
)
async def test_codes_are_for_development_on_this_machine(
    database: Database, dsn: str, base: str, address: str, mode: Mode
) -> None:
    code = await code_of(database)
    async with browser(serving(database, dsn, mode=mode), base, address) as client:
        assert await exchange(client, code) == 403


async def test_a_code_of_a_token_that_was_changed(database: Database, dsn: str) -> None:
    code = await code_of(database)
    async with browser(serving(database, dsn, "anna=hf_admin_token_that_is_new")) as client:
        assert await exchange(client, code) == 403
