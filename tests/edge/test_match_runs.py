"""Match runs over HTTP, over a real socket, and on the command line."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import httpx2
import pytest

from handfast.base.settings import Settings
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api, surrounded
from handfast.wiring import load_settings
from tests.edge.test_engine_cli import answer, handfast
from tests.support.asgi_server import serving_asgi
from tests.support.clock import freeze
from tests.support.corpus_rows import acme, as_role, retire
from tests.support.eventually import eventually_async
from tests.support.runs_harness import RunsHarness
from tests.support.systems import whole_system
from tests.support.up import Up

pytestmark = pytest.mark.on_lowest

TOKEN = "hf_admin_for_the_tests_only"
RUN = "/api/match/run"
NOW = datetime(2026, 2, 19, 9, tzinfo=UTC)


def app_of(database: Database, dsn: str, **settings: Any) -> Any:
    given: Settings = load_settings(**settings)
    return cast("Any", surrounded(create_api(whole_system(given, database, Target(dsn)), TOKEN)))


@pytest.fixture
def desk(database: Database) -> RunsHarness:
    return RunsHarness(database)


@pytest.fixture
async def client(database: Database, dsn: str) -> AsyncIterator[httpx2.AsyncClient]:
    app = app_of(database, dsn, match_run_limit=10_000)
    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://handfast") as client:
        yield client


async def test_a_runs_life(
    client: httpx2.AsyncClient, database: Database, desk: RunsHarness
) -> None:
    await acme(database, matches=5)
    made = await client.post(RUN, json={"url": "http://WWW.acme.com/"})
    assert made.status_code == 202, made.text
    run = made.json()
    assert (run["status"], run["step"], run["matchCount"]) == ("queued", "resolve", None)
    assert "lockedBy" not in run, "who works on it is nobody's business"
    here = made.headers["location"]
    assert here == f"{RUN}/{run['runId']}"
    again = await client.post(RUN, json={"url": "acme.com", "fresh": True})
    assert (again.status_code, again.json()["runId"]) == (202, run["runId"])
    waiting = (await client.get(here)).json()
    assert (waiting["matches"], waiting["startup"], waiting["next"]) == (None, None, None)

    async with desk.working():
        await desk.ended(run["runId"])
    ready = await client.post(RUN, json={"url": "acme.com"})
    assert (ready.status_code, ready.json()["runId"]) == (200, run["runId"])
    shown = (await client.get(here)).json()
    assert (shown["status"], shown["matchCount"], shown["next"]) == ("ready", 5, None)
    assert shown["startup"]["name"] == "Acme"
    assert [m["rank"] for m in shown["matches"]] == [1, 2, 3, 4, 5]
    best = shown["matches"][0]
    assert (best["investorId"], best["score"], best["name"]) == ("inv-000", 900, "Inv-000")
    said = ("percent", "firm", "sectors", "stage", "stages", "chequeMin", "chequeMax")
    assert [best[name] for name in said] == [
        *(90.0, "Inv-000", ["fintech"], "seed", ["seed"], 500_000, 2_000_000),
    ]
    sector = {"signal": "sector", "agrees": 100, "says": "both work in fintech", "weight": None}
    assert best["why"][0] == sector
    assert best["why"][4]["agrees"] is None

    fresh = await client.post(RUN, json={"url": "acme.com", "fresh": True})
    assert (fresh.status_code, fresh.json()["runId"] != run["runId"]) == (202, True)


async def test_pages(client: httpx2.AsyncClient, database: Database, desk: RunsHarness) -> None:
    old = await acme(database, matches=25)
    run = await desk.start()
    async with desk.working():
        await desk.ended(run.run_id)
    await acme(database, matches=2)  # the corpus moves on; the run does not
    seen: list[Any] = []
    after: dict[str, str] = {}
    while True:
        answer = await client.get(f"{RUN}/{run.run_id}", params={"limit": "10", **after})
        page = answer.json()
        seen += page["matches"]
        if page["next"] is None:
            break
        after = {"after": page["next"]}
    assert [m["rank"] for m in seen] == list(range(1, 26))
    assert [m["investorId"] for m in seen] == [f"inv-{n:03d}" for n in range(25)]
    for wrong in ("x", "WzEsMl0", "WzEsMiwzXQ", "WzAsMSwiYSJd", "é"):
        refused = await client.get(f"{RUN}/{run.run_id}", params={"after": wrong})
        assert (refused.status_code, refused.json()["code"]) == (422, "INVALID_REQUEST")
    await retire(database, old)
    gone = await client.get(f"{RUN}/{run.run_id}")
    assert (gone.status_code, gone.json()["code"]) == (410, "CORPUS_RETIRED")
    assert "again" in gone.json()["message"]


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("", 422),
        ("not a url", 422),
        ("javascript:alert(1)", 422),
        ("https://user:secret@acme.com", 422),
        ("https://acme.com/" + "a" * 10_000, 422),
        ("http://127.0.0.1/", 422),
        ("http://localhost/", 422),
        (7, 400),
        (None, 400),
    ],
)
async def test_bad_urls(
    client: httpx2.AsyncClient, desk: RunsHarness, url: Any, status: int
) -> None:
    refused = await client.post(RUN, json={"url": url})
    code = "INVALID_URL" if status == 422 else "INVALID_REQUEST"
    assert (refused.status_code, refused.json()["code"]) == (status, code), refused.text
    assert refused.headers["content-type"] == "application/problem+json"
    assert "secret" not in refused.text
    assert await desk.fetch("SELECT count(*) FROM handfast_runs.records") == 0


async def test_bad_requests(client: httpx2.AsyncClient) -> None:
    assert (await client.post(RUN, json={})).status_code == 400
    assert (await client.post(RUN, json={"url": "acme.com", "frsh": True})).status_code == 400
    for path in (f"{RUN}/{uuid4()}", f"{RUN}/{uuid4()}/events"):
        assert (await client.get(path)).json()["code"] == "NOT_FOUND"
    for headers in ({}, {"Idempotency-Key": str(uuid4())}):
        headers["Content-Type"] = "application/json"
        torn = await client.post(RUN, content=b'{"url": "acme.com/\xff"}', headers=headers)
        assert (torn.status_code, torn.json()["code"]) == (400, "INVALID_REQUEST")
    assert (await client.get(f"{RUN}/seven")).status_code == 404
    assert (await client.get(f"{RUN}/{uuid4()}", params={"limit": 201})).status_code == 400


async def test_errors_are_answers(
    client: httpx2.AsyncClient, database: Database, desk: RunsHarness
) -> None:
    await acme(database)
    async with desk.working():
        nobody = (await client.post(RUN, json={"url": "nobody.com"})).json()["runId"]
        await desk.ended(nobody)
        lonely = (await client.post(RUN, json={"url": "lonely.com"})).json()["runId"]
        await desk.ended(lonely)
    shown = (await client.get(f"{RUN}/{nobody}")).json()
    assert (shown["status"], shown["errorCode"]) == ("error", "STARTUP_NOT_FOUND")
    assert shown["errorMessage"]
    assert shown["matches"] is None
    empty = (await client.get(f"{RUN}/{lonely}")).json()
    assert (empty["status"], empty["matchCount"], empty["matches"]) == ("ready", 0, [])
    again = await client.post(RUN, json={"url": "nobody.com"})
    assert (again.status_code, again.json()["runId"]) == (200, nobody)
    fresh = await client.post(RUN, json={"url": "nobody.com", "fresh": True})
    assert (fresh.status_code, fresh.json()["runId"] != nobody) == (202, True)


def snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


async def test_names_of_two_words_are_there_in_both_spellings(
    client: httpx2.AsyncClient, database: Database, desk: RunsHarness
) -> None:
    """Clients of the service that came before read run_id, match_count and error_code."""
    await acme(database)
    started = (await client.post(RUN, json={"url": "acme.com"})).json()
    async with desk.working():
        await desk.ended(started["runId"])
    shown = (await client.get(f"{RUN}/{started['runId']}")).json()
    stream = (await client.get(f"{RUN}/{started['runId']}/events")).text
    event = json.loads(stream.partition("data: ")[2].splitlines()[0])
    headers = {"Authorization": f"Bearer {TOKEN}"}
    [listed] = (await client.get("/api/match/runs", headers=headers)).json()["runs"]
    for said in (started, shown, event, listed, shown["matches"][0]):
        both = {name: snake(name) for name in said if snake(name) != name}
        assert len(both) >= 3
        assert [said[name] for name in both] == [said[name] for name in both.values()]
        assert {name for name in said if "_" in name} == set(both.values())
    assert {"run_id", "startup_id", "match_count", "error_code", "error_message"} <= shown.keys()
    assert {"locked_by", "lock_expires_at"} <= listed.keys()


async def test_clicks_on_nobody_are_one_run(
    client: httpx2.AsyncClient, database: Database, desk: RunsHarness
) -> None:
    """Twenty clicks, also while the run is being worked on and after it has ended."""
    await acme(database)
    async with desk.working():
        answers = []
        for _ in range(4):
            clicks = (client.post(RUN, json={"url": "nobody.com"}) for _ in range(5))
            answers += [answer.json() for answer in await asyncio.gather(*clicks)]
            await desk.ended(answers[0]["runId"])
    assert len({answer["run_id"] for answer in answers}) == 1
    assert await desk.fetch("SELECT count(*) FROM handfast_runs.records") == 1


async def test_the_list_is_the_operators(
    client: httpx2.AsyncClient, database: Database, desk: RunsHarness
) -> None:
    await acme(database)
    runs = [await desk.start(f"s{n}.com") for n in range(5)]
    assert (await client.get("/api/match/runs")).status_code == 401
    headers = {"Authorization": f"Bearer {TOKEN}"}
    seen: list[str] = []
    after: dict[str, str] = {}
    while True:
        answer = await client.get(
            "/api/match/runs", params={"limit": "2", **after}, headers=headers
        )
        page = answer.json()
        seen += [run["runId"] for run in page["runs"]]
        if page["next"] is None:
            break
        after = {"after": page["next"]}
    assert seen == [str(run.run_id) for run in reversed(runs)]


async def test_limited_by_address(database: Database, dsn: str) -> None:
    await freeze(database, NOW)  # every three seconds one may read once more
    app = app_of(database, dsn, match_run_limit=2)
    transport = httpx2.ASGITransport(app, client=("203.0.113.7", 1))
    async with httpx2.AsyncClient(transport=transport, base_url="http://handfast") as one:
        answers = [(await one.post(RUN, json={"url": "acme.com"})).status_code for _ in range(4)]
        assert answers == [202, 202, 429, 429]
        for path in (f"{RUN}/", "/api//match/run", "//api/match/run", "/api/match///run//"):
            refused = await one.post(f"http://handfast{path}", json={"url": "acme.com"})
            assert refused.status_code == 429, "a slash more is no way around"
            assert int(refused.headers["retry-after"]) > 0
    other = httpx2.ASGITransport(app, client=("203.0.113.8", 1))
    async with httpx2.AsyncClient(transport=other, base_url="http://handfast") as two:
        assert (await two.post(RUN, json={"url": "acme.com"})).status_code == 202
        answers = [(await two.get(f"{RUN}/{uuid4()}")).status_code for _ in range(25)]
        assert answers == [404] * 20 + [429] * 5


async def test_with_a_key(client: httpx2.AsyncClient, database: Database) -> None:
    await acme(database)
    headers = {"Idempotency-Key": "5f0c9c1e-6d4e-4a53-9a3f-0e8f8c5b7d21"}
    first = await client.post(RUN, json={"url": "acme.com"}, headers=headers)
    assert first.status_code == 202, first.text
    again = await client.post(RUN, json={"url": "acme.com"}, headers=headers)
    assert again.headers["idempotent-replayed"] == "true"
    assert (again.status_code, again.json()) == (202, first.json())
    assert again.headers["location"] == first.headers["location"]
    slashes = await client.post("/api//match/run/", json={"url": "acme.com"}, headers=headers)
    assert slashes.status_code == 409, "the key counts there too"
    other = await client.post(RUN, json={"url": "lonely.com"}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "IDEMPOTENCY_KEY_REUSED")
    device = await client.post(
        RUN, json={"url": "lonely.com"}, headers={**headers, "X-Device-Id": "another"}
    )
    assert device.status_code == 202, "another device's same key is another key"
    bad = await client.post(RUN, json={"url": "acme.com"}, headers={"Idempotency-Key": "1"})
    assert bad.status_code == 400


async def read_events(
    client: httpx2.AsyncClient, path: str, seen: list[Any] | None = None
) -> list[Any]:
    """All events of a stream, until the server ends it; they are in ``seen`` as they come."""
    events = [] if seen is None else seen
    async with client.stream("GET", path) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        async for line in stream.aiter_lines():
            if line.startswith("data:"):
                events.append(json.loads(line.removeprefix("data:")))
    return events


async def test_events_over_a_real_socket(database: Database, dsn: str, desk: RunsHarness) -> None:
    await acme(database)
    async with (
        serving_asgi(app_of(database, dsn)) as port,
        httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as client,
    ):
        run = await desk.start()
        path = f"{RUN}/{run.run_id}/events"
        # One connects, sees the present state and goes away again.
        async with client.stream("GET", path) as stream:
            async for line in stream.aiter_lines():
                if line.startswith("data:"):
                    assert json.loads(line.removeprefix("data:"))["status"] == "queued"
                    break
        begun: list[list[Any]] = [[] for _ in range(5)]
        many = [asyncio.create_task(read_events(client, path, seen)) for seen in begun]
        await eventually_async(lambda: asyncio.sleep(0, all(begun)))
        async with desk.working():
            streams = await asyncio.wait_for(asyncio.gather(*many), 60)
        for seen in streams:
            assert seen[0]["status"] == "queued"
            assert (seen[-1]["status"], seen[-1]["matchCount"]) == ("ready", 3)
            order = ["queued", "processing", "ready"]
            places = [order.index(event["status"]) for event in seen]
            assert places == sorted(places), "only forward"
        # Connecting again begins with the present state, which is the end.
        assert [e["status"] for e in await read_events(client, path)] == ["ready"]
        stop = await client.get(path, headers={"Last-Event-ID": "ready.finalize"})
        assert (stop.status_code, stop.content) == (204, b"")


async def test_twenty_clicks_over_a_real_socket(
    database: Database, dsn: str, desk: RunsHarness
) -> None:
    await acme(database)
    urls = ["acme.com", "https://www.acme.com/", "HTTP://ACME.COM", "acme.com:443/#x"] * 5
    async with (
        desk.working(),
        serving_asgi(app_of(database, dsn)) as port,
        httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as client,
    ):
        answers = await asyncio.gather(*(client.post(RUN, json={"url": one}) for one in urls))
        assert {answer.status_code for answer in answers} <= {200, 202}
        [run_id] = {answer.json()["runId"] for answer in answers}
        await desk.ended(run_id)
        shown = await asyncio.gather(*(client.get(f"{RUN}/{run_id}") for _ in range(20)))
        assert len({answer.text for answer in shown}) == 1
    assert await desk.fetch("SELECT count(*) FROM handfast_runs.records") == 1


def test_up_works_on_runs(tmp_path: Path) -> None:
    """As a user has it: nothing configured, one command."""
    with Up(tmp_path / "data") as up:
        made = httpx2.post(f"{up.url}{RUN}", json={"url": "acme.com"}, timeout=30)
        assert made.status_code == 202, made.text
        path = f"{up.url}{RUN}/{made.json()['runId']}/events"
        with httpx2.stream("GET", path, timeout=20) as stream:
            lines = [line for line in stream.iter_lines() if line.startswith("data:")]
        last = json.loads(lines[-1].removeprefix("data:"))
        assert (last["status"], last["errorCode"]) == ("error", "NO_CORPUS")
        assert up.stop() == 0


# --- the command line -------------------------------------------------------------------------


async def test_the_command_line(dsn: str, database: Database, desk: RunsHarness) -> None:
    assert "No runs yet" in (await handfast(dsn, "runs", "list")).stdout
    await acme(database)
    queued = await handfast(dsn, "runs", "start", "acme.com", "--wait", "0")
    assert queued.returncode == 0
    assert "queued" in queued.stdout
    assert "handfast worker" in queued.stderr
    async with desk.working():
        ready = await handfast(dsn, "runs", "start", "https://www.acme.com", "--top", "2")
        assert ready.returncode == 0, ready.stderr
        assert "Acme has 3 matches" in ready.stdout
        assert "Inv-001" in ready.stdout
        assert "both work in fintech" in ready.stdout
        assert "Inv-002" not in ready.stdout
        unknown = await handfast(dsn, "runs", "start", "nobody.com")
        assert (unknown.returncode, "STARTUP_NOT_FOUND" in unknown.stdout) == (1, True)
    told = await answer(dsn, "runs", "start", "acme.com")
    assert told["run"]["status"] == "ready"
    assert told["page"]["matches"][0]["why"][0]["agrees"] == 100
    run = told["run"]["runId"]
    assert (await answer(dsn, "runs", "show", run))["run"]["matchCount"] == 3
    debug = await handfast(dsn, "runs", "show", run, "--debug")
    assert all(step in debug.stdout for step in ("resolve", "parse", "finalize"))
    page = await answer(dsn, "runs", "list", "--limit", "1")
    assert [one["status"] for one in page["runs"]] == ["error"]
    rest = await answer(dsn, "runs", "list", "--after", page["next"])
    assert [one["runId"] for one in rest["runs"]] == [run]
    people = await handfast(dsn, "runs", "list")
    assert "https://nobody.com" in people.stdout
    bad = await handfast(dsn, "runs", "start", "not a url")
    assert bad.returncode == 1
    assert "URL" in bad.stderr
    missing = await handfast(dsn, "runs", "show", str(uuid4()))
    assert "There is no run" in missing.stderr


async def test_hosts_on_the_command_line(dsn: str, database: Database) -> None:
    added = await handfast(dsn, "runs", "hosts", "add", "https://Hub.example/c", "--segments", "1")
    assert "hub.example/c/NAME" in added.stdout, added.stderr
    found = {host["host"]: host for host in (await answer(dsn, "runs", "hosts", "list"))["hosts"]}
    assert found["hub.example/c"]["source"] == "added here"
    assert found["tumblr.com"]["names"] == "NAME.tumblr.com"


async def test_weights_of_the_environment_are_kept(dsn: str, database: Database) -> None:
    small = ("--startups", "10", "--investors", "10")
    weigh = {"HANDFAST_MATCH_WEIGHTS": "sector=70,activity=0"}
    made = await handfast(dsn, "corpus", "generate", *small, **weigh)
    assert made.returncode == 0, made.stderr
    [version] = (await answer(dsn, "corpus", "versions"))["versions"]
    assert (version["weights"]["sector"], version["weights"]["activity"]) == (70, 0)
    assert version["weights"]["thesis"] == 20


@pytest.mark.parametrize(
    "arguments",
    [
        ("runs", "list", "--limit", "9999999999"),
        ("corpus", "versions", "--limit", "-1"),
        ("corpus", "switch", "9999999999"),
        ("corpus", "check", "9999999999"),
        ("corpus", "rebuild", "--version", "9999999999"),
    ],
)
async def test_numbers_that_postgresql_does_not_have(dsn: str, arguments: tuple[str, ...]) -> None:
    done = await handfast(dsn, *arguments)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "Must be" in done.stderr, done.stderr


async def test_a_worker_needs_a_login_that_only_reads(dsn: str, database: Database) -> None:
    """On a server of the user's own it is never the usual login instead."""
    refused = await handfast(dsn, "worker", "--lanes", "runs")
    assert refused.returncode == 3
    assert "HANDFAST_RUNS_DATABASE_URL" in refused.stderr
    owner = await handfast(dsn, "worker", "--lanes", "runs", HANDFAST_RUNS_DATABASE_URL=dsn)
    assert owner.returncode == 5
    assert "is a superuser" in owner.stderr
    looked = await handfast(dsn, "doctor")
    assert "HANDFAST_RUNS_DATABASE_URL is not set" in looked.stdout
    assert looked.returncode == 0
    well = await handfast(dsn, "doctor", HANDFAST_RUNS_DATABASE_URL=as_role(dsn))
    assert "worked on as handfast_runs" in well.stdout


async def test_a_worker_process(dsn: str, database: Database, desk: RunsHarness) -> None:
    """What a user starts; its pool logs in as the role."""
    await acme(database)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "handfast", "worker", "--lanes", "runs"),
        env={**os.environ, "DATABASE_URL": dsn, "HANDFAST_RUNS_DATABASE_URL": as_role(dsn)},
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        assert b"works on runs" in await asyncio.wait_for(process.stdout.readline(), 30)
        run = await desk.ended((await desk.start()).run_id)
        assert run.status == "ready"
        users = await desk.fetch(
            "SELECT array_agg(DISTINCT usename::text) FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = 'handfast-runs'"
        )
        assert users == ["handfast_runs"]
    finally:
        process.terminate()
        assert await asyncio.wait_for(process.wait(), 30) == 0
