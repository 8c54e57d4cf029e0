"""SQL is in ``sql/``, where it is prepared, compared and found. Python names it.

What is meant are statements that read, write or define. ``SET LOCAL``, ``LISTEN`` and the words
around a transaction are not: they have no rows to type, and take no parameters.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import handfast

SOURCE = Path(handfast.__file__).parent

STATEMENT = re.compile(
    r"^\s*(SELECT|INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO|WITH|COPY|TRUNCATE|LOCK|CALL"
    r"|CREATE|ALTER|DROP|GRANT|REVOKE|COMMENT\s+ON|VACUUM|ANALYZE|REINDEX|EXPLAIN)\s",
    re.MULTILINE,
)

# Why a text is where it is.
EXCEPTIONS = {
    "db/embedded/server.py": "CREATE DATABASE, over a wire that knows no statements of ours yet",
    "db/migrations/files.py": "no statement: what a file of a function must contain",
    "db/migrations/migrate.py": "names come from the files that are applied, in this module alone",
    "demo/match_run.py": "the demo is a program like any user's",
    "demo/morning.py": "the demo is a program like any user's",
    "demo/people.py": "the demo is a program like any user's",
    "demo/program.py": "the demo is a program like any user's",
    "demo/scenes.py": "the demo is a program like any user's",
    "demo/stakes.py": "the demo is a program like any user's",
    "demo/stage.py": "the demo is a program like any user's",
    "demo/story.py": "the demo is a program like any user's",
    "demo/traffic/chatting.py": "the demo is a program like any user's",
    "demo/traffic/couples.py": "the demo is a program like any user's",
    "demo/traffic/friendlies.py": "the demo is a program like any user's",
    "demo/traffic/players.py": "the demo is a program like any user's",
    "demo/traffic/reporting.py": "the demo is a program like any user's",
    "demo/traffic/shop.py": "the demo is a program like any user's",
    "demo/traffic/startups.py": "the demo is a program like any user's",
    "demo/weekend.py": "the demo is a program like any user's",
    "edge/cli/processes/bench.py": "for a database of its own, like any user's program",
    "services/idempotency/stores/record_with_commit.py": "travels with COMMIT, without parameters",
    "services/webhooks/receiving/inbox.py": "for the receiver's database, by the receiver's driver",
}


def texts(tree: ast.AST) -> Iterator[str]:
    """Every text of a module but its docstrings, f-strings with their places left out."""
    parts = {id(part) for f in ast.walk(tree) if isinstance(f, ast.JoinedStr) for part in f.values}
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if id(node) in parts | docs:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            constants = (part.value for part in node.values if isinstance(part, ast.Constant))
            yield "…".join(str(constant) for constant in constants)


def statements_in(source: str) -> list[str]:
    return [text for text in texts(ast.parse(source)) if STATEMENT.search(text)]


def test_sql_is_in_files() -> None:
    found = {
        str(path.relative_to(SOURCE)): statements
        for path in sorted(SOURCE.rglob("*.py"))
        if (statements := statements_in(path.read_text()))
    }
    unexcused = {path: texts for path, texts in found.items() if path not in EXCEPTIONS}
    assert not unexcused, "give them a name in sql/queries (see db/statements and db/templates)"
    assert found.keys() == EXCEPTIONS.keys(), "an exception that nobody needs any more"


def test_what_counts_as_sql() -> None:
    assert statements_in('run("SELECT 1")')
    assert statements_in('run(f"DELETE FROM {table} WHERE x")')
    assert statements_in('TEXT = """\n  WITH found AS (SELECT 1)\n"""')
    assert statements_in('run(f"{head} x\\nUPDATE t SET a = 1")')
    assert not statements_in('"""SELECT is spoken of here."""')
    assert not statements_in('run("SET LOCAL lock_timeout = 5"); say("Select one.")')
