"""What a person sees in a terminal of 80 columns, and a program in a pipe."""

import io
import json
from uuid import UUID

import pytest
from rich.console import Console
from rich.text import Text

from handfast.apps.runs.records import start_run
from handfast.base.errors import InvalidRequest, NotFound
from handfast.db.pool import Database
from handfast.edge.cli.speaking.ids import span, the_one
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.output import STARTED_AS, as_started, broken, program
from handfast.engine.events import emit
from handfast.services.webhooks.endpoints import add_endpoint
from tests.edge.test_engine_cli import answer, handfast
from tests.support.jobs import die, enqueue, succeed
from tests.support.terminal import seen

pytestmark = pytest.mark.on_lowest

KEYS = [f"predictions-demo.premier-league:{n:>03}:West Bromwich Albion:Southampton" for n in (1, 2)]


def rendered(listing: Listing, *, width: int = 80, terminal: bool = True) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=terminal, color_system=None).print(
        listing, soft_wrap=True
    )
    return out.getvalue().splitlines()


def test_a_row_that_fits_is_one_line() -> None:
    table = Listing("id", "kind", "empty")
    table.add_row("1", "shop.mail", "")
    table.add_row("20", "[brackets] are data", "")
    assert rendered(table) == ["id  kind", "1   shop.mail", "20  [brackets] are data"]


def test_nothing_is_cut_and_what_does_not_fit_goes_on_below() -> None:
    table = Listing("id", "state", "kind", "key", tied=("kind",))
    for number, key in enumerate(KEYS):
        table.add_row(str(number), "blocked", "fixtures.predictions", key)
    lines = rendered(table, width=100)
    assert lines[:2] == ["id  state", "    kind                  key"]
    for number, key in enumerate(KEYS):
        assert lines[2 + number * 2] == f"{number}   blocked"
        assert lines[3 + number * 2] == f"    fixtures.predictions  {key}"


def test_prose_is_broken_between_words_only() -> None:
    path = "/a/very/long/path/that/nobody/would/want/to/see/broken/in/the/middle"
    table = Listing("id", "error", prose=("error",))
    table.add_row("1", f"Nobody could read {path} because of this")
    lines = rendered(table, width=40)
    assert lines[1:] == ["1   Nobody could read", f"    {path}", "    because of this"]


def test_a_pipe_gets_whole_lines() -> None:
    table = Listing("id", "kind", "empty", "error", prose=("error",))
    table.add_row("1", "k" * 100, "", "so many words " * 20)
    lines = rendered(table, terminal=False)
    assert len(lines) == 2
    assert lines[1].endswith("words")
    assert "empty" in lines[0], "programs find each column, whether it has anything to say or not"


def test_text_keeps_its_indentation() -> None:
    assert [line.plain for line in broken(Text("  one two three"), 10)] == ["  one two", "  three"]


def test_only_commands_are_named_as_they_were_started(monkeypatch: pytest.MonkeyPatch) -> None:
    program.cache_clear()
    monkeypatch.setenv(STARTED_AS, "./run")
    try:
        assert as_started("Run `handfast migrate`.") == "Run `./run migrate`."
        for data in ("the role handfast may not", "bin/handfast jobs", "handfast-runs up"):
            assert as_started(data) == data
    finally:
        program.cache_clear()


def test_the_beginning_of_an_id_is_enough() -> None:
    one, other = UUID("aa00" + "1" * 28), UUID("aa01" + "1" * 28)
    assert the_one("aa00", "run", [one, other]) == one
    assert the_one(str(other).upper(), "run", []) == other, (
        "whole: whoever looks says it is missing"
    )
    with pytest.raises(InvalidRequest, match=f"More than one run begins with aa0:\n  {one}"):
        the_one("aa0", "run", [one, other])
    with pytest.raises(NotFound, match="No run begins with bb"):
        the_one("bb", "run", [one, other])
    with pytest.raises(InvalidRequest, match="'x1' is neither an id"):
        span("x1")


async def test_jobs_in_a_narrow_terminal(database: Database, dsn: str) -> None:
    first = await enqueue(database, "fixtures.predictions", KEYS[0], lane="fixtures")
    await die(database, lane="fixtures", error="There is no player called Rübezahl in the squad")
    await enqueue(database, "fixtures.predictions", KEYS[1], lane="fixtures")
    await succeed(database, lane="fixtures")
    said = await seen("jobs", "list", DATABASE_URL=dsn)
    assert "…" not in said
    lines = said.splitlines()
    for state, key in (("dead", KEYS[0]), ("succeeded", KEYS[1])):
        row = next(at for at, line in enumerate(lines) if state in line)
        assert lines[row].split()[2:4] == ["fixtures", "1"], "its lane, and how often it was tried"
        assert [line.strip() for line in lines[row + 1 : row + 3]] == ["fixtures.predictions", key]
    letters = await seen("dead", "list", DATABASE_URL=dsn)
    assert any(line.startswith(str(first)) for line in letters.splitlines())
    assert "There is no player called Rübezahl in the squad" in " ".join(letters.split())
    piped = await handfast(dsn, "dead", "list", COLUMNS="80")
    assert len(piped.stdout.splitlines()) == 2


async def test_a_job_is_named_by_its_kind_and_key(database: Database, dsn: str) -> None:
    ids = [await enqueue(database, "shop.mail", f"m{n}", payload={"n": n}) for n in range(3)]
    await die(database)
    shown = await answer(dsn, "dead", "show", "shop.mail", "m1")
    assert (shown["id"], shown["lane"], shown["attempt"]) == (ids[1], "default", 1)
    asked = ("shop.mail", "m0", str(ids[1]), "shop.mail", "m2")
    assert (await answer(dsn, "dead", "requeue", *asked))["requeued"] == 3
    assert (await answer(dsn, "jobs", "cancel", "shop.mail", "m0"))["id"] == ids[0]
    wrong = await handfast(dsn, "jobs", "show", "shop.mail")
    assert wrong.returncode == 1
    assert "by kind and key: shop.mail KEY" in wrong.stderr
    missing = await handfast(dsn, "jobs", "show", "shop.mail", "m7")
    assert "There is no job shop.mail m7" in missing.stderr


async def test_a_job_that_ended_is_revived(database: Database, dsn: str) -> None:
    job = await enqueue(database, "shop.mail", "m1", payload={"to": "x"})
    early = await handfast(dsn, "jobs", "revive", str(job))
    assert early.returncode == 1
    assert "is ready" in early.stderr
    await succeed(database)
    refused = await handfast(dsn, "jobs", "retry", str(job))
    assert "handfast jobs revive" in refused.stderr
    assert (await answer(dsn, "jobs", "revive", "shop.mail", "m1"))["state"] == "ready"
    await succeed(database)
    told = ("--due", "2036-01-01", "--payload", json.dumps({"to": "y"}))
    assert (await answer(dsn, "jobs", "revive", str(job), *told))["state"] == "scheduled"
    shown = await answer(dsn, "jobs", "show", str(job))
    assert (shown["payload"], shown["dueAt"]) == ({"to": "y"}, "2036-01-01T00:00:00Z")
    no_object = await handfast(dsn, "jobs", "revive", str(job), "--payload", "[1]")
    assert "not a JSON object" in no_object.stderr


async def test_a_traceback_is_shown(database: Database, dsn: str) -> None:
    job = await enqueue(database, "shop.mail", "m1")
    await die(database)
    async with database.connection() as connection:
        await connection.execute("UPDATE handfast_engine.attempts SET trace = 'Traceback [of] it'")
    assert "Traceback [of] it" in (await handfast(dsn, "jobs", "show", str(job))).stdout


async def test_runs_endpoints_and_events_by_their_beginnings(database: Database, dsn: str) -> None:
    async with database.transaction() as tx:
        run = (await start_run(tx, "https://one.example")).run_id
        endpoint = (await add_endpoint(tx, "https://two.example/hook", types=())).endpoint.id
        event = await emit(tx, "match.created", "match:1", {})
    assert (await answer(dsn, "runs", "show", str(run)[:9]))["run"]["runId"] == str(run)
    paused = await answer(dsn, "webhooks", "pause", str(endpoint)[:4])
    assert paused["id"] == str(endpoint)
    await answer(dsn, "webhooks", "resume", str(endpoint)[:4])
    sent = await answer(dsn, "webhooks", "replay", str(endpoint)[:4], event[:13])
    assert sent["deliveries"] == 1
    listed = await seen("webhooks", "list", DATABASE_URL=dsn)
    assert str(endpoint) in listed
    assert str(run) in await seen("runs", "list", DATABASE_URL=dsn)
