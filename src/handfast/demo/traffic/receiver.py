"""An endpoint on this machine that sometimes answers 500: deliveries with a second try."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from handfast.demo.stage import Stage
from handfast.demo.traffic.pacing import about_every, one_in
from handfast.demo.webhook import ANSWER, receiver
from handfast.services.webhooks import endpoints

DESCRIPTION = "the demo's, which fails now and then"
TYPES = ("shop.*", "session.*", "run.*", "match.created")
BROKEN = b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


async def listen(stage: Stage) -> None:
    async with receiver(_answer) as (url, came), _registered(stage, url):
        async for _ in about_every(10):
            while not came.empty():
                came.get_nowait()


def _answer() -> bytes:
    return BROKEN if one_in(5) else ANSWER


@asynccontextmanager
async def _registered(stage: Stage, url: str) -> AsyncIterator[None]:
    """The same one at every start, at another port each time; paused while nobody listens."""
    async with stage.hf.transaction() as tx:
        known = [
            one for one in await endpoints.list_endpoints(tx) if one.description == DESCRIPTION
        ]
        if known:
            await endpoints.change_endpoint(tx, known[0].id, url=url, allow_private=True)
            await endpoints.resume(tx, known[0].id)
            endpoint = known[0].id
        else:
            made = await endpoints.add_endpoint(
                tx, url, types=TYPES, description=DESCRIPTION, allow_private=True
            )
            endpoint = made.endpoint.id
    try:
        yield
    finally:
        async with stage.hf.transaction() as tx:
            await endpoints.pause(tx, endpoint, "the demo was stopped")
