"""Serving the application on a socket that we bind ourselves.

We bind first, so that a taken port is a clear error before anything else happens, and port 0 can
be announced. Signals are ours too (``edge/stopping.py``): uvicorn would end the process before we
have cleaned up.
"""

import contextlib
import errno
import socket
from collections.abc import Callable, Iterator
from typing import cast

import uvicorn
from litestar.types import ASGIApp

from handfast.base.errors import MachineError
from handfast.edge.http.around.bounded import BoundedProtocol
from handfast.edge.http.errors import PortTaken
from handfast.edge.stopping import Stopping
from handfast.engine.host import Host

GRACE_SECONDS = 10  # requests under way get this long after SIGTERM
TICKS_PER_SECOND = 10  # uvicorn's


def bind(host: str, port: int) -> socket.socket:
    """A listening socket, or an error that says what is in the way."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        bound = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise MachineError(
            f"{host!r} is not an address of this machine ({error.strerror}).",
            hint="Use --host 127.0.0.1, or the address of one of its networks.",
        ) from error
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        bound.listen(2048)
    except OSError as error:
        bound.close()
        raise _not_bound(host, port, error) from error
    return bound


def _not_bound(host: str, port: int, error: OSError) -> MachineError:
    match error.errno:
        case errno.EADDRINUSE:
            return PortTaken(
                f"Port {port} on {host} is taken by another program.",
                hint=f"Stop that program, choose another port with --port {port + 1} or "
                "HANDFAST_PORT, or let the system choose with --port 0.",
            )
        case errno.EACCES:
            return MachineError(
                f"This user may not listen on port {port}.",
                hint="Ports below 1024 are for root; choose another with --port 8000.",
            )
        case _:
            return MachineError(
                f"{host}:{port} cannot be listened on: {error.strerror}.",
                hint="Use --host 127.0.0.1, or the address of one of this machine's networks.",
            )


def url_of(bound: socket.socket) -> str:
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class HttpServer(uvicorn.Server):
    """uvicorn's, that leaves signals alone and looks after connections."""

    def __init__(
        self,
        app: ASGIApp,
        on_ready: Callable[[], None],
        *,
        protocol: type[BoundedProtocol] = BoundedProtocol,
    ) -> None:
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="on",
            # uvicorn would believe anybody on this machine about the caller's address; whom we
            # believe is a setting (services/limits/subject.py).
            proxy_headers=False,
            http=protocol,
            ws="none",
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_ready()

    async def on_tick(self, counter: int) -> bool:
        if counter % TICKS_PER_SECOND == 0:
            for connection in list(self.server_state.connections):
                cast("BoundedProtocol", connection).second_passed()
        return await super().on_tick(counter)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve(
    app: ASGIApp,
    bound: socket.socket,
    on_ready: Callable[[], None],
    on_stop: Callable[[], None] = lambda: None,
    host: Host | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM, then finish what is under way and return. ``on_stop`` is
    called when the signal comes: what would never end by itself ends there. ``host`` is that of
    this process: it is stopped, what it runs is waited for, and handed back at a second signal."""
    server = HttpServer(app, on_ready)

    def stop() -> None:
        server.should_exit = True
        on_stop()
        if host is not None:
            host.stop()

    with Stopping(stop, host, grace=GRACE_SECONDS):
        await server.serve(sockets=[bound])
