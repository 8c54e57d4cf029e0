"""The migration and function files as they are shipped: read, checked and checksummed.

``migrations/NNNN_<schema>_<what>.sql`` runs in one transaction. A file that ends in
``.concurrent.sql`` holds exactly one ``CREATE INDEX CONCURRENTLY`` and runs outside of one.
``functions/<schema>/<name>.sql`` holds one ``CREATE OR REPLACE`` and is applied when it changed.
"""

import hashlib
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from handfast.base.errors import MigrationsInvalid

# Ours, each may mention only itself and those before it.
SCHEMAS = ("db", "engine", "idempotency", "limits", "webhooks", "runs", "fixtures")

_FILE = re.compile(r"^(\d{4})_([a-z]+)_[a-z0-9_]+(\.concurrent)?\.sql$")
_CONCURRENT_INDEX = re.compile(
    r"^\s*CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?P<index>\w+)\s+"
    r"ON\s+(?:ONLY\s+)?(?P<schema>\w+)\.\w+[^;]*;?\s*$",
    re.IGNORECASE | re.DOTALL,
)
_COMMENT = re.compile(r"--[^\n]*")


@dataclass(frozen=True)
class Migration:
    number: int
    name: str
    sql: str
    concurrent_index: str | None = None

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


@dataclass(frozen=True)
class Function:
    schema: str
    name: str
    sql: str

    @property
    def full_name(self) -> str:
        return f"{self.schema}.{self.name}"

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


@dataclass(frozen=True)
class Shipped:
    """What this version of Handfast brings."""

    migrations: tuple[Migration, ...]
    functions: tuple[Function, ...]

    @property
    def functions_checksum(self) -> str:
        return hashlib.sha256("\0".join(f.sql for f in self.functions).encode()).hexdigest()


def shipped(root: Path | None = None) -> Shipped:
    """The files of the package, or those under ``root``."""
    folder = root or Path(str(resources.files("handfast.sql")))
    return Shipped(
        migrations=_migrations(folder / "migrations"), functions=_functions(folder / "functions")
    )


def _migrations(folder: Path) -> tuple[Migration, ...]:
    files = sorted(folder.glob("*.sql"))
    found = tuple(_migration(file) for file in files)
    for expected, migration in enumerate(found, start=1):
        if migration.number != expected:
            raise MigrationsInvalid(
                f"{migration.name} should be number {expected:04d}: numbers start at 0001, with "
                "none twice and none left out.",
                hint="Rename the newest file; never rename one that has been applied anywhere.",
            )
    return found


def _migration(file: Path) -> Migration:
    match = _FILE.match(file.name)
    if match is None:
        raise MigrationsInvalid(
            f"{file.name} is not a migration's name.",
            hint="Name it NNNN_<schema>_<what>.sql, for example 0007_engine_lanes.sql.",
        )
    if match[2] not in SCHEMAS:
        raise MigrationsInvalid(
            f"{file.name} names the schema {match[2]!r}.", hint=f"Ours are {', '.join(SCHEMAS)}."
        )
    sql = file.read_text()
    return Migration(
        number=int(match[1]),
        name=file.name,
        sql=sql,
        concurrent_index=_concurrent_index(file.name, sql) if match[3] else None,
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


def _functions(folder: Path) -> tuple[Function, ...]:
    found = []
    for schema in SCHEMAS:
        for file in sorted((folder / schema).glob("*.sql")):
            sql = file.read_text()
            if f"CREATE OR REPLACE FUNCTION {schema}.{file.stem}(" not in sql:
                raise MigrationsInvalid(
                    f"functions/{schema}/{file.name} does not create {schema}.{file.stem}.",
                    hint="One CREATE OR REPLACE FUNCTION in each file, named like the file.",
                )
            found.append(Function(schema, file.stem, sql))
    return tuple(found)
