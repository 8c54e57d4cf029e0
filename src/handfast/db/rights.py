"""A login that may not do what we need is told what an administrator has to run.

PostgreSQL says which table or schema it refused, one after the other; who grants that one meets the
next. What is missing as a whole follows from who owns our schemas.
"""

import asyncpg
import msgspec

from handfast.db.errors import RightMissing
from handfast.db.migrations.files import FACE, SCHEMAS, in_database
from handfast.db.pool import Database
from handfast.db.statements import statement


class _MissingGrant(msgspec.Struct, frozen=True):
    role: str
    owner: str | None
    grant: str | None


_MISSING = statement("db.missing_grant", row=_MissingGrant)


class RightsExplained:
    """What is refused in here for want of a right is raised with the GRANT that gives it.

    No generator: a loop that ends while a program has not closed its Handfast closes generators
    one by one, and one inside another would complain.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __aenter__(self) -> None: ...

    async def __aexit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, asyncpg.InsufficientPrivilegeError):
            raise await _explained(self._database, error) from error


async def _explained(
    database: Database, refused: asyncpg.InsufficientPrivilegeError
) -> RightMissing:
    async with database.connection() as connection:
        missing = await _MISSING.one(connection, [*map(in_database, SCHEMAS), FACE])
    if missing.grant is not None:
        hint = f"An administrator has to run: {missing.grant}"
    elif missing.owner is not None:
        hint = f"Use the login that Handfast was migrated with: {missing.owner}."
    else:
        hint = "Ask an administrator of the database for it."
    return RightMissing(
        f"The role {missing.role} at {database.target.shown} lacks a right: {refused}.", hint=hint
    )
