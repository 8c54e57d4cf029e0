"""Handfast in somebody's database, under a login that may do little: a guest who touches nothing.

The whole way of a team: ask, run what is printed, ask again. On a server of its own, because what
an administrator runs makes roles, which are the server's.
"""

import asyncio
import json
import re
import subprocess
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import asyncpg
import pytest

from handfast import Context, Handfast
from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer, find_binaries
from handfast.db.pool import Database
from tests.edge.test_engine_cli import handfast
from tests.support.corpus_rows import add_version, as_role
from tests.support.embedded import BIN_DIR, clean_folder
from tests.support.eventually import eventually_async
from tests.support.hosts import running
from tests.support.up import Up

pytestmark = pytest.mark.on_every_postgres

TEAM = "team"
# What a product might have: names that we once had ourselves, and names that our face has.
THEIRS = """
CREATE SCHEMA engine;
CREATE TABLE engine.jobs (id int PRIMARY KEY, name text);
CREATE FUNCTION engine.enqueue(text, text) RETURNS text LANGUAGE sql AS 'SELECT ''theirs''';
CREATE SCHEMA runs;
CREATE TABLE runs.records (id int PRIMARY KEY);
CREATE VIEW runs.match_runs AS SELECT id FROM runs.records;
CREATE SCHEMA users;
CREATE TABLE users.accounts (id int PRIMARY KEY, email text);
CREATE SCHEMA db;
CREATE TABLE db.migrations (id int, file text);
CREATE TYPE public.match_run_status AS ENUM ('mine');
CREATE TABLE public.jobs (id int, what text DEFAULT 'theirs');
CREATE TABLE public.investors (id int);
CREATE TABLE public.fixtures (id int);
CREATE FUNCTION public.enqueue(text, text) RETURNS text LANGUAGE sql AS 'SELECT ''theirs''';
CREATE FUNCTION public.touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER touched BEFORE INSERT ON public.jobs FOR EACH ROW EXECUTE FUNCTION public.touch();
INSERT INTO public.jobs VALUES (1), (2);
INSERT INTO engine.jobs VALUES (1, 'one');
INSERT INTO users.accounts VALUES (1, 'ada@example.com');
"""


@pytest.fixture
async def guest(tmp_path: Path) -> AsyncIterator[tuple[str, str]]:
    """The administrator's address and the team's, of a database that is full of other things."""
    with clean_folder(tmp_path) as folder, EmbeddedServer(folder, bin_dir=BIN_DIR) as server:
        admin = await asyncpg.connect(server.dsn("postgres"))
        await admin.execute(f"CREATE ROLE {TEAM} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE")
        await admin.execute("CREATE DATABASE shop")
        await admin.close()
        inside = await asyncpg.connect(server.dsn())
        await inside.execute("DROP OWNED BY handfast_runs; DROP ROLE handfast_runs")
        await inside.close()
        shop = await asyncpg.connect(server.dsn("shop"))
        await shop.execute(THEIRS)
        for schema in ("engine", "runs", "users", "db", "public"):  # a product's everyday login
            await shop.execute(
                f"GRANT USAGE ON SCHEMA {schema} TO {TEAM};"
                f"GRANT ALL ON ALL TABLES IN SCHEMA {schema} TO {TEAM}"
            )
        await shop.close()
        yield server.dsn("shop"), as_role(server.dsn("shop"), TEAM)


def dumped(dsn: str) -> str:
    """Everything in the database but what is ours, data and rights included."""
    text = subprocess.run(
        [find_binaries(BIN_DIR).bin / "pg_dump", "--exclude-schema=handfast*", dsn],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return re.sub(r"^(--.*|\\(un)?restrict .*)$\n?", "", text, flags=re.MULTILINE)


async def migrated(admin_dsn: str, dsn: str) -> list[str]:
    """Run what ``handfast migrate`` prints until it prints nothing more; what that was."""
    admin = await asyncpg.connect(admin_dsn)
    run: list[str] = []
    try:
        for _ in range(5):
            done = await handfast(dsn, "migrate")
            said = " ".join(done.stderr.split())
            wanted = re.findall(r"has to run: (GRANT [^;]+;)", said)
            wanted += re.findall(r"^CREATE ROLE [^;]+;", done.stdout, re.MULTILINE)
            for statement in wanted:
                await admin.execute(statement)
            run += wanted
            if done.returncode == 0 and not wanted:
                return run
            assert wanted, f"{done.stdout}{done.stderr}"
    finally:
        await admin.close()
    raise AssertionError(f"no end: {run}")


async def test_nothing_of_theirs_is_touched_and_everything_works(
    guest: tuple[str, str], tmp_path: Path
) -> None:
    admin_dsn, dsn = guest
    before = await asyncio.to_thread(dumped, admin_dsn)

    run = await migrated(admin_dsn, dsn)
    assert run == [
        f"GRANT CREATE ON DATABASE shop TO {TEAM};",
        "CREATE ROLE handfast_runs LOGIN PASSWORD '…';",
    ]
    assert (await handfast(dsn, "doctor")).returncode == 0
    await theirs_are_found(dsn)
    await a_job_is_done(dsn)
    await a_run_is_ready(dsn, tmp_path)

    assert await asyncio.to_thread(dumped, admin_dsn) == before


async def theirs_are_found(dsn: str) -> None:
    """By the names that they have always had."""
    team = await asyncpg.connect(dsn)
    try:
        assert await team.fetchval("SELECT string_agg(what, ',') FROM jobs") == "theirs,theirs"
        assert await team.fetchval("SELECT enqueue('a', 'b')") == "theirs"
        assert await team.fetchval("SELECT engine.enqueue('a', 'b')") == "theirs"
        assert await team.fetchval("SELECT 'mine'::match_run_status::text") == "mine"
        assert await team.fetchval("SELECT count(*) FROM runs.match_runs") == 0
        # And ours by asking for them.
        await team.execute("SET search_path = handfast")
        assert await team.fetchval("SELECT count(*) FROM jobs") == 0
        assert await team.fetchval("SELECT 'ready'::match_run_status::text") == "ready"
    finally:
        await team.close()


async def a_job_is_done(dsn: str) -> None:
    hf = Handfast(database_url=dsn)

    @hf.job("guest.greet")
    async def greet(ctx: Context) -> str:
        return "done"

    team = await asyncpg.connect(dsn)
    try:
        await team.fetch("SELECT * FROM handfast.enqueue('guest.greet', 'once')")
        async with hf, running(await hf.worker()):
            state = "SELECT state FROM handfast.jobs WHERE kind = 'guest.greet'"
            await eventually_async(lambda: _is(team, state, "succeeded"))
    finally:
        await team.close()


async def _is(connection: asyncpg.Connection, sql: str, wanted: object) -> bool:
    return bool(await connection.fetchval(sql) == wanted)


async def a_run_is_ready(dsn: str, folder: Path) -> None:
    """All of it, as `up` starts it: the API, and the worker of runs through its own login."""
    async with await Database.open(Target(dsn)) as database:
        await add_version(database, {"acme": "https://acme.com"}, {"acme": [("oak", 700)]})
    reader = as_role(dsn)  # handfast_runs, which an administrator has made
    with Up(folder / "up", DATABASE_URL=dsn, HANDFAST_RUNS_DATABASE_URL=reader) as up:
        run = await asyncio.to_thread(asked_for, up.url, "https://www.acme.com/")
        team = await asyncpg.connect(dsn)
        try:
            status = f"SELECT status::text FROM handfast.match_runs WHERE run_id = '{run}'"
            await eventually_async(lambda: _is(team, status, "ready"))
            [best] = await team.fetch(
                "SELECT m.investor_id, m.score FROM handfast.match_runs AS r"
                " JOIN handfast.startup_investor_matches AS m USING (startup_id)"
                " WHERE r.run_id = $1",
                UUID(run),
            )
            assert tuple(best) == ("oak", 700)
        finally:
            await team.close()


def asked_for(url: str, startup: str) -> str:
    body = json.dumps({"url": startup}).encode()
    headers = {"Content-Type": "application/json"}
    asked = urllib.request.Request(f"{url}/api/match/run", body, headers)
    with urllib.request.urlopen(asked, timeout=30) as answer:
        return str(json.load(answer)["run_id"])
