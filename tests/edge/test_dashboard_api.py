"""What the dashboard's pages ask and no other client did: each page's main question, answered."""

from collections.abc import AsyncIterator
from datetime import timedelta
from itertools import pairwise
from typing import Any

import httpx2
import pytest

from handfast.apps.runs.records import start_run
from handfast.apps.stakes import watching
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api
from handfast.engine.work.context import Context
from handfast.services.webhooks import endpoints
from handfast.wiring import load_settings
from tests.support.calling import OPERATOR_TOKEN, VIEWER_TOKEN, calling
from tests.support.jobs import die, enqueue, program, succeed
from tests.support.stakes_table import StakesTable, player_id
from tests.support.systems import whole_system


@pytest.fixture
async def client(database: Database, dsn: str) -> AsyncIterator[httpx2.AsyncClient]:
    settings = load_settings(viewer_token=VIEWER_TOKEN)
    api = create_api(whole_system(settings, database, Target(dsn)), OPERATOR_TOKEN)
    async with calling(api, OPERATOR_TOKEN) as client:
        yield client


@pytest.fixture
def table(database: Database) -> StakesTable:
    return StakesTable(database)


async def got(client: httpx2.AsyncClient, path: str, **params: Any) -> Any:
    answer = await client.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_the_queue_says_why_it_waits(client: httpx2.AsyncClient, table: StakesTable) -> None:
    await table.rich("anna", "ben", "cleo")
    await table.stake("anna", 1000)
    await table.stake_all(["ben", "cleo"], 5000)
    shown = await got(client, "/admin/stakes/queues")
    lines = [(one["amount"], one["waiting"], one["waitingFor"]) for one in shown["lines"]]
    assert lines == [(1000, 1, "partner"), (5000, 2, "matchmaker")]
    assert "2 at 5000" in shown["lines"][0]["why"]
    async with table.database.connection() as connection:
        await connection.execute(
            "INSERT INTO handfast_stakes.matchmakers (id, worker, seen_at)"
            " VALUES (gen_random_uuid(), 'w1', clock_timestamp())"
        )
    shown = await got(client, "/admin/stakes/queues")
    assert [one["waitingFor"] for one in shown["lines"]] == ["partner", "turn"]
    assert [one["worker"] for one in shown["matchmakers"]] == ["w1"]


async def test_tickets_in_pages(client: httpx2.AsyncClient, table: StakesTable) -> None:
    names = [f"player{number}" for number in range(5)]
    await table.rich(*names)
    made = await table.stake_all(names)
    for params, order in (
        ({}, made[::-1]),
        ({"amount": 1000}, made),
        ({"amount": 5000}, []),
        ({"player": str(player_id("player2"))}, [made[2]]),
        ({"player": str(player_id("player2")), "amount": 1000}, [made[2]]),
        ({"player": str(player_id("player2")), "amount": 5000}, []),
    ):
        seen: list[int] = []
        page: dict[str, Any] = {"next": None}
        while "tickets" not in page or page["next"] is not None:
            after = {} if page["next"] is None else {"after": page["next"]}
            page = await got(client, "/admin/stakes", limit=2, **params, **after)
            assert len(page["tickets"]) <= 2
            seen += [one["id"] for one in page["tickets"]]
        assert seen == order, params


async def test_tickets_of_one_status(
    client: httpx2.AsyncClient, table: StakesTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await table.paired("anna", "ben")
    await table.rich("cleo")
    waiting = await table.stake("cleo", 5000)

    async def found(**params: Any) -> tuple[list[int], int | None]:
        page = await got(client, "/admin/stakes", **params)
        return [one["id"] for one in page["tickets"]], page["next"]

    paired, _ = await found(status="matched")
    assert len(paired) == 2
    assert paired == sorted(paired, reverse=True)
    assert await found(status="queued") == ([waiting], None)
    assert await found(status="queued", amount=5000) == ([waiting], None)
    assert await found(status="matched", player=str(player_id("cleo"))) == ([], None)
    assert await found(status="matched", player=str(session.player1)) == ([min(paired)], None)
    monkeypatch.setattr(watching, "SCANNED_MAX", 1)
    assert await found(status="matched") == ([], paired[0] + 1), "so far was looked"
    assert await found(status="matched", after=paired[0] + 1) == ([paired[0]], paired[1] + 1)
    assert (await client.get("/admin/stakes", params={"status": "lost"})).status_code == 400
    assert await found(status="expired", amount=5000) == ([], None), "who stand in line are queued"


async def test_a_stake_from_click_to_payout(client: httpx2.AsyncClient, table: StakesTable) -> None:
    session = await table.paired("anna", "ben")
    await table.stakes.report(session.id, player_id("anna"))
    whole = await got(client, f"/admin/sessions/{session.id}")
    assert (whole["session"]["status"], whole["session"]["result"]) == ("settled", "win")
    assert whole["session"]["token"] is None, "it is the players' secret"
    assert [one["playerId"] for one in whole["tickets"]] == [
        str(player_id(name)) for name in ("anna", "ben")
    ]
    money = whole["money"]
    by_transfer: dict[int, int] = {}
    for entry in money:
        by_transfer[entry["transferId"]] = by_transfer.get(entry["transferId"], 0) + entry["amount"]
    assert set(by_transfer.values()) == {0}, "each transfer is there with both of its sides"
    places = [(one["transferId"], one["line"]) for one in money]
    assert all(one < other for one, other in pairwise(places)), "in the order of writing"
    paid = [one for one in money if one["entryKind"] == "PAYOUT" and one["amount"] > 0]
    assert [(one["account"], one["owner"], one["amount"]) for one in paid] == [
        ("wallet", str(player_id("anna")), 2000)
    ]
    mine = await got(client, f"/admin/stakes/{whole['tickets'][0]['id']}")
    assert mine["hold"]["state"] == "settled"
    assert [one["outcome"] for one in mine["claims"]] == ["paired"]
    assert {one["transferId"] for one in mine["money"]} < {one["transferId"] for one in money}


async def test_games_of_one_status(client: httpx2.AsyncClient, table: StakesTable) -> None:
    first = await table.paired("anna", "ben")
    second = await table.paired("cleo", "dora")
    await table.stakes.report(first.id, None)
    for status, ids in (("settled", [first.id]), ("waiting", [second.id]), ("void", [])):
        page = await got(client, "/admin/sessions", status=status)
        assert ([one["id"] for one in page["sessions"]], page["next"]) == (ids, None)
    page = await got(client, "/admin/sessions", limit=1)
    assert ([one["id"] for one in page["sessions"]], page["next"]) == ([second.id], second.id)
    page = await got(client, "/admin/sessions", limit=1, after=page["next"])
    assert ([one["id"] for one in page["sessions"]], page["next"]) == ([first.id], None)


@pytest.mark.parametrize("path", ["/admin/stakes/7", "/admin/sessions/7"])
async def test_what_is_not_there(client: httpx2.AsyncClient, path: str) -> None:
    assert (await client.get(path)).status_code == 404


async def test_seals_and_a_players_money(client: httpx2.AsyncClient, table: StakesTable) -> None:
    await table.paired("anna", "ben")
    owner = str(player_id("anna"))
    shown = await got(client, f"/admin/players/{owner}/ledger", limit=1)
    assert (shown["wallet"], shown["held"], len(shown["lines"])) == (98_000, 1000, 1)
    rest = await got(client, f"/admin/players/{owner}/ledger", after=shown["next"])
    assert rest["lines"][-1]["entryKind"] == "DEPOSIT"
    assert (await got(client, "/admin/ledger/seals"))["seals"] == []
    sealed = await table.ledger.seal_all(1)
    page = await got(client, "/admin/ledger/seals", limit=2)
    assert [one["head"] for one in page["seals"]] == [one.head for one in sealed[:-3:-1]]
    assert page["unsealedSeconds"] == 0
    older = await got(client, "/admin/ledger/seals", after=page["next"])
    assert older["seals"][0]["hash"] == page["seals"][-1]["previous"], "a chain"


async def test_the_log_of_all_endpoints(client: httpx2.AsyncClient, database: Database) -> None:
    async with database.transaction() as tx:
        made = [
            (await endpoints.add_endpoint(tx, f"https://{name}.example.com/h")).endpoint.id
            for name in ("a", "b")
        ]
        for number, outcome in enumerate(("delivered", "failed", "delivered")):
            await tx.execute(
                "INSERT INTO handfast_webhooks.attempts (endpoint_id, event_id, event_type, job_id,"
                " attempt, outcome, seconds, at) VALUES ($1, gen_random_uuid(), 'job.dead', $2, 1,"
                " $3, 1, handfast_db.now())",
                *(made[number % 2], number + 1, outcome),
            )
    shown = (await got(client, "/webhooks/attempts"))["attempts"]
    assert [one["jobId"] for one in shown] == [3, 2, 1]
    assert [one["endpointId"] for one in shown] == [str(made[0]), str(made[1]), str(made[0])]
    page = await got(client, "/webhooks/attempts", outcome="delivered", limit=1)
    assert [one["jobId"] for one in page["attempts"]] == [3]
    page = await got(client, "/webhooks/attempts", outcome="delivered", after=page["next"])
    assert ([one["jobId"] for one in page["attempts"]], page["next"]) == ([1], None)


async def test_versions_with_verdicts(client: httpx2.AsyncClient, database: Database) -> None:
    verdict = (
        '{"version": 2, "against": 1, "passed": false, "checks": [{"name": "matches_there",'
        ' "passed": false, "figure": 0, "bound": 1, "says": "There are 0 matches."}]}'
    )
    cut_off = '{"summary": "the build was cut off"}'
    async with database.connection() as connection:
        for said in (cut_off, verdict, None):
            await connection.execute(
                "INSERT INTO handfast_runs.corpus_versions (made_at, source, verdict)"
                " VALUES (handfast_db.now(), 'file', $1)",
                said,
            )
    shown = (await got(client, "/admin/corpus/versions"))["versions"]
    assert [one["version"] for one in shown] == [3, 2, 1]
    assert shown[0]["verdict"] is None
    assert shown[1]["verdict"]["checks"][0]["says"] == "There are 0 matches."
    assert shown[2]["verdict"]["summary"] == "the build was cut off"


async def test_one_runs_steps(client: httpx2.AsyncClient, database: Database) -> None:
    async with database.transaction() as tx:
        run = await start_run(tx, "https://acme.com")
        await tx.execute(
            "INSERT INTO handfast_runs.steps (run_id, token, step, began_at, ended_at)"
            " VALUES ($1, 1, 'resolve', now(), now() + interval '40 ms'),"
            " ($1, 1, 'extract', now(), NULL)",
            run.run_id,
        )
    told = await got(client, f"/admin/runs/{run.run_id}")
    assert (told["run"]["status"], told["jobState"]) == ("queued", "ready")
    steps = [(one["step"], one["milliseconds"]) for one in told["steps"]]
    assert steps == [("resolve", 40.0), ("extract", None)]
    assert told["attempts"] == []


async def test_an_ended_job_is_revived(client: httpx2.AsyncClient, database: Database) -> None:
    job = await enqueue(database, "t.job", "one")
    waiting = await client.post(f"/admin/jobs/{job}/revive")
    assert (waiting.status_code, waiting.json()["code"]) == (409, "CONFLICT")
    await succeed(database)
    revived = await client.post(f"/admin/jobs/{job}/revive")
    assert (revived.status_code, revived.json()) == (200, {"id": job, "state": "ready"})
    assert (await client.post("/admin/jobs/999/revive")).status_code == 404


async def test_a_key_is_found_whatever_its_kind(
    client: httpx2.AsyncClient, database: Database
) -> None:
    made = [await enqueue(database, kind, "order-7") for kind in ("t.one", "t.two")]
    await enqueue(database, "t.one", "other")
    found = await got(client, "/admin/jobs", key="order-7")
    assert sorted(one["id"] for one in found["jobs"]) == made


async def test_expected_against_actual(database: Database, dsn: str) -> None:
    """Four are due in two hours: one is done, one is a dead letter, two were never made."""
    hf = program(database, dsn)

    @hf.job("t.report")
    async def report(ctx: Context) -> None: ...

    hf.expect(
        "reports",
        kind=report,
        window=timedelta(hours=3),
        sql="SELECT v.key, '{}'::jsonb AS payload, date_trunc('hour', $1::timestamptz, 'UTC')"
        " + v.hours * interval '1 hour' AS due_at, v.key = 'done' AS result_exists"
        " FROM (VALUES ('done', 1), ('dead', 1), ('new', 1), ('late', 2)) AS v (key, hours)"
        " WHERE $2::timestamptz IS NOT NULL",
    )
    await enqueue(database, "t.report", "dead")
    await die(database)
    api = create_api(
        whole_system(load_settings(), database, Target(dsn)), OPERATOR_TOKEN, program=hf
    )
    async with calling(api, OPERATOR_TOKEN) as client:
        [by_hour] = (await got(client, "/admin/gaps/map", name="reports"))["expectations"]
        [by_day] = (await got(client, "/admin/gaps/map", name="reports", by="day"))["expectations"]
        assert (await client.get("/admin/gaps/map", params={"name": "x"})).status_code == 404
        assert (await client.get("/admin/gaps/map", params={"by": "week"})).status_code == 400
    counts = ("expected", "there", "missing", "dead")
    assert [tuple(one[name] for name in counts) for one in by_hour["cells"]] == [
        (3, 1, 1, 1),
        (1, 0, 1, 0),
    ]
    totals = [sum(one[name] for one in by_day["cells"]) for name in counts]
    assert totals == [4, 1, 2, 1]


async def test_settings_are_masked(database: Database, dsn: str) -> None:
    settings = load_settings(viewer_token=VIEWER_TOKEN, database_url=dsn)
    api = create_api(whole_system(settings, database, Target(dsn)), OPERATOR_TOKEN)
    async with calling(api, OPERATOR_TOKEN) as operator, calling(api, VIEWER_TOKEN) as viewer:
        whole, less = [await got(one, "/admin/settings") for one in (operator, viewer)]
    values = {one["name"]: one["value"] for one in whole["settings"]}
    assert values["HANDFAST_VIEWER_TOKEN"] not in (None, VIEWER_TOKEN)
    assert values["HANDFAST_MODE"] == "development"
    assert {one["value"] for one in less["settings"]} == {None, values["HANDFAST_VIEWER_TOKEN"]}


async def test_what_idling_costs(client: httpx2.AsyncClient) -> None:
    first = await got(client, "/admin/system")
    assert first["connections"] >= 1
    assert first["transactions"] > 0
