"""Every example runs, twice on one database, and does what it says."""

import os
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest

from handfast.db.embedded.binaries import find_binaries

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"

# A session's steps, in minutes from its beginning.
WAITING = "invite scheduled -1440 min, remind blocked -15 min, thank scheduled +120 min"

# What each prints, at its first run on a new database; where the second differs, that too.
EXPECTED: dict[str, tuple[list[str], list[str] | None]] = {
    "welcome_mail.py": (
        [": new", ": there already", "succeeded: sent to ada"],
        [": there already", ": there already", "succeeded: sent to ada"],
    ),
    "exactly_once_transfer.py": (
        [
            "asked 10 times, made 1 job",
            "transfers with this key: 1, result: {'moved': 1}",
            "all balances together: 100",
        ],
        None,
    ),
    "chain.py": (
        [
            "enqueued: ready, blocked, blocked",
            *("extract 2026-02-19", "transform 2026-02-19", "load 2026-02-19"),
            "the last one: succeeded",
        ],
        ["enqueued: succeeded, succeeded, succeeded", "the last one: succeeded"],
    ),
    "anchor.py": (
        [
            "planned: example.analysis scheduled 13:30, example.lineups scheduled 18:30",
            "2 moved: example.analysis scheduled 14:30, example.lineups scheduled 19:30",
            "2 cancelled: nothing waits",
            "reinstated True: example.analysis scheduled 13:30, example.lineups scheduled 18:30",
        ],
        None,
    ),
    "game_session_reminders.py": (
        [
            f"in three days: {WAITING}",
            "Cy and Di are invited",
            "Cy and Di are reminded",
            f"1 moved: {WAITING}",
        ],
        None,
    ),
    "batch.py": (
        ["100 of 100 jobs are new", "99 succeeded, 1 dead, in fewer than 100 calls: True"],
        ["0 of 100 jobs are new", "99 succeeded, 1 dead, in fewer than 100 calls: True"],
    ),
    "retries.py": (
        [
            "flaky: succeeded after failed (transient), failed (transient), succeeded (fine)",
            "patient: succeeded after snoozed (transient), succeeded (fine)",
            "contradiction: dead after failed (data)",
            "mistake: dead after failed (logic)",
        ],
        None,
    ),
    "enqueue_from_psycopg.py": (
        [
            "True, 'ready')",
            "psycopg-2: the card was declined",
            "example_orders: ['psycopg-1']",
            "handfast.jobs: ['psycopg-1']",
        ],
        [
            "False, 'ready')",
            "psycopg-2: the card was declined",
            "example_orders: ['psycopg-1']",
            "handfast.jobs: ['psycopg-1']",
        ],
    ),
    "enqueue_from_sqlalchemy.py": (
        [
            "sqlalchemy-1: ready, new",
            "sqlalchemy-2: the card was declined",
            "orders: ['sqlalchemy-1'], jobs: ['sqlalchemy-1']",
        ],
        [
            "sqlalchemy-1: ready, there already",
            "sqlalchemy-2: the card was declined",
            "orders: ['sqlalchemy-1'], jobs: ['sqlalchemy-1']",
        ],
    ),
    "enqueue_from_psql.sql": (
        [
            *("t|ready", "t|ready", "again|f", "many|1|scheduled", "many|2|scheduled"),
            'job|example.ship|psql-1|ready|{"order": "psql-1"}|0|default',
            "orders|psql-1",
            "jobs|psql-1,psql-3,psql-4",
        ],
        [
            *("f|ready", "t|ready", "again|f", "many|1|scheduled", "many|2|scheduled"),
            'job|example.ship|psql-1|ready|{"order": "psql-1"}|0|default',
            "orders|psql-1",
            "jobs|psql-1,psql-3,psql-4",
        ],
    ),
    "webhook_receiver.py": (
        [
            "five at once: 200 False, 200 True, 200 True, 200 True, 200 True",
            *("and again: 200 True", "a stranger: 401 refused", "parcels: 1"),
        ],
        [
            "five at once: 200 True, 200 True, 200 True, 200 True, 200 True",
            *("and again: 200 True", "a stranger: 401 refused", "parcels: 1"),
        ],
    ),
    "match_run_from_psql.sql": (
        [
            *("started t queued", "again|f|t", "held|processing|extract|psql", "more time|t"),
            *("counted 3", "top|i2|900", "top|i1|700", "top|i3|700"),
            *("stranger|f", "complete|t", "twice|f", "shown|ready|finalize|3|Elm"),
            *("steps|resolve extract finalize", "failed|t"),
            *("unknown|error|STARTUP_NOT_FOUND", "released|0"),
        ],
        None,
    ),
    "worker_in_sql.sql": (
        [
            *("extended|t", "finished", 'state|succeeded|{"shipped": true}', "late|f"),
            *("failed|scheduled", "dropped|cancelled"),
        ],
        None,
    ),
}


def run(example: Path, dsn: str) -> list[str]:
    command: list[str | Path]
    if example.suffix == ".sql":
        command = [find_binaries().bin / "psql", "-X", "-q", dsn, "-f", example]
    else:
        command = [sys.executable, example]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "DATABASE_URL": dsn, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def matches(printed: list[str], expected: list[str]) -> None:
    """Line by line; what a line cannot know (an id) stands before what is expected of it."""
    assert len(printed) == len(expected), printed
    for line, end in zip(printed, expected, strict=True):
        assert line.endswith(end), printed


def test_every_example_is_here() -> None:
    files = {file.name for file in EXAMPLES.iterdir() if file.suffix in {".py", ".sql"}}
    assert files == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
async def test_it_does_what_it_says_and_may_be_run_again(name: str, dsn: str) -> None:
    first, second = EXPECTED[name]
    matches(run(EXAMPLES / name, dsn), first)
    matches(run(EXAMPLES / name, dsn), second or first)
    connection = await asyncpg.connect(dsn)
    try:
        twice = await connection.fetchval(
            "SELECT count(*) FROM (SELECT 1 FROM handfast_engine.attempts WHERE outcome ="
            " 'succeeded'"
            " GROUP BY job_id HAVING count(*) > 1) AS t"
        )
        assert twice == 0, "no job succeeded twice"
    finally:
        await connection.close()
