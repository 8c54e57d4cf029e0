"""A bare ASGI application behind the middleware: what the tests of idempotency keys talk to.

The table of effects has no unique constraint: a second execution would be seen. What a request
does is in its body, so that the tests can ask for every kind of ending.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx2
import msgspec

from handfast.base.errors import NotAuthenticated
from handfast.db.pool import Database
from handfast.services.idempotency import (
    IdempotencyMiddleware,
    PostgresStore,
    ignored,
    optional,
    required,
    started,
    tag,
    transaction,
)

Scope = MutableMapping[str, Any]
App = Callable[[Scope, Any, Any], Awaitable[None]]

TABLE = "CREATE TABLE IF NOT EXISTS effects (id bigserial, who text, what text, path text)"
# Of a record: it has no such column.
STATE = (
    "CASE WHEN status IS NOT NULL THEN 'done' WHEN server IS NOT NULL THEN 'running'"
    " ELSE 'free' END"
)
WAIT_SECONDS = 60.0  # of a duplicate: on a busy machine the first may need more than our usual 5
RULES = [
    required("POST /orders"),
    optional("POST /orders/{id}/notes"),
    optional("POST /short", ttl=timedelta(minutes=5)),
    ignored("POST /logout"),
]


class Wish(msgspec.Struct):
    """What the request wants to happen."""

    what: str = "x"
    status: int = 201
    take: bool = True  # write in the request's transaction
    say_started: bool = False
    seconds: float = 0.0
    gated: bool = False  # stay until the shop's gate is opened
    size: int = 0
    pieces: int = 0
    fail: str = ""
    tag: str = ""


async def read_all(receive: Any) -> bytes:
    body = b""
    while True:
        message = await receive()
        body += bytes(message.get("body", b""))
        if not message.get("more_body"):
            return body


def who(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == b"x-user":
            return f"user:{value.decode()}"
    raise NotAuthenticated("Say who you are.", hint="Send x-user.")


def make_shop(calls: list[str] | None = None, gate: asyncio.Event | None = None) -> App:
    """The application itself; it writes the wishes that it meets to ``calls``."""

    async def shop(scope: Scope, receive: Any, send: Any) -> None:
        raw = await read_all(receive)
        is_wish = raw.startswith(b"{")
        wish = msgspec.json.decode(raw, type=Wish) if is_wish else Wish(what=str(len(raw)))
        if calls is not None:
            calls.append(wish.what)
        if wish.say_started:
            started(scope)
        if wish.tag:
            tag(scope, wish.tag)
        number = 0
        if wish.take:
            async with transaction(scope) as tx:
                number = await tx.fetchval(
                    "INSERT INTO effects (who, what, path) VALUES ($1, $2, $3) RETURNING id",
                    *(who(scope), wish.what, scope["path"]),
                )
        await asyncio.sleep(wish.seconds)
        if wish.gated and gate is not None:
            await gate.wait()
        if wish.fail:
            raise RuntimeError(wish.fail)
        await answer(wish, number, send)

    return shop


async def answer(wish: Wish, number: int, send: Any) -> None:
    body = b"z" * wish.size or msgspec.json.encode({"id": number, "what": wish.what})
    headers = [
        (b"content-type", b"application/json"),
        (b"location", b"/orders/%d" % number),
        (b"set-cookie", b"session=secret"),
        (b"x-other", b"1"),
    ]
    if not wish.pieces:
        headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": wish.status, "headers": headers})
    for _ in range(wish.pieces):
        await send({"type": "http.response.body", "body": body, "more_body": True})
    await send({"type": "http.response.body", "body": b"" if wish.pieces else body})


async def effects(database: Database) -> list[str]:
    async with database.connection() as connection:
        return [r["what"] for r in await connection.fetch("SELECT what FROM effects ORDER BY id")]


class Shop:
    """The shop in this process, with a client."""

    def __init__(
        self, database: Database, store: Any, calls: list[str], gate: asyncio.Event, app: App
    ) -> None:
        self.database = database
        self.store = store
        self.calls = calls
        self.gate = gate
        self.app = app
        transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
        self.client = httpx2.AsyncClient(transport=transport, base_url="http://shop")

    async def post(
        self,
        path: str = "/orders",
        *,
        key: str | None = None,
        user: str = "ada",
        headers: dict[str, str] | None = None,
        content: bytes | None = None,
        **wish: Any,
    ) -> httpx2.Response:
        sent = {"x-user": user, **(headers or {})}
        if key is not None:
            sent["idempotency-key"] = key
        body = msgspec.json.encode(Wish(**wish)) if content is None else content
        return await self.client.post(path, headers=sent, content=body)

    async def effects(self) -> list[str]:
        return await effects(self.database)

    async def is_called(self) -> bool:
        return bool(self.calls)


@asynccontextmanager
async def open_shop(
    database: Database, store: Any | None = None, **options: Any
) -> AsyncIterator[Shop]:
    async with database.connection() as connection:
        await connection.execute(TABLE)
    kept = store or PostgresStore(database)
    calls: list[str] = []
    gate = asyncio.Event()
    settings: dict[str, Any] = {
        "principal": who,
        "rules": RULES,
        "wait": WAIT_SECONDS,
        **options,
    }
    app = IdempotencyMiddleware(make_shop(calls, gate), kept, **settings)
    shop = Shop(database, kept, calls, gate, app)
    try:
        yield shop
    finally:
        await shop.client.aclose()
        await kept.close()


def new_key() -> str:
    return str(uuid4())
