"""What operators see and do over HTTP."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api, surrounded
from handfast.engine.jobs.states import JobState
from handfast.engine.operating.alerts import evaluate
from handfast.engine.work.context import Context
from handfast.facade import Handfast
from handfast.wiring import load_settings
from tests.support import schedules
from tests.support.clock import freeze
from tests.support.jobs import claim, die, enqueue, program, succeed
from tests.support.systems import whole_system
from tests.support.up import Up

TOKEN = "hf_admin_for_the_tests_only"
PROBLEM = "application/problem+json"


@pytest.fixture
async def hf(database: Database, dsn: str) -> Handfast:
    hf = program(database, dsn)

    @hf.job("web.one")
    async def one(ctx: Context) -> None: ...

    hf.expect(
        "ones",
        kind=one,
        window=timedelta(hours=1),
        sql="SELECT 'expected' AS key, '{}'::jsonb AS payload, $1::timestamptz AS due_at,"
        " $2::timestamptz IS NULL AS result_exists",
    )
    return hf


@pytest.fixture
async def client(hf: Handfast, database: Database, dsn: str) -> AsyncIterator[httpx2.AsyncClient]:
    api = create_api(whole_system(load_settings(), database, Target(dsn)), TOKEN, program=hf)
    app = cast("Any", surrounded(api))
    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(
        transport=transport,
        base_url="http://handfast",
        headers={"Authorization": f"Bearer {TOKEN}"},
    ) as client:
        yield client


async def got(client: httpx2.AsyncClient, path: str, **params: Any) -> Any:
    answer = await client.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_jobs(client: httpx2.AsyncClient, database: Database) -> None:
    done = await enqueue(database, "web.one", "done", payload={"a": 1})
    await succeed(database, result="42")
    for number in range(3):
        await enqueue(database, "web.one", f"later-{number}", due="1 hour", lane="slow")
    page = await got(client, "/admin/jobs", limit=2)
    assert [job["key"] for job in page["jobs"]] == ["later-2", "later-1"]
    page = await got(client, "/admin/jobs", limit=2, after=page["next"])
    assert [job["key"] for job in page["jobs"]] == ["later-0", "done"]
    page = await got(client, "/admin/jobs", state="scheduled", lane="slow", key="later-1")
    assert [job["key"] for job in page["jobs"]] == ["later-1"]
    assert page["jobs"][0]["dueAt"]
    job = await got(client, f"/admin/jobs/{done}")
    assert (job["state"], job["result"], job["payload"]) == ("succeeded", 42, {"a": 1})
    assert job["attempts"][0]["outcome"] == "succeeded"
    assert job["awaitedBy"] == []
    async with database.connection() as connection:
        await connection.execute("DELETE FROM handfast_engine.attempts")
    job = await got(client, f"/admin/jobs/{done}")
    assert (job["pruned"], job["result"]) == (True, None)


async def test_retry_and_cancel(client: httpx2.AsyncClient, database: Database) -> None:
    job = await enqueue(database, "web.one", "1", due="1 hour")
    answer = await client.post(f"/admin/jobs/{job}/retry")
    assert (answer.status_code, answer.json()) == (200, {"id": job, "state": "ready"})
    answer = await client.post(f"/admin/jobs/{job}/cancel", params={"reason": "not wanted"})
    assert answer.json() == {"id": job, "state": "cancelled"}
    found = await got(client, f"/admin/jobs/{job}")
    assert found["attempts"][0]["error"] == "not wanted"
    answer = await client.post(f"/admin/jobs/{job}/retry")
    assert answer.status_code == 409
    assert answer.json()["code"] == "CONFLICT"
    for what in ("retry", "cancel"):
        answer = await client.post(f"/admin/jobs/424242/{what}")
        assert answer.status_code == 404
        assert answer.headers["content-type"] == PROBLEM


async def test_dead_letters(client: httpx2.AsyncClient, database: Database) -> None:
    ids = [await enqueue(database, "web.one", str(number)) for number in range(5)]
    await die(database, error="Out of luck")
    page = await got(client, "/admin/dead", limit=3, errorClass="logic", text="LUCK")
    assert len(page["letters"]) == 3
    rest = await got(client, "/admin/dead", limit=3, after=page["next"])
    assert len(rest["letters"]) == 2
    answer = await client.post("/admin/dead/requeue", json={"ids": [ids[0], 999]})
    assert (answer.status_code, answer.json()) == (200, {"requeued": 1})
    answer = await client.post("/admin/dead/requeue", json={})
    assert answer.json() == {"requeued": 0}
    answer = await client.post("/admin/dead/discard", json={"ids": [ids[1]], "reason": "gone"})
    assert answer.json() == {"discarded": 1}
    answer = await client.post("/admin/dead/requeue", json={"filter": {"kind": "web.one"}})
    assert answer.json() == {"requeued": 3}
    assert len(await claim(database)) == 4


@pytest.mark.parametrize(
    ("path", "more"), [("/admin/dead/requeue", {}), ("/admin/dead/discard", {"reason": "gone"})]
)
async def test_an_empty_text_of_a_filter_is_refused_and_the_description_says_so(
    client: httpx2.AsyncClient, path: str, more: dict[str, str]
) -> None:
    answer = await client.post(path, json={"filter": {"errorClass": ""}, **more})
    assert (answer.status_code, answer.json()["code"]) == (422, "INVALID_REQUEST")
    assert answer.json()["detail"] == "errorClass: empty, which would match everything."
    described = (await got(client, "/openapi.json"))["paths"][path]["post"]["responses"]
    assert "422" in described


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/admin/jobs?limit=0", None),
        ("GET", "/admin/jobs?state=odd", None),
        ("GET", "/admin/jobs?key=%00", None),
        ("GET", "/admin/jobs?after=99999999999999999999", None),
        ("GET", "/admin/dead?after=x", None),
        ("GET", "/admin/dead?since=yesterday", None),
        ("POST", "/admin/dead/requeue", {"id": [1]}),
        ("POST", "/admin/dead/requeue", {"ids": ["x"]}),
        ("POST", "/admin/dead/requeue", {"filter": {"kinds": "x"}}),
        ("POST", "/admin/dead/discard", {"ids": [1]}),
        ("POST", "/admin/dead/discard", {"ids": [1], "reason": ""}),
        ("POST", "/admin/dead/discard", [1]),
    ],
)
async def test_what_cannot_be_read(
    client: httpx2.AsyncClient, method: str, path: str, body: Any
) -> None:
    answer = await client.request(method, path, json=body)
    assert answer.status_code == 400, answer.text
    assert answer.headers["content-type"] == PROBLEM


async def test_gaps(client: httpx2.AsyncClient) -> None:
    found = (await got(client, "/admin/gaps"))["expectations"][0]
    assert (found["name"], found["missing"], found["resultMissing"]) == ("ones", 1, 0)
    assert found["gaps"][0]["key"] == "expected"
    answer = await client.post("/admin/gaps/repair")
    assert answer.json()["expectations"][0]["enqueued"] == 1
    assert (await got(client, "/admin/gaps", name="ones"))["expectations"][0]["missing"] == 0
    answer = await client.get("/admin/gaps", params={"name": "nonsense"})
    assert answer.status_code == 404


async def test_a_gap_query_that_fails_hides_no_other(
    client: httpx2.AsyncClient, hf: Handfast
) -> None:
    hf.expect("broken", kind="web.one", sql="SELECT 1 / 0", window=timedelta(hours=1))
    for path in ("/admin/gaps", "/admin/gaps/map"):
        found = {one["name"]: one for one in (await got(client, path))["expectations"]}
        assert found["ones"]["error"] is None
        assert "'broken' cannot be used" in found["broken"]["error"]
        answer = await client.get(path, params={"name": "broken"})
        assert (answer.status_code, answer.json()["code"]) == (500, "EXPECTATION_INVALID")
    assert (await got(client, "/admin/gaps"))["expectations"][0]["missing"] == 1


async def test_stats_workers_schedules(client: httpx2.AsyncClient, database: Database) -> None:
    await enqueue(database, "web.one", "1")
    await die(database)
    await evaluate(database)
    found = await got(client, "/admin/stats")
    assert found["stats"]["dead"] == 1
    assert [alert["name"] for alert in found["alerts"]] == ["dead_letters"]
    async with database.connection() as connection:
        await connection.execute(
            "SELECT handfast_engine.register_worker('w', ARRAY['default'], interval '1 minute')"
        )
        await connection.execute(
            "INSERT INTO handfast_engine.schedules (name, kind, spec, words, cursor, seen_at)"
            " VALUES ('daily', 'web.one', '{\"cron\": \"0 9 * * *\"}', 'daily',"
            " handfast_db.now(), handfast_db.now())"
        )
    assert (await got(client, "/admin/workers"))["workers"][0]["name"] == "w"
    assert (await got(client, "/admin/schedules"))["schedules"][0]["declared"] is True
    text = (await client.get("/metrics")).text
    assert "handfast_dead_letters 1.0" in text
    assert "handfast_workers 1.0" in text
    assert 'handfast_alert{name="dead_letters"} 1.0' in text


async def test_ticks_beside_a_schedule_that_cannot_be_read(
    client: httpx2.AsyncClient, database: Database
) -> None:
    began = datetime(2026, 2, 17, 0, 30, tzinfo=UTC)
    await freeze(database, began)
    await schedules.rows(database, "CREATE TABLE people AS SELECT 'UTC' AS zone")
    declaring = schedules.program()
    declaring.daily("asking", schedules.KIND, at=time(9), zones="SELECT zone FROM people")
    declaring.cron("sixes", schedules.KIND, "0 */6 * * *")
    one = schedules.scheduler(database, declaring)
    await one.run_once()
    await one.run_once(began + timedelta(hours=12))
    await schedules.rows(database, "DROP TABLE people")
    await freeze(database, began + timedelta(days=2))
    days = (await got(client, "/admin/figures/ticks"))["days"]
    assert [
        (one["schedule"], one["day"], one["expected"], one["fired"], one["late"]) for one in days
    ] == [
        ("asking", "2026-02-17", 1, 1, 0),
        ("sixes", "2026-02-17", 3, 1, 1),  # and one was skipped
        ("sixes", "2026-02-18", 4, 0, 4),
        ("sixes", "2026-02-19", 1, 0, 1),
    ]


def test_events_over_the_wire(tmp_path: Path) -> None:
    """Server-sent events from a real process, resumed, and ended at once when it stops."""
    with Up(tmp_path / "data", HANDFAST_ADMIN_TOKEN=TOKEN) as up:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        with httpx2.stream("GET", f"{up.url}/admin/events", headers=headers, timeout=20) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            for line in stream.iter_lines():
                if line.startswith("data:"):
                    assert json.loads(line.removeprefix("data:"))["countMax"]
                    break
            assert up.stop() == 0


async def test_operators_may_send_a_key(client: httpx2.AsyncClient, database: Database) -> None:
    job = await enqueue(database, "a.b", "1")
    await die(database)
    headers = {"Idempotency-Key": "5f0c9c1e-6d4e-4a53-9a3f-0e8f8c5b7d21"}
    first = await client.post(f"/admin/jobs/{job}/retry", headers=headers)
    assert first.status_code == 200
    again = await client.post(f"/admin/jobs/{job}/retry", headers=headers)
    assert again.headers["idempotent-replayed"] == "true"
    assert again.json() == first.json()
    other = await client.post("/admin/dead/requeue", headers=headers, json={"filter": {}})
    assert other.status_code == 409
    assert other.json()["code"] == "IDEMPOTENCY_KEY_REUSED"
    bad = await client.post("/admin/dead/requeue", headers={"Idempotency-Key": "1"}, json={})
    assert bad.status_code == 400
    filtered = {"Idempotency-Key": "0e8f8c5b-6d4e-4a53-9a3f-5f0c9c1e7d21"}
    for _ in range(2):
        all_of_them = await client.post(
            "/admin/dead/requeue", headers=filtered, json={"ids": [job], "filter": {}}
        )
        assert all_of_them.status_code == 200
    assert all_of_them.headers["idempotent-replayed"] == "true"
    stranger = {**headers, "Authorization": "Bearer nobody"}
    refused = await client.post(f"/admin/jobs/{job}/retry", headers=stranger)
    assert refused.status_code == 403, "a replay is only for who may have it"


async def test_a_wrong_choice_is_told_what_there_is(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/admin/jobs", params={"state": "nope", "limit": "many"})
    assert answer.status_code == 400
    state, limit = answer.json()["errors"]
    assert (state["key"], state["source"]) == ("state", "query"), "as it was sent"
    assert limit["key"] == "limit"
    for value in JobState:
        assert value in state["message"]
        assert value in answer.json()["message"], "people are shown only this"


async def test_every_choice_in_a_query_is_told(client: httpx2.AsyncClient) -> None:
    """Whatever the route: from the description, what is a choice, and then a wrong one."""
    document = (await client.get("/openapi.json")).json()
    asked = 0
    for path, item in document["paths"].items():
        for parameter in item.get("get", {}).get("parameters", []):
            values = choices(parameter["schema"], document)
            if parameter["in"] != "query" or not values:
                continue
            if {"user": []} in item["get"].get("security", []):
                continue  # what is theirs is looked for first
            asked += 1
            answer = await client.get(path, params={parameter["name"]: "nope"})
            (error,) = answer.json()["errors"]
            assert (answer.status_code, error["key"]) == (400, parameter["name"])
            assert all(value in error["message"] for value in values), error
    assert asked >= 2


def choices(schema: dict[str, Any], document: dict[str, Any]) -> list[str]:
    """The values that a schema, or a part of it, names."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    parts = schema.get("oneOf", []) + schema.get("anyOf", [])
    found = [value for value in schema.get("enum", []) if value is not None]
    return found + [value for part in parts for value in choices(part, document)]
