"""The login that runs are worked on with: it may read the corpus, and nothing may make it write.

Looked at when a worker starts, not trusted: somebody may have named the owner's login, or given the
role more than it should have.
"""

import asyncpg
import msgspec

from handfast.apps.runs.errors import RunsLoginUnfit
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable

ROLE = "handfast_runs"


class _Login(msgspec.Struct, frozen=True):
    role: str
    superuser: bool
    works: bool
    writes: bool


_LOGIN = statement("runs.login", row=_Login)
_SPARE = statement("runs.spare_rights", row=str)
_ROLE_EXISTS = statement("runs.role_exists", row=bool)


async def check_login(reader: Database) -> str:
    """The role that the pool is logged in as; raises unless it reads, calls, and cannot write."""
    try:
        async with reader.connection() as connection:
            login = await _LOGIN.one(connection)
    except asyncpg.InsufficientPrivilegeError as refused:
        raise _unfit(reader, f"it may not do enough ({refused})") from refused
    except asyncpg.SyntaxOrAccessError as missing:  # another database, or one not migrated yet
        raise _unfit(reader, f"what it needs is not there ({missing})") from missing
    if login.superuser:
        raise _unfit(reader, f"{login.role} is a superuser")
    if login.writes:
        raise _unfit(reader, f"{login.role} may write to the corpus")
    if not login.works:
        raise _unfit(reader, f"{login.role} may not call the functions of match runs")
    return login.role


async def spare_rights(reader: Database) -> list[str]:
    """What would keep the login from temporary tables and large objects: both are PUBLIC's by
    default, so it is for the database's owner to say whether others need them."""
    async with reader.connection() as connection:
        return await _SPARE.all(connection)


async def role_exists(on: Queryable) -> bool:
    return await _ROLE_EXISTS.one(on)


def _unfit(reader: Database, why: str) -> RunsLoginUnfit:
    return RunsLoginUnfit(
        f"The login at {reader.target.shown} is not for match runs: {why}.",
        hint=f"Name a login of the role {ROLE} in HANDFAST_RUNS_DATABASE_URL; `handfast migrate` "
        "makes the role, or prints what an administrator has to run.",
    )
