"""Where a reader can go from a file of ours: what it imports, and the SQL that it runs.

``reached_from("engine/work/lease.py")`` has the modules that it imports, what it asks every
capability for (``each(on, "routes")``), the files of the statements that it binds, and the
functions that those call. Of a SQL file it has the functions that it calls, and those of the
triggers on the tables that it writes to. Paths are those below ``src/handfast``.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from handfast.db.migrations.files import FACE, FACE_PART, in_database
from handfast.wiring import CAPABILITIES

HOUSE = Path(__file__).parents[2] / "src" / "handfast"
SQL = HOUSE / "sql"

_STATEMENT = re.compile(r"^-- name: (\w+)$(.*?)(?=^-- name: |\Z)", re.MULTILINE | re.DOTALL)
_BOUND = re.compile(r"\bstatement\(\s*\"(\w+\.\w+)\"")
_CALL = re.compile(r"\b(\w+\.\w+)\(")
_WRITTEN = re.compile(r"\b(?:INSERT INTO|UPDATE|DELETE FROM) (\w+\.\w+)")
_TRIGGER = re.compile(
    r"^CREATE TRIGGER .*? ON (\w+\.\w+) .*? EXECUTE FUNCTION (.*?)$", re.MULTILINE
)


def reached_from(name: str) -> set[str]:
    text = (HOUSE / name).read_text()
    if name.endswith(".py"):
        imported = set(_imported(text))
        # A package that hands on what its modules have is no stop of its own.
        packages = (module for module in imported if module.endswith("__init__.py"))
        return imported.union(*map(reached_from, packages), _run_by(text), _asked_for(text))
    return set(_functions(text)) | set(_triggered(text))


def _imported(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        names: Iterable[str] = ()
        if isinstance(node, ast.Import):
            names = (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = (str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names))
        yield from (file for name in names for file in _files_of(name))


def _files_of(module: str) -> Iterator[str]:
    """None for what is not ours, or is a name in a module."""
    path = HOUSE.parent.joinpath(*module.split("."))
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if file.is_relative_to(HOUSE) and file.exists():
            yield _name(file)


def _asked_for(text: str) -> Iterator[str]:
    """What capabilities bring: named by import strings."""
    for part in re.findall(r'\beach\([\w.]+, "(\w+)"\)', text):
        wheres = (getattr(one, part) for one in CAPABILITIES)
        yield from (file for at in wheres if at for file in _files_of(at.partition(":")[0]))


def _run_by(text: str) -> Iterator[str]:
    """The files of the statements that a module binds, and of the functions that they call."""
    for name in _BOUND.findall(text):
        file, sql = _statements()[name]
        yield file
        yield from _functions(sql)


def _functions(sql: str) -> Iterator[str]:
    known = _function_files()
    return (known[name] for name in _CALL.findall(sql) if name in known)


def _triggered(sql: str) -> Iterator[str]:
    written = set(_WRITTEN.findall(sql))
    for table, function in _TRIGGER.findall((SQL / "snapshot.sql").read_text()):
        if table in written:
            yield from _functions(function)


@cache
def _statements() -> dict[str, tuple[str, str]]:
    return {
        f"{file.parent.name}.{found[1]}": (_name(file), found[2])
        for file in (SQL / "queries").rglob("*.sql")
        for found in _STATEMENT.finditer(file.read_text())
    }


@cache
def _function_files() -> dict[str, str]:
    return {_called(file): _name(file) for file in (SQL / "functions").rglob("*.sql")}


def _called(file: Path) -> str:
    schema = file.relative_to(SQL).parts[1]
    return f"{FACE if file.parent.name == FACE_PART else in_database(schema)}.{file.stem}"


def _name(file: Path) -> str:
    return file.relative_to(HOUSE).as_posix()
