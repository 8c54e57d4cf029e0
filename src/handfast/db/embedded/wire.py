"""Just enough of PostgreSQL's protocol to ask a server whether it answers, and to give one order.

The launcher is synchronous and must not need a driver: it runs before the pool exists, in threads,
and in processes that never open one. Authentication is *trust* (the socket folder is private), so
a session is a start packet, a query, and reading until the server is ready for the next.
"""

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROTOCOL_3_0 = 196608
ANSWER_BYTES_MAX = 1 << 20  # a server that says more than this to "hello" is not ours

DATABASE_MISSING = "3D000"
DATABASE_EXISTS = {"42P04", "23505"}  # the second when two creators race
TOO_MANY_CONNECTIONS = "53300"
ROLE_MISSING = "28000"
REFUSED_WITHOUT_PASSWORD = "28P01"  # noqa: S105 - a SQLSTATE


class ConnectionRefusedByServer(Exception):
    """The server spoke, and said no."""

    def __init__(self, sqlstate: str, message: str) -> None:
        super().__init__(f"{message} ({sqlstate})")
        self.sqlstate = sqlstate


def knock(path: Path, *, user: str, database: str) -> None:
    """Return if a session can be opened; else raise ``Refused`` or ``OSError``."""
    with _session(path, user, database, timeout=5.0):
        pass


def order(path: Path, sql: str, *, user: str, database: str) -> None:
    """Carry out one statement whose rows, if any, nobody wants."""
    with _session(path, user, database, timeout=60.0) as peer:
        _send(peer, b"Q", sql.encode() + b"\0")
        _until_ready(peer)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def _session(path: Path, user: str, database: str, *, timeout: float) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
        peer.settimeout(timeout)
        peer.connect(str(path))
        words = ("user", user, "database", database, "application_name", "handfast launcher")
        body = b"".join(word.encode() + b"\0" for word in words) + b"\0"
        peer.sendall(struct.pack("!ii", len(body) + 8, PROTOCOL_3_0) + body)
        _until_ready(peer)
        yield peer
        _send(peer, b"X", b"")  # a polite goodbye keeps "unexpected EOF" out of the log


def _send(peer: socket.socket, kind: bytes, body: bytes) -> None:
    peer.sendall(kind + struct.pack("!i", len(body) + 4) + body)


def _until_ready(peer: socket.socket) -> None:
    refusal: ConnectionRefusedByServer | None = None
    while True:
        try:
            kind, length = struct.unpack("!ci", _exactly(peer, 5))
            if not 4 <= length <= ANSWER_BYTES_MAX:
                raise ConnectionError("what answers on the socket does not speak PostgreSQL")
            body = _exactly(peer, length - 4)
        except OSError:
            if refusal is not None:  # after a fatal error the server hangs up
                raise refusal from None
            raise
        if kind == b"E":
            refusal = _refusal(body)
        elif kind == b"R" and body[:4] != b"\0\0\0\0":
            raise ConnectionRefusedByServer(
                REFUSED_WITHOUT_PASSWORD, "the server asks for a password"
            )
        elif kind == b"Z":
            if refusal is not None:
                raise refusal
            return


def _refusal(body: bytes) -> ConnectionRefusedByServer:
    fields = {part[:1]: part[1:].decode(errors="replace") for part in body.split(b"\0") if part}
    return ConnectionRefusedByServer(fields.get(b"C", "XX000"), fields.get(b"M", "no message"))


def _exactly(peer: socket.socket, count: int) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        part = peer.recv(count - len(parts))
        if not part:
            raise ConnectionResetError("the server hung up")
        parts += part
    return bytes(parts)
