"""The ready-made endpoint, on a real server: what it answers, and what it leaves behind."""

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.routing import Route

from handfast.db.pool import Database
from handfast.services.outbound.sender import Sender, ServerAnswer
from handfast.services.webhooks.receiving.asgi import WebhookEndpoint
from handfast.services.webhooks.receiving.inbox import webhooks_inbox_ddl
from handfast.services.webhooks.receiving.receiver import WebhookEvent, WebhookReceiver
from handfast.services.webhooks.signing.secrets import SigningSecret, new_secret
from handfast.services.webhooks.signing.signature import sign
from tests.support.asgi_server import serving_asgi

SECRET = new_secret()


class Shop:
    """A receiver's program: notes each event in a table without a unique constraint."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.fail = False
        self.app = WebhookEndpoint(
            WebhookReceiver([SECRET]), self.handle, transaction=database.transaction, body_max=1000
        )

    async def handle(self, tx: Any, event: WebhookEvent) -> None:
        await tx.execute("INSERT INTO handled VALUES ($1)", event.event_id)
        if self.fail:
            raise RuntimeError("the handler is broken")

    async def handled(self) -> int:
        async with self.database.connection() as connection:
            return int(await connection.fetchval("SELECT count(*) FROM handled"))


@pytest.fixture
async def shop(database: Database) -> Shop:
    async with database.connection() as connection:
        await connection.execute(webhooks_inbox_ddl())
        await connection.execute("CREATE TABLE handled (event_id text)")
    return Shop(database)


def event(**fields: Any) -> bytes:
    return json.dumps(
        {
            "eventId": str(uuid4()),
            "eventType": "order.shipped",
            "timestamp": "2026-02-19T11:20:00Z",
            "data": None,
            **fields,
        }
    ).encode()


def signed(body: bytes) -> dict[str, str]:
    return sign([SigningSecret.parse(SECRET)], "msg_1", int(time.time()), body)


async def post(app: Any, body: bytes, headers: Mapping[str, str] | None = None) -> ServerAnswer:
    async with serving_asgi(app) as port, Sender(allow_private=True) as sender:
        return await sender.post(
            f"http://127.0.0.1:{port}/hooks", signed(body) if headers is None else headers, body
        )


async def raw(app: Any, request: bytes) -> bytes:
    """What comes back for these bytes, until the other side closes."""
    async with serving_asgi(app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request)
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
        return answer


async def test_an_event_and_its_duplicate(shop: Shop) -> None:
    body = event()
    for duplicate in (False, True):
        answer = await post(shop.app, body)
        assert answer.status == 200
        assert json.loads(answer.excerpt) == {
            "eventId": json.loads(body)["eventId"],
            "duplicate": duplicate,
        }
    assert await shop.handled() == 1


@pytest.mark.parametrize("framework", [Starlette, FastAPI])
async def test_as_a_route_of_a_framework(shop: Shop, framework: type[Starlette]) -> None:
    # Not mounted: a Mount answers /hooks with a redirect to /hooks/, which no sender follows.
    app = framework(routes=[Route("/hooks", shop.app)])
    assert (await post(app, event())).status == 200
    assert await shop.handled() == 1


async def test_what_is_not_signed_is_refused_with_a_problem(shop: Shop) -> None:
    body = event()
    for headers in ({}, {**signed(body), "webhook-id": "msg_2"}, signed(event())):
        answer = await post(shop.app, body, headers)
        problem = json.loads(answer.excerpt)
        assert (answer.status, problem["status"]) == (401, 401)
        assert problem["code"] == "WEBHOOK_SIGNATURE_INVALID"
        assert problem["type"] == "urn:handfast:problem:webhook-signature-invalid"
        assert problem["message"]
    assert await shop.handled() == 0


async def test_what_is_signed_but_no_event_is_refused_with_a_problem(shop: Shop) -> None:
    answer = await post(shop.app, b"[]")
    assert answer.status == 422
    assert json.loads(answer.excerpt)["code"] == "INVALID_REQUEST"


async def test_a_large_body_is_not_read(shop: Shop) -> None:
    assert (await post(shop.app, event(data="x" * 2000))).status == 413
    assert await shop.handled() == 0


async def test_only_post(shop: Shop) -> None:
    answer = await raw(shop.app, b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 405")
    assert b"allow: POST" in answer


async def test_a_body_in_pieces_is_one_body(shop: Shop) -> None:
    body = event()
    head = "".join(f"{name}: {value}\r\n" for name, value in signed(body).items())
    chunks = b"".join(b"1\r\n%s\r\n" % body[at : at + 1] for at in range(len(body)))
    answer = await raw(
        shop.app,
        b"POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ntransfer-encoding: chunked\r\n"
        + head.encode()
        + b"\r\n"
        + chunks
        + b"0\r\n\r\n",
    )
    assert answer.startswith(b"HTTP/1.1 200")
    assert await shop.handled() == 1


async def test_a_sender_that_leaves_in_the_middle_changes_nothing(shop: Shop) -> None:
    body = event()
    head = "".join(f"{name}: {value}\r\n" for name, value in signed(body).items())
    async with serving_asgi(shop.app) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(
            f"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: {len(body)}\r\n{head}\r\n".encode()
        )
        writer.write(body[:-1])
        await writer.drain()
        writer.close()
        await writer.wait_closed()
    assert await shop.handled() == 0
    assert (await post(shop.app, body)).status == 200


async def test_a_handler_that_fails_leaves_no_record_and_the_next_delivery_works(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    body = event()
    shop.fail = True
    assert (await post(shop.app, body)).status == 500
    assert "the handler is broken" in caplog.text
    assert await shop.handled() == 0
    shop.fail = False
    answer = await post(shop.app, body)
    assert json.loads(answer.excerpt)["duplicate"] is False
    assert await shop.handled() == 1


async def test_the_answer_waits_for_the_commit(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    async with shop.database.connection() as connection:
        await connection.execute(
            "CREATE TABLE allowed (event_id text PRIMARY KEY);"
            "ALTER TABLE handled ADD CONSTRAINT handled_allowed FOREIGN KEY (event_id)"
            " REFERENCES allowed DEFERRABLE INITIALLY DEFERRED"
        )
    assert (await post(shop.app, event())).status == 500
    assert "handled_allowed" in caplog.text
    assert await shop.handled() == 0


async def test_it_takes_nothing_but_http(shop: Shop) -> None:
    with pytest.raises(RuntimeError, match="takes HTTP, not websocket"):
        await shop.app({"type": "websocket"}, None, None)  # type: ignore[arg-type]
