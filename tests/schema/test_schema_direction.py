"""SQL has a direction too: a schema may mention itself and those below it, never one above."""

import re
from pathlib import Path

import pytest

from handfast.db.migrations import files
from handfast.db.migrations.files import ALWAYS, FACE_PART, SCHEMAS, in_database

# What a schema stands on besides those that are always there: its capability requires theirs.
NEEDED: dict[str, set[str]] = {
    "people": {"identity"},
    "offers": {"people", "identity"},
    "stakes": {"ledger", "identity"},
    "chat": {"offers", "people", "identity"},
    "safety": {"offers", "people", "identity"},
}

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


# --- the engine's tables are the engine's ---------------------------------------------------------

BASELINE = (SQL / "migrations" / "engine" / "0001_baseline.sql").read_text()
TABLES = set(re.findall(r"CREATE TABLE handfast_engine\.(\w+)", BASELINE))
OTHERS = [f for f in FILES if schema_of(f) not in ("db", "engine")]


def engine_tables(sql: str) -> set[str]:
    """In any position: read, written, referenced, with a trigger on it, or as a row's type."""
    code = re.sub(r"--[^\n]*", "", sql)
    found = re.findall(r"(?<![\w.])handfast_engine\s*\.\s*\"?(\w+)\"?(?!\s*\()", code)
    return set(found) & TABLES


def test_other_schemas_touch_the_engine_through_views_and_functions() -> None:
    found = {
        str(file.relative_to(SQL)): tables
        for file in OTHERS
        if (tables := engine_tables(file.read_text()))
    }
    assert not found, "read handfast_engine.known_jobs, live_jobs, …; write by its functions"


def test_the_check_sees_a_table_of_the_engine() -> None:
    assert {"jobs", "live", "attempts", "events"} <= TABLES
    assert engine_tables("WITH a AS (UPDATE handfast_engine.live AS l SET x = 1)") == {"live"}
    assert engine_tables("REFERENCES handfast_engine.jobs (id)") == set(), "looks like a call"
    assert engine_tables("CREATE TRIGGER t AFTER INSERT ON handfast_engine.events") == {"events"}
    assert engine_tables("DECLARE v handfast_engine . dead; -- handfast_engine.jobs") == {"dead"}
    assert engine_tables("EXECUTE 'DELETE FROM handfast_engine.progress'") == {"progress"}
    assert engine_tables("SELECT handfast_engine.jobs_of(1), handfast_engine.enqueue('a')") == set()


def test_no_foreign_key_leads_to_the_engine() -> None:
    for file in OTHERS:
        assert not re.search(r"REFERENCES\s+handfast_engine\b", file.read_text()), file


def test_what_is_made_from_text_carries_the_schemas_name() -> None:
    """format('runs.%I', …) would only be noticed when it is called."""
    plain = re.compile(rf"(?<![\w.])(?:{'|'.join(SCHEMAS)})\.(?:%|' \|\|)")
    for file in FILES:
        code = re.sub(r"--[^\n]*|LIKE '[^']*'", "", file.read_text())
        assert not plain.search(code), file


# --- the face ------------------------------------------------------------------------------------

FACE_FILES = [f for f in FILES if f.parent.name == FACE_PART]
# What baselines make in it: other programs name these types, and ours use them.
FACE_TYPES = {"match_run_status", "match_run_step"}


def face_names(sql: str) -> set[str]:
    code = re.sub(r"--[^\n]*|'[^']*'", "", sql)
    return set(re.findall(r"(?<![\w.])handfast\.([a-z_]+)", code))


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(SQL)))
def test_nobody_stands_on_the_face(file: Path) -> None:
    """It is for others. A file of it makes one name, and hands on to what is private."""
    made = {file.stem} if file in FACE_FILES else set()
    assert face_names(file.read_text()) <= made | FACE_TYPES


@pytest.mark.parametrize("file", FACE_FILES, ids=lambda f: str(f.relative_to(SQL)))
def test_the_face_hands_on_with_its_owners_rights(file: Path) -> None:
    sql = file.read_text()
    if "CREATE OR REPLACE VIEW" in sql:
        # Who reads a view must be allowed to call the functions in it: there are none of ours.
        assert not re.search(r"handfast_\w+\.\w+\(", sql)
        assert f"COMMENT ON VIEW handfast.{file.stem} IS" in sql
    else:
        assert "SECURITY DEFINER\nSET search_path = pg_catalog, pg_temp" in sql
        assert not re.search(r"\bp_", sql.partition("LANGUAGE")[0]), "arguments have plain names"
