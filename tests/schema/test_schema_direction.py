"""SQL has a direction too: a schema may mention itself and those below it, never one above."""

import re
from pathlib import Path

import pytest

from handfast.db.migrations import files
from handfast.db.migrations.files import ALWAYS, SCHEMAS, in_database

# What a schema stands on besides those that are always there: its capability requires theirs.
NEEDED: dict[str, set[str]] = {"people": {"identity"}}

SQL = Path(files.__file__).parents[2] / "sql"


def schema_of(file: Path) -> str:
    relative = file.relative_to(SQL)
    if relative == Path("embedded.sql"):  # before there is any schema
        return SCHEMAS[0]
    return relative.parts[1]  # a folder for each schema


def mentioned(sql: str, schemas: tuple[str, ...]) -> set[str]:
    code = re.sub(r"--[^\n]*|'[^']*'", "", sql)
    return {s for s in schemas if re.search(rf"(?<![\w.]){in_database(s)}\s*\.\s*[a-z_]", code)}


FILES = [f for f in sorted(SQL.rglob("*.sql")) if f.name != "snapshot.sql"]


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(SQL)))
def test_no_schema_above_is_mentioned(file: Path) -> None:
    above = SCHEMAS[SCHEMAS.index(schema_of(file)) + 1 :]
    assert mentioned(file.read_text(), above) == set()


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(SQL)))
def test_what_may_be_switched_off_is_not_mentioned_by_others(file: Path) -> None:
    schema = schema_of(file)
    others = set(SCHEMAS) - ALWAYS - {schema} - NEEDED.get(schema, set())
    assert mentioned(file.read_text(), tuple(others)) == set()


def test_the_check_sees_a_mention() -> None:
    sql = (
        "SELECT 'handfast_low.x' FROM handfast_high.jobs -- handfast_top.y\n"
        "JOIN handfast_mid . things ON true"
    )
    assert mentioned(sql, ("low", "mid", "high", "top")) == {"mid", "high"}


# --- the engine's tables are written by the engine ------------------------------------------------

_WRITE = re.compile(
    r"(?i)\b(?:insert\s+into|update|delete\s+from|merge\s+into)\s+handfast_engine\s*\.\s*\w+"
)
OTHERS = [f for f in FILES if "migrations" not in f.parts and schema_of(f) not in ("db", "engine")]


def engine_writes(sql: str) -> list[str]:
    return _WRITE.findall(re.sub(r"--[^\n]*|'[^']*'", "", sql))


@pytest.mark.parametrize("file", OTHERS, ids=lambda f: str(f.relative_to(SQL)))
def test_other_schemas_write_through_the_engines_functions(file: Path) -> None:
    assert engine_writes(file.read_text()) == []


def test_the_check_sees_a_write() -> None:
    sql = (
        "WITH a AS (UPDATE handfast_engine.live AS l SET x = 1)"
        " -- DELETE FROM handfast_engine.jobs\nINSERT INTO b"
    )
    assert engine_writes(sql) == ["UPDATE handfast_engine.live"]
