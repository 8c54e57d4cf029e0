"""The version after this one, as a tree that can be imported: what a rolling upgrade is tried with.

It is made from this tree at test time and changes what later versions may change, all at once:
every table has a column more, every function another text, and `claim` writes the new column. A
dump that somebody committed would test one past difference; this one grows with the schema. Once
there are releases, the old side is the last of them, installed by name (tests/support/installed.py
does that), and the new side is the tree itself.
"""

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from handfast import __version__
from handfast.db.migrations.files import shipped

HOUSE = Path(__file__).parents[2] / "src" / "handfast"
VERSION = f"{int(__version__.partition('.')[0]) + 1}.0.0"
COLUMN = "of_the_next_version"
MARK = "written by the next version"
_CLAIMING = "SET state = 'running',"

TABLES = """
SELECT substr(n.nspname, length('handfast_') + 1) AS schema, c.relname AS table
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname ~ '^handfast_' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
ORDER BY 1, 2
"""


def make_next_version(folder: Path, tables: Iterable[tuple[str, str]]) -> Path:
    """A folder for PYTHONPATH. ``tables`` are those of the database, as ``TABLES`` lists them."""
    house = folder / "handfast"
    shutil.copytree(HOUSE, house, ignore=shutil.ignore_patterns("__pycache__"))
    _edit(house / "__init__.py", f'__version__ = "{__version__}"', f'__version__ = "{VERSION}"')
    _edit(
        house / "sql/functions/engine/work/claim.sql",
        _CLAIMING,
        f"SET {COLUMN} = '{MARK}', state = 'running',",
    )
    for function in (house / "sql" / "functions").rglob("*.sql"):
        function.write_text(f"-- Handfast {VERSION}\n{function.read_text()}")
    add_columns(house / "sql", tables)
    return folder


def add_columns(sql: Path, tables: Iterable[tuple[str, str]]) -> None:
    """A migration for each table. One that held several busy tables would wait for a worker that
    has one of them and wants another: a deadlock, and one of the two is rolled back."""
    taken = dict.fromkeys(shipped().schemas, 0)
    taken |= {one.schema: one.number for one in shipped().migrations}
    for schema, table in tables:
        taken[schema] += 1
        file = sql / "migrations" / schema / f"{taken[schema]:04d}_more_of_{table}.sql"
        file.write_text(f"ALTER TABLE handfast_{schema}.{table} ADD COLUMN {COLUMN} text;\n")


def _edit(file: Path, old: str, new: str) -> None:
    text, count = re.subn(re.escape(old), lambda _: new, file.read_text())
    assert count == 1, f"{old!r} is {count} times in {file}"
    file.write_text(text)
