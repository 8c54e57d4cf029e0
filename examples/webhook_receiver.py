"""Receive webhooks: only what is signed, and each event once, however often it is delivered.

The application is plain ASGI; in yours it is one route. Here a server runs it, and the sender's
part is played below. Run it with `python examples/webhook_receiver.py`.
"""

import asyncio
import json
import socket
import time
from typing import Any

import uvicorn

from handfast import (
    Handfast,
    Transaction,
    WebhookEndpoint,
    WebhookEvent,
    WebhookInbox,
    WebhookReceiver,
    webhooks_inbox_ddl,
)
from handfast.services.outbound.sender import Sender
from handfast.services.webhooks.signing.secrets import SigningSecret
from handfast.services.webhooks.signing.signature import sign

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105  # shown when you add an endpoint

hf = Handfast()  # your own database; any PostgreSQL and driver will do


async def handle(tx: Transaction, event: WebhookEvent) -> None:
    """Your work, in the transaction that also remembers the event."""
    await tx.execute("INSERT INTO example_parcels (order_id) VALUES ($1)", event.data["orderId"])


receiver = WebhookReceiver([SECRET], inbox=WebhookInbox("example"))
app = WebhookEndpoint(receiver, handle, transaction=hf.transaction)


async def deliver(sender: Sender, url: str, event: dict[str, Any], secret: str = SECRET) -> str:
    """What Handfast does for each attempt: the same body, signed anew."""
    body = json.dumps(event).encode()
    headers = sign([SigningSecret.parse(secret)], event["eventId"], int(time.time()), body)
    answer = await sender.post(url, headers, body)
    return f"{answer.status} {json.loads(answer.excerpt).get('duplicate', 'refused')}"


async def main() -> None:
    async with hf.transaction() as tx:
        await tx.execute(webhooks_inbox_ddl())
        await tx.execute("CREATE TABLE IF NOT EXISTS example_parcels (order_id int)")
    event = {
        "eventId": "0198d0a2-7c1e-7f00-8000-000000000007",
        "eventType": "order.shipped",
        "timestamp": "2026-02-19T11:20:00Z",
        "data": {"orderId": 7},
    }
    with socket.create_server(("127.0.0.1", 0)) as bound:
        url = f"http://127.0.0.1:{bound.getsockname()[1]}/webhooks"
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
        serving = asyncio.create_task(server.serve(sockets=[bound]))
        async with Sender(allow_private=True) as sender:
            at_once = [deliver(sender, url, event) for _ in range(5)]
            print("five at once:", ", ".join(sorted(await asyncio.gather(*at_once))))
            print("and again:", await deliver(sender, url, event))
            stranger = "whsec_" + "A" * 32
            print("a stranger:", await deliver(sender, url, event, stranger))
        server.should_exit = True
        await serving
    async with hf.transaction() as tx:
        print("parcels:", await tx.fetchval("SELECT count(*) FROM example_parcels"))
    await hf.close()


if __name__ == "__main__":
    asyncio.run(main())
