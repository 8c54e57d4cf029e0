"""A scene with a receiver: an event goes out signed, and arrives."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from handfast.demo.stage import PATIENCE_SECONDS, ShownFact, Stage
from handfast.services.webhooks import endpoints
from handfast.services.webhooks.errors import WebhookSignatureInvalid
from handfast.services.webhooks.signing.secrets import SigningSecret
from handfast.services.webhooks.signing.signature import verify

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
Message = tuple[dict[str, str], bytes]


@asynccontextmanager
async def receiver(
    answer: Callable[[], bytes] = lambda: ANSWER,
) -> "AsyncIterator[tuple[str, asyncio.Queue[Message]]]":
    """Listens on this machine, answers 200 or what it is told to, and keeps what came."""
    came: asyncio.Queue[Message] = asyncio.Queue()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in lines)}
        body = await reader.readexactly(int(headers["content-length"]))
        came.put_nowait((headers, body))
        writer.write(answer())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook", came
    finally:
        server.close()


async def webhook(stage: Stage) -> ShownFact:
    """The event and its delivery are made in one transaction; the receiver checks the signature.

    Each telling sends one more: an event is a new fact every time.
    """
    async with receiver() as (url, came):
        async with stage.hf.transaction() as tx:
            made = await endpoints.add_endpoint(
                tx, url, types=["demo.shipped"], description="the demo's own", allow_private=True
            )
        try:
            async with stage.hf.transaction() as tx:
                event = await stage.hf.emit(tx, "demo.shipped", "order:1", {"orderId": 1})
            async with asyncio.timeout(PATIENCE_SECONDS):
                headers, body = await came.get()
        finally:
            async with stage.hf.transaction() as tx:
                await endpoints.remove(tx, made.endpoint.id)
    secret, now = SigningSecret.parse(made.secret), time.time()
    genuine = verify([secret], headers, body, now=now).message_id == event
    try:
        verify([secret], headers, body.replace(b"1", b"2"), now=now)
        forged = True
    except WebhookSignatureInvalid:
        forged = False
    said = "verified" if genuine else "wrong"
    return ShownFact(
        "An event reaches those who want it, signed",
        f"1 event, 1 delivery, signature {said}; with one byte changed: "
        f"{'accepted' if forged else 'refused'}",
        genuine and not forged,
    )
