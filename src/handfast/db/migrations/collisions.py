"""Whose names they are: nothing is made or replaced in a database where somebody else has ours.

A schema of ours was made by its baseline, and the record says so; one that is there without a word
in the record is somebody else's, whatever is in it. In the public schema each object is looked at,
because others have a reason to put something there.
"""

import msgspec

from handfast.db.migrations.errors import NamesTaken
from handfast.db.migrations.files import FACE, Shipped, in_database
from handfast.db.migrations.record import Applied, applied_migrations
from handfast.db.statements import statement
from handfast.db.transaction import Queryable

SHOWN_MAX = 10  # names in one message; who has more of them has another problem


class _Schema(msgspec.Struct, frozen=True):
    name: str
    owner: str


class _Object(msgspec.Struct, frozen=True):
    name: str
    what: str
    owner: str
    many: bool
    ours: bool


_SCHEMAS = statement("db.schemas_present", row=_Schema)
_OBJECTS = statement("db.objects_present", row=_Object)
_RECORDED = statement("db.all_recorded_functions", row=str)


async def refuse_collisions(on: Queryable, files: Shipped) -> None:
    """Raise an error that names everything of somebody else's that is in our way."""
    # Before the record: whoever migrates meanwhile commits a schema together with its word in it.
    schemas = await _SCHEMAS.all(on, _wanted(files))
    objects = await _OBJECTS.all(on, FACE)
    applied = await applied_migrations(on, files)
    ours = _made(applied)
    taken = [f"the schema {s.name} (owner: {s.owner})" for s in schemas if s.name not in ours]
    if FACE in ours:
        recorded = set(await _RECORDED.all(on))
        taken += [
            f"the {one.what} {one.name} (owner: {one.owner})"
            for one in objects
            if one.many or not (one.ours or one.name in recorded)
        ]
    if taken:
        raise NamesTaken(
            f"Handfast needs names in this database that somebody else has: {_listed(taken)}.",
            hint="Rename or move what is there, or give Handfast a database of its own "
            "(DATABASE_URL). Nothing was changed.",
        )


def _wanted(files: Shipped) -> list[str]:
    """The schemas that this migrate would make, or work in."""
    names = [in_database(schema) for schema in files.schemas]
    return [*names, FACE] if "engine" in files.schemas else names


def _made(applied: list[Applied]) -> set[str]:
    made = {in_database(one.schema) for one in applied}
    return made | {FACE} if in_database("engine") in made else made


def _listed(names: list[str]) -> str:
    more = len(names) - SHOWN_MAX
    return ", ".join(names[:SHOWN_MAX]) + (f" and {more} more" if more > 0 else "")
