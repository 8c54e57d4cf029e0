"""A whole receiving endpoint as an ASGI application, to mount in any ASGI framework.

    app = WebhookEndpoint(receiver, handle, transaction=database.transaction)

Pure ASGI: no framework's types. The answer is sent after the commit, so that a 200 is never a
promise that is broken by a crash.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import msgspec

from handfast.base.errors import BodyTooLarge, InvalidRequest
from handfast.base.problems import Send, refusal, send_error, send_problem
from handfast.services.webhooks.errors import WebhookSignatureInvalid
from handfast.services.webhooks.receiving.receiver import WebhookEvent, WebhookReceiver

BODY_BYTES_MAX = 1024 * 1024  # events are small; nobody without a secret may fill our memory

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]

Handle = Callable[[Any, WebhookEvent], Awaitable[None]]
OpenTransaction = Callable[[], AbstractAsyncContextManager[Any]]


class _Gone(Exception):
    """The sender left before its body was whole."""


class WebhookEndpoint:
    """Calls ``handle(tx, event)`` once for each event.

    ``transaction`` opens what ``handle`` works in: ``hf.transaction``, SQLAlchemy's
    ``engine.begin``, or a function of yours. An exception in ``handle`` rolls back and goes on to
    the server, which answers 500; the sender comes again.

    An object and not a function, because Starlette's and FastAPI's ``Route`` take the one for an
    application and the other for a view.
    """

    def __init__(
        self,
        receiver: WebhookReceiver,
        handle: Handle,
        *,
        transaction: OpenTransaction,
        body_max: int = BODY_BYTES_MAX,
    ) -> None:
        self._receiver = receiver
        self._handle = handle
        self._transaction = transaction
        self._body_max = body_max

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"a webhook endpoint takes HTTP, not {scope['type']}")
        if scope["method"] != "POST":
            problem = refusal(405, method=scope["method"], allowed="POST")
            await send_problem(send, problem, {"Allow": "POST"})
            return
        try:
            body = await _body(receive, self._body_max)
            event = self._receiver.verify(scope["headers"], body)
        except _Gone:
            return
        except (BodyTooLarge, InvalidRequest, WebhookSignatureInvalid) as refused:
            await send_error(send, refused)
            return
        async with self._transaction() as tx:
            fresh = await self._receiver.once(tx, event)
            if fresh:
                await self._handle(tx, event)
        await _answer(send, {"eventId": event.event_id, "duplicate": not fresh})


async def _body(receive: Receive, most: int) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Gone
        body += message.get("body", b"")
        if len(body) > most:
            raise BodyTooLarge(f"At most {most} bytes of an event are read.")
        if not message.get("more_body", False):
            return bytes(body)


async def _answer(send: Send, content: dict[str, Any]) -> None:
    body = msgspec.json.encode(content)
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
