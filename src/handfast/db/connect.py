"""How we reach a database, and what we say when we cannot.

``Target`` is where: the user's own server (``DATABASE_URL``) or the embedded one. The embedded
server may be gone when a connection is wanted (somebody killed it); then it is started again
before the connection is tried once more. The user's server is never ours to start.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import asyncpg

from handfast.base.errors import DatabaseTooOld, DatabaseUnreachable
from handfast.base.settings import mask_url

SERVER_VERSION_MIN = 15
REVIVALS = 3  # an embedded server that dies this often while we connect has a problem of its own

_GONE = (OSError, asyncpg.CannotConnectNowError, asyncpg.ConnectionDoesNotExistError)


@dataclass(frozen=True)
class Target:
    """An address, and how to bring what lives there back to life."""

    dsn: str
    connect_timeout: float = 10.0
    transaction_pooling: bool = False
    revive: Callable[[], None] | None = field(default=None, compare=False)

    @property
    def shown(self) -> str:
        return mask_url(self.dsn)


async def connect(target: Target, **options: Any) -> "asyncpg.Connection":
    """One connection of its own; the pool and the listener both come through here."""
    options.setdefault("timeout", target.connect_timeout)
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
            return connection
    raise AssertionError("the loop above returns or raises")


async def _check_version(connection: "asyncpg.Connection", target: Target) -> None:
    major = connection.get_server_version().major
    if major < SERVER_VERSION_MIN:
        await connection.close()
        raise DatabaseTooOld(
            f"The server at {target.shown} is PostgreSQL {major}; Handfast needs "
            f"{SERVER_VERSION_MIN} or newer.",
            hint="Upgrade the server, point DATABASE_URL at a newer one, or unset DATABASE_URL "
            "to use the embedded PostgreSQL.",
        )


def _unreachable(target: Target, reason: Exception) -> DatabaseUnreachable:
    said = str(reason) or type(reason).__name__
    return DatabaseUnreachable(
        f"No connection to {target.shown}: {said.rstrip('.')}.", hint=_advice(target, reason)
    )


def _advice(target: Target, reason: Exception) -> str:
    host = urlsplit(target.dsn).hostname or "the socket"
    match reason:
        case asyncpg.InvalidPasswordError() | asyncpg.InvalidAuthorizationSpecificationError():
            return "Check the user and the password in DATABASE_URL."
        case asyncpg.InvalidCatalogNameError():
            return "Create the database first (createdb), or name another in DATABASE_URL."
        case asyncpg.TooManyConnectionsError():
            return "Lower HANDFAST_POOL_SIZE, or raise max_connections of the server."
        case TimeoutError():
            return (
                f"{host} did not answer within {target.connect_timeout:g} s. Check the address and "
                "any firewall between, or raise HANDFAST_CONNECT_TIMEOUT."
            )
        case _:
            return (
                f"Check that PostgreSQL runs at {host} and that DATABASE_URL is right, or unset "
                "DATABASE_URL to use the embedded PostgreSQL."
            )
