"""What viewers see over HTTP: everything but what people and programs wrote freely.

One secret is put wherever text can be, and every route that lets viewers in is asked for it.
"""

import asyncio
import json
import re
from pathlib import Path
from typing import Any, cast

import pytest
from litestar import Litestar

from handfast.apps.runs.records import start_run
from handfast.base.masking import MASK
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api, surrounded
from handfast.edge.http.policies import Caller
from handfast.edge.http.route_table import RouteTable
from handfast.engine.events import emit
from handfast.engine.gaps.expectation import Expectations
from handfast.engine.operating import dead_letters, operations
from handfast.engine.operating.audit import Actor
from handfast.engine.operating.bulk.records import ask, preview
from handfast.engine.operating.bulk.request import BulkAction, BulkFilter, BulkRequest
from handfast.engine.operating.jobs_view import id_of
from handfast.engine.operating.pauses import Pausable, pause
from handfast.engine.schedules.store import declare_schedules
from handfast.services.webhooks import endpoints
from handfast.wiring import load_settings
from tests.support import schedules
from tests.support.calling import OPERATOR_TOKEN, VIEWER_TOKEN, calling
from tests.support.jobs import claim, die, enqueue, succeed
from tests.support.systems import whole_system

SECRET = "hunter2"
URL = f"https://hooks.example.com/services/{SECRET}"


@pytest.fixture
async def api(database: Database, dsn: str) -> Litestar:
    settings = load_settings(viewer_token=f"board={VIEWER_TOKEN}", data_dir=Path(SECRET))
    return create_api(whole_system(settings, database, Target(dsn)), OPERATOR_TOKEN)


async def jobs_with_secrets(database: Database) -> dict[str, int]:
    """One in each state that shows texts of its own."""
    payload = {"to": SECRET, "step": "mail"}
    done = await enqueue(database, "t.job", "done", payload=payload)
    await succeed(database, result=json.dumps({"text": SECRET, "count": 3}))
    dead = await enqueue(database, "t.job", "dead", payload=payload)
    gone = await enqueue(database, "t.job", "gone", payload=payload)
    await die(database, error=f"ValueError: {SECRET}")
    cancelled = await enqueue(database, "t.job", "cancelled", due="1 hour", payload=payload)
    running = await enqueue(database, "t.job", "running", payload=payload)
    held = await claim(database)
    async with database.transaction() as tx:
        await dead_letters.discard(tx, [gone], SECRET)
        await operations.cancel(tx, cancelled, SECRET)
        await tx.execute(
            "SELECT handfast_engine.report_progress($1, $2, 0.5, $3)",
            running,
            held[running],
            SECRET,
        )
    return {"done": done, "dead": dead, "gone": gone, "cancelled": cancelled, "running": running}


async def endpoint_with_secrets(database: Database, job: int) -> str:
    async with database.transaction() as tx:
        made = await endpoints.add_endpoint(tx, URL, allow_private=True)
        which = made.endpoint.id
        await endpoints.pause(tx, which, SECRET)
        await tx.execute(
            "INSERT INTO handfast_webhooks.attempts (endpoint_id, event_id, event_type, job_id,"
            " attempt,"
            " outcome, seconds, error, excerpt, at) VALUES ($1, gen_random_uuid(), 'job.dead', $2,"
            " 1, 'failed', 1, $3, $3, handfast_db.now())",
            which,
            job,
            SECRET,
        )
    return str(which)


async def run_with_secrets(database: Database) -> str:
    """A run that failed with something to say, and a version of the corpus with its source."""
    async with database.transaction() as tx:
        run = await start_run(tx, "https://acme.com")
        await tx.execute(
            "UPDATE handfast_runs.records SET ended = 'error', ended_at = handfast_db.now(),"
            " error_code = 'INTERNAL', error_message = $2 WHERE run_id = $1",
            run.run_id,
            SECRET,
        )
        await tx.execute(
            "INSERT INTO handfast_runs.corpus_versions (made_at, source)"
            " VALUES (handfast_db.now(), $1)",
            SECRET,
        )
    return str(run.run_id)


async def held_with_secrets(database: Database) -> str:
    """A lane, a kind and a schedule that are paused, a job that is stuck, and a bulk action."""
    hf = schedules.program()
    hf.cron("nightly", schedules.KIND, "0 3 * * *")
    wanted = BulkRequest(BulkAction.DISCARD, BulkFilter(text=SECRET))
    found = await preview(database, wanted, Expectations())
    async with database.transaction() as tx:
        await declare_schedules(tx, hf.schedules)
        for what, name in (("lane", "mail"), ("kind", "t.held"), ("schedule", "nightly")):
            await pause(tx, Pausable(what), name, by="anna", reason=SECRET)
        made = await ask(tx, wanted, found, by=Actor("anna"), reason=SECRET)
    await enqueue(database, "t.held", "held", lane="mail")
    return str(made.id)


async def test_no_secret_on_any_route_of_theirs(api: Litestar, database: Database) -> None:
    jobs = await jobs_with_secrets(database)
    ids = {"endpoint_id": [await endpoint_with_secrets(database, jobs["dead"])]}
    ids["bulk_id"] = [await held_with_secrets(database)]
    async with database.connection() as connection:
        jobs["held"] = await id_of(connection, "t.held", "held")
        await emit(connection, "shop.sold", f"job:{jobs['held']}", {"to": SECRET})
    ids["run_id"] = [await run_with_secrets(database)]
    ids |= {"job_id": [str(job) for job in jobs.values()], "fixture_id": ["1"]}
    asked = {
        "/admin/identity": [f"?job={job}" for job in jobs.values()],
        "/admin/bulk/preview": ["?action=requeue"],
        "/admin/offers/zones": ["?date=2026-11-17"],
    }
    table: RouteTable = api.state.routes
    shown = {one.route for one in table.routes if Caller.VIEWER in one.policy.callers}
    assert len(shown) > 10
    held_back = set()
    async with calling(api, VIEWER_TOKEN) as viewer, calling(api, OPERATOR_TOKEN) as operator:
        for route in shown:
            if str(route.path) == "/admin/events":
                continue  # a stream: below
            place = re.search(r"{([a-z_]+):", str(route.path))
            values = ids[place[1]] if place else asked.get(str(route.path), [""])
            for value in values:
                bare = str(route.path)
                path = re.sub(r"{[^}]*}", value, bare) if place else bare + value
                seen, whole = await viewer.get(path), await operator.get(path)
                assert seen.status_code == whole.status_code, path
                assert whole.status_code < 400 or "fixture" in path, path
                assert SECRET not in seen.text, path
                if SECRET in whole.text:
                    held_back.add(str(route.path))
                    assert MASK in seen.text or "hooks.example.com/…" in seen.text, path
    assert held_back == {
        "/admin/bulk",
        "/admin/bulk/{bulk_id:int}",
        "/admin/dead",
        "/admin/identity",
        "/admin/jobs/{job_id:int}/why",
        "/admin/pauses",
        "/admin/schedules",
        "/admin/jobs",
        "/admin/jobs/{job_id:int}",
        "/webhooks/endpoints",
        "/webhooks/endpoints/{endpoint_id:uuid}/attempts",
        "/webhooks/attempts",
        "/admin/corpus/versions",
        "/admin/runs/{run_id:uuid}",
        "/api/match/runs",
        "/admin/settings",
    }


async def test_what_is_on_the_list_is_seen(api: Litestar, database: Database) -> None:
    jobs = await jobs_with_secrets(database)
    async with calling(api, VIEWER_TOKEN) as viewer:
        done = (await viewer.get(f"/admin/jobs/{jobs['done']}")).json()
        dead = (await viewer.get("/admin/dead")).json()["letters"]
        running = (await viewer.get("/admin/jobs", params={"state": "running"})).json()["jobs"]
    assert done["payload"] == {"to": MASK, "step": "mail"}
    assert done["result"] == {"text": MASK, "count": 3}
    assert (done["key"], done["state"]) == ("done", "succeeded")
    assert [(one["errorClass"], one["error"]) for one in dead] == [("logic", MASK)]
    assert [(one["progress"], one["message"]) for one in running] == [(0.5, MASK)]


async def streamed(api: Litestar, token: str, after: str, until: bytes) -> str:
    """The stream of events up to a word in it."""
    body, ended = bytearray(), asyncio.Event()

    async def receive() -> Any:
        await ended.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        body.extend(message.get("body", b""))
        if until in body:
            ended.set()

    headers = [(b"authorization", f"Bearer {token}".encode()), (b"last-event-id", after.encode())]
    scope = {"type": "http", "method": "GET", "path": "/admin/events", "raw_path": b"/admin/events"}
    scope |= {"root_path": "", "query_string": b"", "headers": headers}
    async with asyncio.timeout(30):
        await cast("Any", surrounded(api))(scope, receive, send)
    return body.decode()


async def test_events(api: Litestar, database: Database) -> None:
    async with database.transaction() as tx:
        first = await emit(tx, "shop.opened", "shop:1", {})
        await emit(tx, "shop.sold", "shop:1", {"buyer": SECRET, "jobId": 7})
        await emit(tx, "job.dead", "job:7", {"jobId": 7, "errorClass": "logic", "error": SECRET})
        await emit(tx, "shop.closed", "shop:1", {})
    told = {
        token: await streamed(api, token, first, b"shop.closed")
        for token in (OPERATOR_TOKEN, VIEWER_TOKEN)
    }
    assert told[OPERATOR_TOKEN].count(SECRET) == 2
    assert SECRET not in told[VIEWER_TOKEN]
    data = [
        json.loads(line.removeprefix("data:"))
        for line in told[VIEWER_TOKEN].splitlines()
        if line.startswith("data:")
    ]
    events = {one["eventType"]: one["data"] for one in data if "eventType" in one}
    assert events["shop.sold"] == {"buyer": MASK, "jobId": MASK}, "a program's own shows nothing"
    assert events["job.dead"] == {"jobId": 7, "errorClass": "logic", "error": MASK}
