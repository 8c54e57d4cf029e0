"""An ASGI application on a real socket, in the test's own event loop."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield  # Ctrl-C belongs to pytest


@asynccontextmanager
async def serving_asgi(app: Any) -> AsyncIterator[int]:
    """Serve; gives the port."""
    with socket.create_server(("127.0.0.1", 0)) as bound:
        config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="off")
        server = _Server(config)
        task = asyncio.create_task(server.serve(sockets=[bound]))
        try:
            yield bound.getsockname()[1]
        finally:
            server.should_exit = True
            await task
