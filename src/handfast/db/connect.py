"""How we reach a database, and what we say when we cannot.

``Target`` is where: the user's own server (``DATABASE_URL``) or the embedded one. The embedded
server may be gone when a connection is wanted (somebody killed it); then it is started again
before the connection is tried once more. The user's server is never ours to start.
"""

import asyncio
import os
import re
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import asyncpg

from handfast.base.masking import mask_url
from handfast.db.errors import DatabaseTooOld, DatabaseUnreachable

SERVER_VERSION_MIN = 15
_KEEP_ALIVE = {  # gone for about 30 s
    "TCP_KEEPIDLE": 15,  # seconds
    "TCP_KEEPINTVL": 5,
    "TCP_KEEPCNT": 3,
    "TCP_USER_TIMEOUT": 30_000,  # milliseconds
}
REVIVALS = 3  # an embedded server that dies this often while we connect has a problem of its own

_GONE = (OSError, asyncpg.CannotConnectNowError, asyncpg.ConnectionDoesNotExistError)


class Connection(asyncpg.Connection):
    """Remembers what was prepared on it under a name of ours (``db.open_transaction.Prepared``)."""

    __slots__ = ("prepared",)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.prepared: set[str] = set()


@dataclass(frozen=True)
class Target:
    """An address, and how to bring what lives there back to life."""

    dsn: str = field(repr=False)  # with the password in it
    connect_timeout: float = 10.0
    transaction_pooling: bool = False
    setting: str | None = "DATABASE_URL"  # where the address comes from; None: the embedded server
    revive: Callable[[], None] | None = field(default=None, compare=False)

    @property
    def shown(self) -> str:
        return mask_url(self.dsn)


async def connect(target: Target, **options: Any) -> "asyncpg.Connection":
    """One connection of its own; the pool and the listener both come through here."""
    options.setdefault("timeout", target.connect_timeout)
    options.setdefault("connection_class", Connection)
    if target.transaction_pooling:
        # Behind a transaction pooler the next statement may run on another server connection,
        # where what was prepared here does not exist.
        options["statement_cache_size"] = 0
    for revivals_left in reversed(range(REVIVALS)):
        try:
            connection: asyncpg.Connection = await asyncpg.connect(dsn=target.dsn, **options)
        except _GONE as gone:
            if target.revive is None or not revivals_left:
                raise _unreachable(target, gone) from gone
            await asyncio.to_thread(target.revive)
        except (asyncpg.PostgresError, asyncpg.InterfaceError, ValueError) as refused:
            raise _unreachable(target, refused) from refused
        else:
            await _check_version(connection, target)
            _keep_alive(connection)
            return connection
    raise AssertionError("the loop above returns or raises")


def _keep_alive(connection: "asyncpg.Connection") -> None:
    """Let the kernel notice a peer that is gone without a word: nothing that we sent is
    acknowledged, or nobody is there when we ask. What still acknowledges, and says nothing, is
    noticed by the time limits of our statements."""
    transport: Any = connection._transport  # type: ignore[attr-defined]
    line = transport.get_extra_info("socket")
    if line is None or line.family not in (socket.AF_INET, socket.AF_INET6):
        return
    # A second handle: what uvloop shows of a socket takes no options.
    with socket.socket(fileno=os.dup(line.fileno())) as handle:
        handle.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in _KEEP_ALIVE.items():
            if hasattr(socket, option):  # not every system has all of them
                handle.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)


async def _check_version(connection: "asyncpg.Connection", target: Target) -> None:
    major = connection.get_server_version().major
    if major < SERVER_VERSION_MIN:
        await connection.close()
        raise DatabaseTooOld(
            f"The server at {target.shown} is PostgreSQL {major}; Handfast needs "
            f"{SERVER_VERSION_MIN} or newer.",
            hint=f"Upgrade the server, or point {target.setting} at a newer one."
            f"{_or_embedded(target)}"
            if target.setting
            else "Unset HANDFAST_POSTGRES_BIN, or name the programs of a newer version in it.",
        )


def _unreachable(target: Target, reason: Exception) -> DatabaseUnreachable:
    said = _said(reason)
    return DatabaseUnreachable(
        f"No connection to {target.shown}: {said.rstrip('.')}.", hint=_advice(target, reason)
    )


def _said(reason: Exception) -> str:
    """The reason in the same words under every event loop: uvloop says "Connection refused" where
    asyncio says "Connect call failed" and lists every address that it tried."""
    text = str(reason) or ("no answer" if isinstance(reason, TimeoutError) else repr(reason))
    if not isinstance(reason, OSError) or isinstance(reason, ssl.SSLError | socket.gaierror):
        return text
    numbers = re.findall(r"\[Errno (\d+)\]", text) or ([reason.errno] if reason.errno else [])
    return ", ".join(dict.fromkeys(os.strerror(int(number)) for number in numbers)) or text


def _or_embedded(target: Target) -> str:
    # Not for the direct address: without it there is still the pooler's, and no embedded server.
    unset = " Or unset DATABASE_URL to use the embedded PostgreSQL."
    return unset if target.setting == "DATABASE_URL" else ""


def _advice(target: Target, reason: Exception) -> str:
    if target.setting is None:
        return _embedded_advice(reason)
    host = urlsplit(target.dsn).hostname or "the socket"
    match reason:
        case asyncpg.InvalidPasswordError() | asyncpg.InvalidAuthorizationSpecificationError():
            return f"Check the user and the password in {target.setting}."
        case asyncpg.InvalidCatalogNameError():
            return f"Create the database first (createdb), or name another in {target.setting}."
        case asyncpg.TooManyConnectionsError():
            return "Lower HANDFAST_POOL_SIZE, or raise max_connections of the server."
        case TimeoutError():
            return (
                f"{host} did not answer within {target.connect_timeout:g} s. Check the address and "
                "any firewall between, or raise HANDFAST_CONNECT_TIMEOUT."
            )
        case _:
            return (
                f"Check that PostgreSQL runs at {host} and that {target.setting} is right."
                f"{_or_embedded(target)}"
            )


def _embedded_advice(reason: Exception) -> str:
    match reason:
        case asyncpg.TooManyConnectionsError():
            return "Lower HANDFAST_POOL_SIZE, or use fewer processes on this data folder."
        case TimeoutError():
            return "The machine may be very busy: try again, or raise HANDFAST_CONNECT_TIMEOUT."
        case _:
            return "Ask `handfast doctor`; the server's own log is server.log in the data folder."
