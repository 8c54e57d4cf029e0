"""The migration and function files as they are shipped: read, checked and checksummed.

``migrations/<schema>/NNNN_<what>.sql`` runs in one transaction; the first of a schema is its
baseline, which makes it. A file that ends in ``.concurrent.sql`` holds exactly one ``CREATE INDEX
CONCURRENTLY`` and runs outside of one. ``functions/<schema>/<part>/<name>.sql`` holds one ``CREATE
OR REPLACE`` of a function or a view, applied when it changed. What is in the part ``face`` of a
room is for everybody: it is made in the schema ``handfast``, and stays as it is documented.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from handfast.db.migrations.errors import MigrationsInvalid

# Ours, by the rooms that own them; each may mention only itself and those before it.
SCHEMAS = (
    "db",
    "engine",
    "idempotency",
    "limits",
    "webhooks",
    "identity",
    "ledger",
    "runs",
    "fixtures",
    "people",
    "stakes",
    "offers",
    "chat",
    "safety",
)
ALWAYS = frozenset({"db", "engine"})  # whatever else is wanted
FACE = "handfast"  # what other programs may call and read; made by the engine's baseline
FACE_PART = "face"  # the folder of a room's part of it
BASELINE = 2  # raised when all baselines are written anew, which only an unreleased build may do

_FILE = re.compile(r"^(\d{4})_[a-z0-9_]+(\.concurrent)?\.sql$")
_CONCURRENT_INDEX = re.compile(
    r"^\s*CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?P<index>\w+)\s+"
    r"ON\s+(?:ONLY\s+)?(?P<schema>\w+)\.\w+[^;]*;?\s*$",
    re.IGNORECASE | re.DOTALL,
)
_COMMENT = re.compile(r"--[^\n]*")


def in_database(schema: str) -> str:
    """What a schema of ours is called there, so that it meets nobody else's ``engine``."""
    return f"handfast_{schema}"


@dataclass(frozen=True)
class Migration:
    schema: str
    number: int
    name: str
    sql: str
    concurrent_index: str | None = None

    @property
    def full_name(self) -> str:
        return f"{self.schema}/{self.name}"

    @property
    def checksum(self) -> str:
        return _checksum(self.sql)


@dataclass(frozen=True)
class Function:
    """One that is replaced when it changed: a function, or a view."""

    schema: str
    name: str
    sql: str
    public: bool = False
    view: bool = False

    @property
    def full_name(self) -> str:
        return f"{FACE if self.public else in_database(self.schema)}.{self.name}"

    @property
    def checksum(self) -> str:
        return _checksum(self.sql)


@dataclass(frozen=True)
class Shipped:
    """What this version of Handfast brings, in the order in which it is applied."""

    schemas: tuple[str, ...]
    migrations: tuple[Migration, ...]
    functions: tuple[Function, ...]

    def only(self, wanted: Iterable[str] | None) -> "Shipped":
        """What these schemas need, and those that are always there; all of it without a choice."""
        if wanted is None:
            return self
        chosen = set(wanted)
        if unknown := chosen - set(self.schemas):
            raise MigrationsInvalid(
                f"There is no schema {', '.join(sorted(unknown))}.",
                hint=f"Ours are {', '.join(self.schemas)}.",
            )
        chosen |= ALWAYS
        return Shipped(
            schemas=tuple(schema for schema in self.schemas if schema in chosen),
            migrations=tuple(m for m in self.migrations if m.schema in chosen),
            functions=tuple(f for f in self.functions if f.schema in chosen),
        )

    def functions_checksum(self, schema: str) -> str:
        return _checksum("\0".join(f.sql for f in self.functions if f.schema == schema))


def shipped(root: Path | None = None) -> Shipped:
    """The files of the package, or those under ``root``."""
    folder = root or Path(str(resources.files("handfast.sql")))
    schemas = _schemas(folder / "migrations")
    return Shipped(
        schemas=schemas,
        migrations=tuple(
            migration
            for schema in schemas
            for migration in _migrations(folder / "migrations" / schema)
        ),
        functions=_functions(folder / "functions", schemas),
    )


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _schemas(folder: Path) -> tuple[str, ...]:
    """Those that have migrations, in order."""
    found = {entry.name for entry in folder.iterdir() if not entry.name.startswith(".")}
    for name in sorted(found - set(SCHEMAS)):
        raise MigrationsInvalid(
            f"{name} is not a schema of ours, and migrations are in the folder of their schema.",
            hint=f"Ours are {', '.join(SCHEMAS)}.",
        )
    return tuple(schema for schema in SCHEMAS if schema in found)


def _migrations(folder: Path) -> tuple[Migration, ...]:
    found = tuple(_migration(file) for file in sorted(folder.glob("*.sql")))
    for expected, migration in enumerate(found, start=1):
        if migration.number != expected:
            raise MigrationsInvalid(
                f"{migration.full_name} should be number {expected:04d}: the numbers of a schema "
                "start at 0001, with none twice and none left out.",
                hint="Rename the newest file; never rename one that has been applied anywhere.",
            )
    return found


def _migration(file: Path) -> Migration:
    schema = file.parent.name
    match = _FILE.match(file.name)
    if match is None:
        raise MigrationsInvalid(
            f"{schema}/{file.name} is not a migration's name.",
            hint="Name it NNNN_<what>.sql, for example 0007_lanes.sql.",
        )
    sql = file.read_text()
    return Migration(
        schema=schema,
        number=int(match[1]),
        name=file.name,
        sql=sql,
        concurrent_index=_concurrent_index(f"{schema}/{file.name}", sql) if match[2] else None,
    )


def _concurrent_index(name: str, sql: str) -> str:
    match = _CONCURRENT_INDEX.match(_COMMENT.sub("", sql))
    if match is None:
        raise MigrationsInvalid(
            f"{name} must hold exactly one statement, CREATE INDEX CONCURRENTLY name ON "
            "schema.table …, without IF NOT EXISTS.",
            hint="Put everything else into a migration of its own.",
        )
    return f"{match['schema']}.{match['index']}"


def _functions(folder: Path, schemas: tuple[str, ...]) -> tuple[Function, ...]:
    found = [
        _function(file, schema)
        for schema in schemas
        for file in sorted(
            (folder / schema).glob("*/*.sql"), key=lambda file: (file.stem, file.parent.name)
        )
    ]
    names = [function.full_name for function in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise MigrationsInvalid(
            f"{', '.join(twice)} is created by two files.",
            hint="One file for each function or view; two rooms cannot share a name in the face.",
        )
    return tuple(found)


def _function(file: Path, schema: str) -> Function:
    sql = file.read_text()
    public = file.parent.name == FACE_PART
    view = "CREATE OR REPLACE VIEW" in sql
    function = Function(schema, file.stem, sql, public, view)
    begins = f"VIEW {function.full_name} " if view else f"FUNCTION {function.full_name}("
    if f"CREATE OR REPLACE {begins}" not in sql:
        raise MigrationsInvalid(
            f"{schema}/{file.parent.name}/{file.name} does not create {function.full_name}.",
            hint="One CREATE OR REPLACE FUNCTION or VIEW in each file, named like the file.",
        )
    return function
