"""Logins whose own search_path reaches the schema ``handfast`` without anybody asking for it.

There a program that says ``jobs`` and means its own table would find our view. PostgreSQL's default
path begins with a schema called like the role, so a role called ``handfast`` is enough. Our own
connections qualify every name, and do not care.
"""

import msgspec

from handfast.db.migrations.errors import SearchPathUnsafe
from handfast.db.migrations.files import FACE
from handfast.db.statements import statement
from handfast.db.transaction import Queryable


class ReachingPath(msgspec.Struct, frozen=True):
    """One login, and what makes its path reach us."""

    login: str
    asking: bool
    path: str
    set_by: str
    remedy: str

    @property
    def is_refused(self) -> bool:
        """Somebody else's own setting was asked for, by whoever set it; the rest was not."""
        return self.asking or self.set_by in ("database", "name")

    def __str__(self) -> str:
        if self.set_by == "database":
            return f"everybody's in this database is {self.path}"
        if self.set_by == "name":
            return f"the login {self.login} is called like the schema, and its path is {self.path}"
        if self.set_by == "session":
            return f"the address of the login {self.login} sets it to {self.path}"
        return f"the path of the login {self.login} is {self.path}"


_PATHS = statement("db.paths_that_reach", row=ReachingPath)


async def reaching_paths(on: Queryable) -> list[ReachingPath]:
    """Those of this database, each cause once; the login that asks comes first."""
    found = await _PATHS.all(on, FACE)
    return list({one.remedy: one for one in reversed(found)}.values())[::-1]


async def refuse_reaching_paths(on: Queryable) -> None:
    refused = [one for one in await reaching_paths(on) if one.is_refused]
    if refused:
        raise SearchPathUnsafe(
            f"A search_path reaches the schema {FACE}, whose names would hide those of your own "
            f"tables: {'; '.join(map(str, refused))}.",
            hint=f"{advice(refused)} Nothing was changed.",
        )


def advice(paths: list[ReachingPath]) -> str:
    said = [one.remedy for one in paths if one.set_by != "session"]
    run = [f"An administrator has to run: {' '.join(said)}"] if said else []
    if len(said) < len(paths):
        run.append("Take search_path out of the options of DATABASE_URL.")
    return " ".join(run)
