"""``handfast bench`` measures, and leaves nothing behind."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from uuid import uuid4

import pytest

from handfast.db import embedded
from handfast.db.embedded import EmbeddedServer
from tests.edge.test_engine_cli import handfast
from tests.edge.test_who_migrates import ask
from tests.support.command import run_handfast
from tests.support.corpus_rows import as_role
from tests.support.eventually import eventually_async
from tests.support.pages import fence

CLI = "docs/reference/cli.md"
_BENCHES = "SELECT count(*) FROM pg_database WHERE datname LIKE 'handfast\\_bench\\_%'"
_NUMBER = re.compile(r"\d[\d.,]*")


def numberless(text: str) -> list[str]:
    return _NUMBER.sub("N", text).split()


def test_on_an_embedded_server(tmp_path: Path) -> None:
    beside = tmp_path / "data"
    done = run_handfast("bench", "--jobs", "100", "--data-dir", str(beside))
    assert done.returncode == 0, done.stderr
    assert numberless(done.stdout) == numberless(fence(CLI, "Jobs that do nothing"))
    assert "migration_applied" not in done.stderr
    assert [*tmp_path.iterdir()] == []
    assert embedded.status(beside) is None


@pytest.fixture
def left(server: EmbeddedServer) -> Callable[[], Awaitable[bool]]:
    """Whether a database of a bench is there."""

    async def look() -> bool:
        return bool(await ask(server.dsn("postgres"), _BENCHES))

    return look


@pytest.fixture
def gone(left: Callable[[], Awaitable[bool]]) -> Callable[[], Awaitable[bool]]:
    async def look() -> bool:
        return not await left()

    return look


async def test_on_your_own_server(empty_dsn: str, gone: Callable[[], Awaitable[bool]]) -> None:
    done = await handfast(empty_dsn, "bench", "--jobs", "200", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["jobs"], found["server"].split()[0]) == (200, "PostgreSQL")
    assert all(value > 0 for name, value in found.items() if name not in {"server", "durable"})
    assert found["pickedUpP50Ms"] <= found["pickedUpP99Ms"]
    assert await ask(empty_dsn, "SELECT count(*) FROM pg_namespace WHERE nspname ~ 'handfast'") == 0
    await eventually_async(gone)


async def test_who_may_make_no_database_is_told_so(server: EmbeddedServer, empty_dsn: str) -> None:
    name = f"bencher_{uuid4().hex[:8]}"
    await ask(server.dsn("postgres"), f"CREATE ROLE {name} LOGIN")
    refused = await handfast(as_role(empty_dsn, name), "bench")
    assert refused.returncode == 5
    assert f"ALTER ROLE {name} CREATEDB" in " ".join(refused.stderr.split())


async def test_sigterm_removes_it_too(
    empty_dsn: str, left: Callable[[], Awaitable[bool]], gone: Callable[[], Awaitable[bool]]
) -> None:
    """As many jobs as it takes, so that it cannot have ended by itself."""
    running = subprocess.Popen(
        [sys.executable, "-m", "handfast", "bench", "--jobs", "1000000"],
        env={**os.environ, "DATABASE_URL": empty_dsn},
    )
    try:
        await eventually_async(left)
        running.send_signal(signal.SIGTERM)
        assert running.wait(60) == 130
    finally:
        running.kill()
    await eventually_async(gone)


def test_bad_numbers_are_refused() -> None:
    done = run_handfast("bench", "--jobs", "7")
    assert done.returncode == 2
    assert "100" in done.stderr + done.stdout
