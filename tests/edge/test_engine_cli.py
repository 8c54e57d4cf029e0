"""The engine's commands, as processes of their own."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from handfast.base.errors import SettingsError
from handfast.db.pool import Database
from handfast.edge.cli.processes.program import load_program
from handfast.engine.operating.dead_letters import DeadFilter, list_dead
from handfast.engine.operating.jobs_view import SCAN_MAX
from handfast.wiring import CAPABILITIES
from tests.support.command import run_handfast
from tests.support.eventually import eventually
from tests.support.jobs import claim, die, enqueue
from tests.support.letters import make_dead
from tests.support.up import Up

APP = "tests.support.user_program:hf"
ROOT = Path(__file__).parents[2]


async def handfast(dsn: str, *words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    wanted = {"COLUMNS": "200", "DATABASE_URL": dsn, **environment}
    return await asyncio.to_thread(run_handfast, *words, cwd=ROOT, env=wanted)


async def answer(dsn: str, *words: str) -> Any:
    done = await handfast(dsn, *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


async def test_jobs(database: Database, dsn: str) -> None:
    ids = [
        await enqueue(database, "shop.mail", f"m{n}", payload={"to": "x"}, due="1 hour")
        for n in range(3)
    ]
    page = await answer(dsn, "jobs", "list", "--limit", "2", "--state", "scheduled")
    assert [job["key"] for job in page["jobs"]] == ["m2", "m1"]
    people = await handfast(dsn, "jobs", "list", "--limit", "2")
    assert "shop.mail" in people.stdout
    assert f"--after {ids[1]}" in people.stdout
    assert (await answer(dsn, "jobs", "retry", str(ids[0])))["state"] == "ready"
    done = await handfast(dsn, "jobs", "cancel", str(ids[0]), "--reason", "too many")
    assert "cancelled" in done.stdout
    shown = await handfast(dsn, "jobs", "show", str(ids[0]))
    assert "too many" in shown.stdout
    assert (await answer(dsn, "jobs", "show", str(ids[0])))["payload"] == {"to": "x"}
    missing = await handfast(dsn, "jobs", "show", "4242")
    assert missing.returncode == 1
    assert "There is no job 4242" in missing.stderr
    again = await handfast(dsn, "jobs", "retry", str(ids[0]), "--json")
    assert json.loads(again.stdout)["error"]["code"] == "CONFLICT"


async def test_a_list_goes_on_until_it_is_full(database: Database, dsn: str) -> None:
    """One look at the newest letters does not reach the only one that matches."""
    await make_dead(database, "shop.old", 1, lane="old")
    await make_dead(database, "shop.new", SCAN_MAX + 100)
    async with database.connection() as connection:
        page = await list_dead(connection, DeadFilter(lane="old"))
    assert (page.letters, page.next is None) == ([], False)
    found = await answer(dsn, "dead", "list", "--lane", "old")
    assert [one["kind"] for one in found["letters"]] == ["shop.old"]
    assert found["next"] is None


async def test_dead(database: Database, dsn: str) -> None:
    ids = [await enqueue(database, "shop.mail", f"m{n}") for n in range(4)]
    await die(database, error="Out of luck\nand more")
    people = await handfast(dsn, "dead", "list", "--text", "luck")
    assert "Out of luck" in people.stdout
    assert "and more" not in people.stdout
    assert len((await answer(dsn, "dead", "list", "--kind", "shop.mail"))["letters"]) == 4
    assert (await answer(dsn, "dead", "show", str(ids[0])))["attempts"][0]["error"]
    assert (await answer(dsn, "dead", "requeue", str(ids[0])))["requeued"] == 1
    which = await handfast(dsn, "dead", "requeue")
    assert which.returncode == 1
    assert "--all" in which.stderr
    both = await handfast(dsn, "dead", "requeue", str(ids[1]), "--all")
    assert "not both" in both.stderr
    gone = await answer(dsn, "dead", "discard", str(ids[1]), "--reason", "no such user")
    assert gone["discarded"] == 1
    rest = await handfast(dsn, "dead", "requeue", "--all", "--error-class", "logic")
    assert "2 requeued" in rest.stdout
    assert len(await claim(database)) == 3


async def test_gaps(database: Database, dsn: str) -> None:
    listed = await answer(dsn, "gaps", "list", "--app", APP)
    assert listed["expectations"][0]["missing"] == 1
    people = await handfast(dsn, "gaps", "list", "--app", APP)
    assert "greet" in people.stdout
    repaired = await handfast(dsn, "gaps", "repair", "--app", APP)
    assert "greetings: 1 enqueued" in repaired.stdout
    assert (await answer(dsn, "gaps", "list", "--app", APP))["expectations"][0]["missing"] == 0


async def test_a_worker_works_and_leaves_in_good_order(database: Database, dsn: str) -> None:
    done = await enqueue(database, "shop.mail", "1", payload={"to": "you"}, lane="mail")
    dead = await enqueue(database, "shop.mail", "2", payload={"to": "nobody"}, lane="mail")
    slow = await enqueue(database, "shop.slow", "3", payload={"seconds": 6.0})
    process = subprocess.Popen(
        [sys.executable, "-m", "handfast", "worker", "--app", APP, "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": dsn},
    )
    try:
        assert process.stdout is not None
        line = await asyncio.to_thread(process.stdout.readline)
        assert line.startswith(
            "Handfast works on default, mail, webhooks, corpus, fixtures; http://127.0.0.1:"
        )
        url = line.split("; ")[1].strip()

        async def states() -> dict[int, str]:
            async with database.connection() as connection:
                rows = await connection.fetch(
                    "SELECT j.id, coalesce(j.state, l.state)::text AS state FROM"
                    " handfast_engine.jobs j"
                    " LEFT JOIN handfast_engine.live l USING (id) WHERE j.key <> 'greet'"
                )
            return {row["id"]: row["state"] for row in rows}

        async def greeted() -> bool:
            """The gap was repaired, some seconds after the start, by the worker itself."""
            async with database.connection() as connection:
                return bool(
                    await connection.fetchval(
                        "SELECT true FROM handfast_engine.jobs WHERE key = 'greet'"
                    )
                )

        for _ in range(500):
            found = await states()
            at_work = found[slow] == "running" and found[done] == "succeeded"
            if at_work and found[dead] == "dead" and await greeted():
                break
            await asyncio.sleep(0.02)
        ready = await asyncio.to_thread(_get, f"{url}/ready")
        assert json.loads(ready)["checks"]["worker"] == "ok"
        metrics = await asyncio.to_thread(_get, f"{url}/metrics")
        assert re.search(r"^handfast_workers 5\.0$", metrics, re.MULTILINE)
        process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(process.wait, 20) == 0
        assert await states() == {done: "succeeded", dead: "dead", slow: "succeeded"}
        assert await greeted()
        async with database.connection() as connection:
            assert await connection.fetchval(
                "SELECT bool_and(ended_at IS NOT NULL) FROM handfast_engine.workers"
            )
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()  # type: ignore[union-attr]


def _get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=10) as found:
        return str(found.read().decode())


def test_up_works_too(tmp_path: Path) -> None:
    with Up(tmp_path / "data", "--app", APP, PYTHONPATH=str(ROOT)) as up:

        def ready() -> bool:
            try:
                return "worker" in _get(f"{up.url}/ready")
            except OSError:
                return False

        eventually(ready)
        assert up.stop() == 0


async def test_a_worker_without_a_program_works_on_all_that_is_ours(
    database: Database, dsn: str
) -> None:
    """What `handfast api` advises. Match runs have a login of their own, which is not set here."""
    process = subprocess.Popen(
        [sys.executable, "-m", "handfast", "worker"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": dsn},
    )
    try:
        assert process.stdout is not None
        line = await asyncio.to_thread(process.stdout.readline)
        begun, _, lanes = line.rstrip("\n").partition("Handfast works on ")
        ours = {lane for one in CAPABILITIES for lane in one.lanes}
        assert (begun, set(lanes.split(", "))) == ("", ours - {"runs"})
        process.send_signal(signal.SIGTERM)
        _, said = await asyncio.to_thread(process.communicate, timeout=60)
        assert "No program is named (--app), so this works on Handfast's own lanes" in said
        assert process.returncode == 0
    finally:
        process.kill()
        process.wait()


def test_a_worker_without_anything_to_work_on(dsn: str) -> None:
    done = run_handfast("worker", env={"DATABASE_URL": dsn, "HANDFAST_CAPABILITIES": "none"})
    assert done.returncode == 3
    assert "No program is named, so there is nothing to work on." in done.stderr


async def test_the_api_alone_works_on_nothing(database: Database, dsn: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "handfast", "api", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": dsn, "HANDFAST_ADMIN_TOKEN": "hf_admin_for_this_test"},
    )
    try:
        assert process.stdout is not None
        line = await asyncio.to_thread(process.stdout.readline)
        assert line.startswith("Handfast is ready at http://127.0.0.1:")
        ready = json.loads(await asyncio.to_thread(_get, f"{line.split()[-1]}/ready"))
        assert ready == {
            "status": "ready",
            "checks": {"database": "ok", "migrations": "ok", "background": "ok"},
            "lanes": [],
        }
        async with database.connection() as connection:
            assert await connection.fetchval("SELECT count(*) FROM handfast_engine.workers") == 0
        process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(process.wait, 20) == 0
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (None, "No program is named"),
        ("shop", "not module:attribute"),
        ("no_such_module:hf", "There is no module 'no_such_module'"),
        ("tests.no_such:hf", "There is no module 'tests.no_such' here"),
        (
            "tests.support.user_program:nope",
            "has no 'nope'. There is: tests.support.user_program:hf.",
        ),
        ("tests.support.jobs:nope", "There is no Handfast object in tests.support.jobs."),
        ("tests.support.user_program:not_a_program", "is 7, not a Handfast object"),
    ],
)
def test_programs_that_cannot_be_loaded(name: str | None, said: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(said)):
        load_program(name)


def test_a_program_is_loaded() -> None:
    assert load_program(APP).kinds.get("shop.mail") is not None
