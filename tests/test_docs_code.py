"""The code in the documents runs, and answers what the documents say."""

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import handfast
from handfast.db.migrations.files import shipped
from handfast.db.pool import Database
from handfast.engine.jobs.states import MOVES, JobState
from tests.support.pages import fits

ROOT = Path(__file__).parents[1]
TUTORIAL = ROOT / "docs" / "tutorials" / "first-job.md"
STATES = ROOT / "docs" / "concepts" / "states.md"
BLOCK = re.compile(r"^```(\w+)(?: title=\"([\w.]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAMS = {
    ".venv/bin/python": [sys.executable],
    "./run": [sys.executable, "-m", "handfast"],
}


def blocks(page: Path) -> list[tuple[str, str, str]]:
    return [(match[1], match[2], match[3]) for match in BLOCK.finditer(page.read_text())]


def run(command: str, expected: Sequence[str], folder: Path, dsn: str) -> None:
    """One command of a page says what is expected, and nothing else. A worker also has a log, and
    is interrupted when it has said everything."""
    program, *arguments = shlex.split(command)
    process = subprocess.Popen(
        [*PROGRAMS.get(program, [program]), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
        env={**os.environ, "DATABASE_URL": dsn, "PYTHONPATH": str(ROOT / "src")},
    )
    assert process.stdout is not None
    heard: list[str] = []
    left = list(expected)
    with process.stdout as output:
        for line in output:
            heard.append(line.rstrip("\n"))
            if left and fits(heard[-1], left[0]):
                left.pop(0)
            if not left and arguments[-1:] == ["work"]:
                process.send_signal(signal.SIGINT)
    process.wait(30)
    assert not left, f"{command} said {heard}, and not {left[0]!r}"
    assert arguments[-1:] == ["work"] or len(heard) == len(expected), f"{command} said {heard}"


@pytest.mark.long
def test_the_tutorial_works(dsn: str, tmp_path: Path) -> None:
    found = blocks(TUTORIAL)
    commands = 0
    for number, (language, title, text) in enumerate(found):
        if language == "python":
            (tmp_path / title).write_text(text)
        elif language == "sh":
            following = found[number + 1] if number + 1 < len(found) else ("", "", "")
            expected = following[2].splitlines() if following[0] == "text" else []
            run(text.strip(), expected, tmp_path, dsn)
            commands += 1
    assert commands == 14


def test_the_feel_of_it(dsn: str, tmp_path: Path) -> None:
    [sample] = [text for language, _, text in blocks(ROOT / "README.md") if language == "python"]
    (tmp_path / "sample.py").write_text(sample)
    run(".venv/bin/python sample.py", ["welcome, Ada", "succeeded"], tmp_path, dsn)


def test_the_listed_moves_are_the_moves() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| .* \|$", STATES.read_text(), re.MULTILINE)
    listed = {
        JobState(state): {JobState(to) for to in re.findall(r"`(\w+)`", targets)}
        for state, targets in rows
    }
    assert listed == {state: set(targets) for state, targets in MOVES.items()}


def test_the_drawn_moves_are_the_moves() -> None:
    drawing = (ROOT / "docs" / "assets" / "states.svg").read_text()
    bundles = ", ".join(re.findall(r'data-moves="([\w, ]+)"', drawing))
    drawn = {(one, other) for one, other in map(str.split, bundles.split(", "))}
    assert drawn == {(str(a), str(b)) for a, targets in MOVES.items() for b in targets}
    assert set(re.findall(r'data-state="(\w+)"', drawing)) == set(map(str, JobState))


SQL_PAGE = ROOT / "docs" / "reference" / "sql.md"
FACE = {f.full_name: f for f in shipped().functions if f.public}


def test_the_sql_signatures_are_the_functions() -> None:
    told = dict(
        re.findall(
            r"^### `(handfast\.\w+)`\n\n```sql\n(.+?)\n```",
            SQL_PAGE.read_text(),
            re.MULTILINE | re.DOTALL,
        )
    )
    assert told.keys() == {name for name, one in FACE.items() if not one.view}
    for name, signature in told.items():
        found = re.search(r"CREATE OR REPLACE FUNCTION (.+?)\s+LANGUAGE", FACE[name].sql, re.DOTALL)
        assert found
        assert signature.split() == found[1].split(), name


async def test_the_sql_columns_are_those_of_the_views(database: Database) -> None:
    told = {
        name: re.findall(r"^\| `(\w+)` \|", rows, re.MULTILINE)
        for name, rows in re.findall(
            r"^### `(handfast\.\w+)`\n\n[^\n]+\n\n(\| column \|.+?)\n\n",
            SQL_PAGE.read_text(),
            re.MULTILINE | re.DOTALL,
        )
    }
    assert told.keys() == {name for name, one in FACE.items() if one.view}
    async with database.connection() as connection:
        for name, columns in told.items():
            found = await connection.fetch(
                "SELECT attname::text FROM pg_attribute WHERE attrelid = $1::text::regclass"
                " AND attnum > 0 ORDER BY attnum",
                name,
            )
            assert columns == [row[0] for row in found], name


def test_every_public_name_is_in_the_python_reference() -> None:
    page = (ROOT / "docs" / "reference" / "python.md").read_text()
    methods = [name for name, member in vars(handfast.Handfast).items() if callable(member)]
    public = [name for name in methods if not name.startswith("_")]
    assert [name for name in public if f"hf.{name}(" not in page] == []
    names = [name for name in handfast.__all__ if not name.startswith("__")]
    assert [name for name in names if not re.search(rf"\b{name}\b", page)] == []
