"""A database that was saved goes on where it was saved, in another folder or on another server."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from handfast import Context, Handfast
from handfast.db.connect import Target
from handfast.db.embedded import find_binaries
from handfast.db.pool import Database
from handfast.services.webhooks import endpoints
from handfast.services.webhooks.metrics import KIND as DELIVERY
from tests.support.command import run_handfast
from tests.support.eventually import eventually_async
from tests.support.hosts import running
from tests.support.pages import ROOT

PAGE = ROOT / "docs" / "guides" / "upgrading.md"
LIVE = "SELECT count(*) FROM handfast_engine.live"
OUTBOX = "SELECT count(*) FROM handfast_engine.outbox"


class Program:
    """A program with a table of its own; each job writes one row of it as it ends."""

    def __init__(self, **settings: Any) -> None:
        self.hf = Handfast(capabilities=["webhooks"], **settings)
        self.hf.job("backup.effect")(self.effect)

    async def effect(self, ctx: Context, number: int) -> None:
        async with ctx.completing() as tx:
            await tx.execute("INSERT INTO effects VALUES ($1)", number)

    async def enqueue(self, *numbers: int) -> list[int]:
        """The ids of those that are new."""
        jobs = [
            await self.hf.enqueue_now(self.effect, key=str(number), number=number)
            for number in numbers
        ]
        return [job.id for job in jobs if job.created]

    async def fetch(self, sql: str) -> Any:
        async with (await self.hf.database()).connection() as connection:
            return await connection.fetchval(sql)

    async def work(self) -> None:
        async with running(await self.hf.worker()):
            await eventually_async(self._is_idle)

    async def _is_idle(self) -> bool:
        return not await self.fetch(f"{LIVE} WHERE kind = 'backup.effect'")

    async def effects(self) -> list[int]:
        async with (await self.hf.database()).connection() as connection:
            rows = await connection.fetch("SELECT number FROM effects ORDER BY number")
        return [row["number"] for row in rows]


def handfast(*words: str, **environment: str) -> str:
    done = run_handfast(*words, env={"COLUMNS": "200", **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout


async def some_history(program: Program) -> None:
    """Three jobs are done, three wait, and an event is on its way to somebody."""
    await program.fetch("CREATE TABLE effects (number integer)")
    await program.enqueue(1, 2, 3)
    await program.work()
    await program.enqueue(4, 5, 6)
    async with program.hf.transaction() as tx:
        await endpoints.add_endpoint(tx, "https://example.com/hook")
        await program.hf.emit(tx, "backup.tried", "one", {})


async def goes_on(program: Program, event: str) -> None:
    """What is in the restored database, and what it does: no more and no less than was saved."""
    assert await program.effects() == [1, 2, 3]
    assert await program.enqueue(1, 2, 3, 4, 5, 6) == [], "identities were saved"
    assert await program.hf.find(program.effect, "7") is None, "what came later was not"
    assert await program.fetch("SELECT id::text FROM handfast_engine.events") == event
    assert await program.fetch(OUTBOX) == 1, "and nobody has passed it on"
    assert await program.fetch("SELECT handfast_webhooks.relay(10)") == 1
    assert await program.fetch(f"{LIVE} WHERE kind = '{DELIVERY}'") == 1
    await program.work()
    assert await program.effects() == [1, 2, 3, 4, 5, 6]
    assert len(await program.enqueue(7)) == 1, "and is done again if somebody asks again"


async def test_the_embedded_database_goes_on_elsewhere(tmp_path: Path) -> None:
    old, new, file = tmp_path / "old", tmp_path / "new", tmp_path / "saved.dump"
    async with (program := Program(data_dir=old)).hf:
        await some_history(program)
        (old / "identity-secret").write_text("as after the first sign-in")
        (old / "photos").mkdir()
        said = handfast("backup", str(file), "--data-dir", str(old))
        assert said.startswith(f"Saved {old} to {file}: ")
        assert "Not in it, because they lie beside it: identity-secret, photos. Copy" in said
        assert file.stat().st_mode & 0o777 == 0o600
        event = await program.fetch("SELECT id::text FROM handfast_engine.events")
        await program.enqueue(7)
        await program.work()
        assert await program.effects() == [1, 2, 3, 4, 5, 6, 7]

    assert handfast("restore", str(file), "--data-dir", str(new)) == f"Loaded {file} into {new}.\n"
    async with (program := Program(data_dir=new)).hf:
        await goes_on(program, event)
    assert handfast("doctor", "--data-dir", str(new))


def commands(heading: str) -> str:
    """What the page says to type under a heading."""
    [part] = re.findall(
        rf"^### {heading}$(.*?)(?=^#|\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL
    )
    found = re.findall(r"^```sh\n(.*?)^```$", part, re.MULTILINE | re.DOTALL)
    assert found
    return "".join(found)


def type_in(script: str, folder: Path, **environment: str) -> None:
    """In a shell that has PostgreSQL's programs, and ours."""
    binaries = find_binaries(Path(p) if (p := os.environ.get("HANDFAST_POSTGRES_BIN")) else None)
    own = folder / "bin"
    own.mkdir(exist_ok=True)
    (own / "handfast").write_text('#!/bin/sh\nexec python -m handfast "$@"\n')
    (own / "handfast").chmod(0o755)
    path = f"{own}:{binaries.bin}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-eu", "-c", script],
        cwd=folder,
        env={**os.environ, **environment, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.on_every_postgres
async def test_a_database_of_ones_own_goes_on_elsewhere(
    dsn: str, empty_dsn: str, tmp_path: Path
) -> None:
    async with (program := Program(database_url=dsn)).hf:
        await some_history(program)
        event = await program.fetch("SELECT id::text FROM handfast_engine.events")
        type_in(commands("Saving"), tmp_path, DATABASE_URL=dsn)
        await program.enqueue(7)
        await program.work()
    type_in(commands("Loading"), tmp_path, NEW_DATABASE_URL=empty_dsn)
    async with (program := Program(database_url=empty_dsn)).hf:
        await goes_on(program, event)


async def test_ids_and_tokens_of_two_histories_meet(
    dsn: str, empty_dsn: str, tmp_path: Path
) -> None:
    """What the page warns of: after a restore, the same numbers are given once more."""
    claims = []
    async with (program := Program(database_url=dsn)).hf:
        await program.fetch("CREATE TABLE effects (number integer)")
        await program.enqueue(1)
    type_in(commands("Saving"), tmp_path, DATABASE_URL=dsn)
    async with (program := Program(database_url=dsn)).hf:
        claims.append([*await program.enqueue(2), await claimed_token(dsn)])
    type_in(commands("Loading"), tmp_path, NEW_DATABASE_URL=empty_dsn)
    async with (program := Program(database_url=empty_dsn)).hf:
        claims.append([*await program.enqueue(3), await claimed_token(empty_dsn)])
    assert claims[0] == claims[1]


async def claimed_token(dsn: str) -> int:
    """As a worker that claims the first job would have it."""
    async with await Database.open(Target(dsn)) as database, database.connection() as connection:
        token: int = await connection.fetchval(
            "UPDATE handfast_engine.live SET token = token + 1 WHERE key = '1' RETURNING token"
        )
        return token


def refused(*words: str, **environment: str) -> tuple[int, str]:
    done = run_handfast(*words, env={"COLUMNS": "200", **environment})
    return done.returncode, " ".join(done.stderr.split())


def test_what_is_refused(tmp_path: Path) -> None:
    nothing, file = tmp_path / "nothing", tmp_path / "some.dump"
    code, said = refused("backup", str(file), "--data-dir", str(nothing))
    assert (code, nothing.exists(), file.exists()) == (4, False, False)
    assert "There is no database" in said

    file.write_text("no dump")
    code, said = refused("restore", str(file), "--data-dir", str(nothing))
    assert (code, nothing.exists()) == (4, False)
    assert "pg_restore ended with 1" in said

    (used := tmp_path / "used" / "pgdata").mkdir(parents=True)
    code, said = refused("restore", str(file), "--data-dir", str(used.parent))
    assert (code, list(used.iterdir())) == (4, [])
    assert "There is a database" in said
    code, said = refused("backup", str(file), "--data-dir", str(used.parent))
    assert (code, file.read_text()) == (4, "no dump")
    assert "is there already" in said

    taken = tmp_path / "taken.dump"
    (part := tmp_path / "taken.dump.part").write_text("somebody else's")
    code, said = refused("backup", str(taken), "--data-dir", str(used.parent))
    assert (code, taken.exists(), part.read_text()) == (4, False, "somebody else's")
    assert "another backup is being written" in said

    own = {"DATABASE_URL": "postgresql://u@127.0.0.1:1/d"}
    for words in (("backup", str(tmp_path / "x")), ("restore", str(file))):
        code, said = refused(*words, **own)
        assert code == 3
        assert "that server is yours" in said


async def test_a_dump_that_was_cut_short_leaves_no_empty_database(tmp_path: Path) -> None:
    """Whoever started on it would begin with nothing, and whoever tried again was refused."""
    old, new, file = tmp_path / "old", tmp_path / "new", tmp_path / "saved.dump"
    async with (program := Program(data_dir=old)).hf:
        await some_history(program)
        handfast("backup", str(file), "--data-dir", str(old))
    whole = file.read_bytes()
    file.write_bytes(whole[:-2000])
    code, said = refused("restore", str(file), "--data-dir", str(new))
    assert (code, (new / "pgdata").exists()) == (4, False), said
    assert "pg_restore ended with 1" in said

    file.write_bytes(whole)
    handfast("restore", str(file), "--data-dir", str(new))
    async with (program := Program(data_dir=new)).hf:
        assert await program.effects() == [1, 2, 3]
