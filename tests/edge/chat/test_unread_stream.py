"""A client that opens its stream over a socket and never reads from it: cut, and counted as
dropped, with the reason. The time is shortened; its length is the server's."""

import asyncio
import socket

from litestar import Litestar

from handfast.base.telemetry import REGISTRY
from handfast.edge.http.app import surrounded
from handfast.edge.http.around.bounded import BoundedProtocol
from handfast.edge.http.serve import HttpServer
from handfast.engine.events import NewEvent, emit_many
from handfast.engine.streams.hub import Hub
from handfast.engine.streams.stream import Dropped
from tests.support.eventually import eventually_async
from tests.support.matched import Pair

EVENTS, BYTES = 400, 32_000  # more than the sockets of a connection hold by themselves


class Impatient(BoundedProtocol):
    unread_seconds_max = 0


def dropped(why: Dropped) -> float:
    labels = {"reason": why.value}
    return REGISTRY.get_sample_value("handfast_streams_dropped_total", labels) or 0.0


def is_open(hub: Hub) -> bool:
    """The hub has looked where the stream begins: what is emitted from now on is for it."""
    return bool(hub._users) and all(stream.opened is None for stream in hub._users)


async def test_who_never_reads_is_cut_and_counted(api: Litestar, pair: Pair) -> None:
    hub: Hub = api.state.host.hub
    before = {why: dropped(why) for why in Dropped}
    ready = asyncio.Event()
    with socket.create_server(("127.0.0.1", 0)) as bound:
        server = HttpServer(surrounded(api), ready.set, protocol=Impatient)
        task = asyncio.create_task(server.serve(sockets=[bound]))
        await ready.wait()
        deaf = socket.socket()
        try:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.setblocking(False)
            loop = asyncio.get_running_loop()
            await loop.sock_connect(deaf, bound.getsockname())
            token = pair.bob.person.headers["Authorization"]
            asked = f"GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n\r\n"
            await loop.sock_sendall(deaf, asked.encode())
            await eventually_async(lambda: asyncio.sleep(0, is_open(hub)))
            said = {"text": "x" * BYTES}
            events = [
                NewEvent("thing.happened", f"n:{n}", said, [pair.bob.id]) for n in range(EVENTS)
            ]
            async with pair.database.transaction() as tx:
                await emit_many(tx, events)
            await eventually_async(lambda: asyncio.sleep(0, not hub._users))
        finally:
            deaf.close()
            server.should_exit = True
            await task
    found = {why: dropped(why) - before[why] for why in Dropped}
    assert found == {Dropped.UNREAD: 1.0, Dropped.UNASKED: 0.0}
