"""SQL has a direction too: a schema may mention itself and those below it, never one above."""

import re
from pathlib import Path

import pytest

from handfast.db import migration_files
from handfast.db.migration_files import SCHEMAS

SQL = Path(migration_files.__file__).parents[1] / "sql"


def schema_of(file: Path) -> str:
    relative = file.relative_to(SQL)
    if relative.parts[0] == "migrations":
        return file.name.split("_")[1]
    if relative == Path("embedded.sql"):  # before there is any schema
        return SCHEMAS[0]
    return relative.parts[1] if relative.parts[0] == "functions" else file.stem


def mentioned(sql: str, schemas: tuple[str, ...]) -> set[str]:
    code = re.sub(r"--[^\n]*|'[^']*'", "", sql)
    return {s for s in schemas if re.search(rf"(?<![\w.]){s}\s*\.\s*[a-z_]", code)}


FILES = [f for f in sorted(SQL.rglob("*.sql")) if f.name != "snapshot.sql"]


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(SQL)))
def test_no_schema_above_is_mentioned(file: Path) -> None:
    above = SCHEMAS[SCHEMAS.index(schema_of(file)) + 1 :]
    assert mentioned(file.read_text(), above) == set()


def test_the_check_sees_a_mention() -> None:
    sql = "SELECT 'low.x' FROM high.jobs -- top.y\nJOIN mid . things ON true"
    assert mentioned(sql, ("low", "mid", "high", "top")) == {"mid", "high"}
