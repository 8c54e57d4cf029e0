"""A receiver as a process of its own, which can be told to die in the middle.

``python -m tests.support.webhook_receiver DSN SECRET [die-before-commit]`` prints its port. The
table ``handled`` has no unique constraint: only the inbox keeps an event from being handled twice.
"""

import asyncio
import os
import signal
import socket
import sys
from typing import Any

import uvicorn

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.services.webhooks.receiving.asgi import WebhookEndpoint
from handfast.services.webhooks.receiving.receiver import WebhookEvent, WebhookReceiver


async def main(dsn: str, secret: str, *how: str) -> None:
    async def handle(tx: Any, event: WebhookEvent) -> None:
        await tx.execute("INSERT INTO handled (event_id) VALUES ($1)", event.event_id)
        if "die-before-commit" in how:
            os.kill(os.getpid(), signal.SIGKILL)

    async with await Database.open(Target(dsn), pool_size=5) as database:
        receiver = WebhookReceiver([secret])
        app = WebhookEndpoint(receiver, handle, transaction=database.transaction)
        bound = socket.create_server(("127.0.0.1", 0))
        print(bound.getsockname()[1], flush=True)  # noqa: T201
        config = uvicorn.Config(app, log_level="error", lifespan="off")
        await uvicorn.Server(config).serve(sockets=[bound])


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
