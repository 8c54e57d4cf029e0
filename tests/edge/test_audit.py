"""Everything that operators change is in the audit, over HTTP and on the command line.

Both are walked: a route or a command that is added and changes something is missed by name here.
"""

import os
import pwd
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from cyclopts import App
from litestar import Litestar

from handfast.apps.safety.appeals import submit_appeal
from handfast.apps.safety.reports import NewReport, submit_report
from handfast.apps.safety.rules import ReportCategory, ReportType
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.cli.app import assemble
from handfast.edge.http.app import create_api
from handfast.edge.http.route_table import RouteTable
from handfast.engine.operating.audit import AuditEntry, list_audit
from handfast.engine.schedules.store import declare_schedules
from handfast.engine.system import System
from handfast.engine.work.context import Context
from handfast.facade import Handfast
from handfast.wiring import load_settings
from tests.edge.test_engine_cli import answer, handfast
from tests.support import schedules
from tests.support.calling import calling
from tests.support.jobs import die, enqueue, program, succeed
from tests.support.ledger_desk import LedgerDesk
from tests.support.signed_in import TEST_SECRET, sign_in
from tests.support.stakes_table import StakesTable
from tests.support.systems import whole_system

TOKEN = "hf_admin_token_of_anna"
URL = "https://shop.example.com/hook"
MATCH = {"competition": "en.1", "season": "2026-27", "home": "A", "away": "B", "date": "2026-08-15"}


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
async def api(hf: Handfast, database: Database, dsn: str) -> Litestar:
    system = whole_system(load_settings(), database, Target(dsn))
    return create_api(system, f"anna={TOKEN}", program=hf)


@pytest.fixture
async def client(api: Litestar) -> AsyncIterator[httpx2.AsyncClient]:
    async with calling(api, TOKEN) as client:
        yield client


async def audit(database: Database) -> list[AuditEntry]:
    async with database.connection() as connection:
        return (await list_audit(connection)).entries


@dataclass
class Office:
    """What the walk works on."""

    client: httpx2.AsyncClient
    database: Database
    system: System

    async def job(self, **more: Any) -> int:
        return await enqueue(self.database, "web.one", str(uuid4()), **more)

    async def dead(self) -> int:
        job = await self.job()
        await die(self.database)
        return job

    async def endpoint(self) -> str:
        made = await self.client.post("/webhooks/endpoints", json={"url": URL})
        return str(made.json()["endpoint"]["id"])


Walk = Callable[[Office, dict[str, str]], Awaitable[tuple[httpx2.Response, str]]]


async def retry(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    job = await office.job(due="1 hour")
    return await office.client.post(f"/admin/jobs/{job}/retry", headers=key), f"job:{job}"


async def cancel(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    job = await office.job()
    where = f"/admin/jobs/{job}/cancel?reason=because"
    return await office.client.post(where, headers=key), f"job:{job}"


async def revive(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    job = await office.job()
    await succeed(office.database)
    return await office.client.post(f"/admin/jobs/{job}/revive", headers=key), f"job:{job}"


async def requeue(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    job = await office.dead()
    body = {"ids": [job]}
    answer = await office.client.post("/admin/dead/requeue", json=body, headers=key)
    return answer, f"job:{job}"


async def discard(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    job = await office.dead()
    body = {"filter": {"kind": "web.one"}, "reason": "because"}
    answer = await office.client.post("/admin/dead/discard", json=body, headers=key)
    return answer, f"job:{job}"


async def repair(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    where = "/admin/gaps/repair?name=ones"
    return await office.client.post(where, headers=key), "expectation:ones"


async def hold(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    body = {"what": "lane", "name": "mail", "reason": "because"}
    return await office.client.post("/admin/pauses", json=body, headers=key), "lane:mail"


async def let_go(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    body = {"what": "kind", "name": "web.one"}
    await office.client.post("/admin/pauses", json={**body, "reason": "first"})
    answer = await office.client.post("/admin/pauses/resume", json=body, headers=key)
    return answer, "kind:web.one"


async def ask(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    await office.job()
    body = {"action": "cancel", "filter": {"kind": "web.one"}, "reason": "because"}
    answer = await office.client.post("/admin/bulk", json=body, headers=key)
    return answer, f"bulk:{answer.json()['id']}"


async def undo(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    asked, subject = await ask(office, {})
    answer = await office.client.post(f"/admin/bulk/{asked.json()['id']}/undo", headers=key)
    return answer, subject


async def bring(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    body = {"fixtures": [MATCH], "source": "office"}
    answer = await office.client.post("/fixtures", json=body, headers=key)
    return answer, "fixtures:office"


async def add(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    made = await office.client.post("/webhooks/endpoints", json={"url": URL}, headers=key)
    return made, f"endpoint:{made.json()['endpoint']['id']}"


async def change(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    which = await office.endpoint()
    where, body = f"/webhooks/endpoints/{which}", {"state": "paused"}
    return await office.client.patch(where, json=body, headers=key), f"endpoint:{which}"


async def remove(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    which = await office.endpoint()
    where = f"/webhooks/endpoints/{which}"
    return await office.client.delete(where, headers=key), f"endpoint:{which}"


async def rotate(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    which = await office.endpoint()
    where = f"/webhooks/endpoints/{which}/rotate"
    return await office.client.post(where, headers=key), f"endpoint:{which}"


async def replay(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    which = await office.endpoint()
    where = f"/webhooks/endpoints/{which}/replay"
    body = {"since": "2026-01-01T00:00:00Z", "until": "2026-01-02T00:00:00Z"}
    return await office.client.post(where, json=body, headers=key), f"endpoint:{which}"


async def end_session(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    anna = await sign_in(office.system)
    where = f"/admin/users/{anna.user_id}/sessions/{anna.sign_in_id}"
    return await office.client.delete(where, headers=key), f"user:{anna.user_id}"


async def suspend(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    anna = await sign_in(office.system)
    where, body = f"/admin/users/{anna.user_id}/suspend", {"reason": "because", "days": 3}
    answer = await office.client.post(where, json=body, headers=key)
    return answer, f"user:{anna.user_id}"


async def reinstate(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    anna = await sign_in(office.system)
    where = f"/admin/users/{anna.user_id}"
    await office.client.post(f"{where}/suspend", json={"reason": "first"})
    body = {"reason": "because"}
    answer = await office.client.post(f"{where}/reinstate", json=body, headers=key)
    return answer, f"user:{anna.user_id}"


async def correct(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    anna = await sign_in(office.system)
    where, body = f"/admin/people/{anna.user_id}", {"gender": "female", "reason": "because"}
    return await office.client.patch(where, json=body, headers=key), f"user:{anna.user_id}"


async def verification(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    anna = await sign_in(office.system)
    where, body = f"/admin/people/{anna.user_id}/verification", {"decision": "reset"}
    return await office.client.post(where, json=body, headers=key), f"user:{anna.user_id}"


async def a_report(office: Office) -> str:
    """Anna has reported Bob."""
    anna, bob = await sign_in(office.system), await sign_in(office.system)
    sent = NewReport(ReportType.USER, bob.user_id, ReportCategory.SCAM)
    async with office.database.transaction() as tx:
        made = await submit_report(tx, office.system, anna.user_id, sent)
    return str(made.report_id)


async def decide(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    which = await a_report(office)
    where, body = f"/admin/reports/{which}/decide", {"decision": "warn", "note": "because"}
    return await office.client.post(where, json=body, headers=key), f"report:{which}"


async def note(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    which = await a_report(office)
    where, body = f"/admin/reports/{which}/notes", {"note": "because"}
    return await office.client.post(where, json=body, headers=key), f"report:{which}"


async def an_appeal(office: Office) -> str:
    which = await a_report(office)
    body = {"decision": "suspend"}
    done = await office.client.post(f"/admin/reports/{which}/decide", json=body)
    action, user = UUID(done.json()["actionId"]), UUID(done.json()["userId"])
    async with office.database.transaction() as tx:
        return str((await submit_appeal(tx, user, action, "no")).appeal_id)


async def settle(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    which = await an_appeal(office)
    where, body = f"/admin/appeals/{which}/decide", {"outcome": "overturned", "note": "because"}
    return await office.client.post(where, json=body, headers=key), f"appeal:{which}"


def money(what: str) -> Walk:
    """What moves money requires a key."""

    async def move(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
        desk = LedgerDesk(office.database)
        await desk.give_credit("p-1", 500)
        await desk.deposit("p-1", 500)
        where, headers = f"/admin/players/p-1/{what}", key or {"Idempotency-Key": str(uuid4())}
        answer = await office.client.post(where, json={"amount": 500}, headers=headers)
        return answer, "player:p-1"

    return move


async def resolve(office: Office, key: dict[str, str]) -> tuple[httpx2.Response, str]:
    table = StakesTable(office.database)
    session = await table.paired("anna", "ben")
    dispute = await table.stakes.dispute(session.id, session.player1, "why")
    headers = key or {"Idempotency-Key": str(uuid4())}
    where = f"/admin/disputes/{dispute.id}/resolve"
    body = {"split": True, "reason": "because"}
    answer = await office.client.post(where, json=body, headers=headers)
    return answer, f"dispute:{dispute.id}"


WALKS: dict[str, Walk] = {
    "POST /admin/reports/{report_id:uuid}/decide": decide,
    "POST /admin/reports/{report_id:uuid}/notes": note,
    "POST /admin/appeals/{appeal_id:uuid}/decide": settle,
    "PATCH /admin/people/{user_id:uuid}": correct,
    "POST /admin/people/{user_id:uuid}/verification": verification,
    "DELETE /admin/users/{user_id:uuid}/sessions/{sign_in_id:uuid}": end_session,
    "POST /admin/users/{user_id:uuid}/suspend": suspend,
    "POST /admin/users/{user_id:uuid}/reinstate": reinstate,
    "POST /admin/players/{player_id:str}/deposits": money("deposits"),
    "POST /admin/players/{player_id:str}/withdrawals": money("withdrawals"),
    "POST /admin/players/{player_id:str}/refunds": money("refunds"),
    "POST /admin/disputes/{dispute_id:int}/resolve": resolve,
    "POST /admin/jobs/{job_id:int}/retry": retry,
    "POST /admin/jobs/{job_id:int}/cancel": cancel,
    "POST /admin/jobs/{job_id:int}/revive": revive,
    "POST /admin/dead/requeue": requeue,
    "POST /admin/dead/discard": discard,
    "POST /admin/gaps/repair": repair,
    "POST /admin/pauses": hold,
    "POST /admin/pauses/resume": let_go,
    "POST /admin/bulk": ask,
    "POST /admin/bulk/{bulk_id:int}/undo": undo,
    "POST /fixtures": bring,
    "POST /webhooks/endpoints": add,
    "PATCH /webhooks/endpoints/{endpoint_id:uuid}": change,
    "DELETE /webhooks/endpoints/{endpoint_id:uuid}": remove,
    "POST /webhooks/endpoints/{endpoint_id:uuid}/rotate": rotate,
    "POST /webhooks/endpoints/{endpoint_id:uuid}/replay": replay,
}


async def test_every_route_that_changes_something_is_walked(api: Litestar) -> None:
    table: RouteTable = api.state.routes
    assert {str(one) for one in table.routes if one.policy.audit is not None} == set(WALKS)


@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize("route", WALKS)
async def test_it_is_in_the_audit(
    api: Litestar, client: httpx2.AsyncClient, database: Database, route: str, *, keyed: bool
) -> None:
    key = {"Idempotency-Key": str(uuid4())} if keyed else {}
    answer, subject = await WALKS[route](Office(client, database, api.state.system), key)
    assert answer.is_success, answer.text
    table: RouteTable = api.state.routes
    [policy] = [one.policy for one in table.routes if str(one) == route]
    [entry] = [one for one in await audit(database) if one.action == policy.audit]
    assert (entry.actor, entry.subject) == ("anna", subject)
    assert entry.request_id == answer.headers["x-request-id"]
    sent = f"{answer.request.url} {answer.request.content.decode()}"
    assert entry.reason == ("because" if "because" in sent else None)


async def test_what_was_refused_is_not(client: httpx2.AsyncClient, database: Database) -> None:
    job = await enqueue(database, "web.one", "1")
    for headers in ({}, {"Idempotency-Key": str(uuid4())}):
        refused = await client.post(f"/admin/jobs/{job + 1}/cancel", headers=headers)
        assert refused.status_code == 404
    assert await audit(database) == []


async def test_a_repetition_is_not_a_second_change(
    client: httpx2.AsyncClient, database: Database
) -> None:
    job = await enqueue(database, "web.one", "1")
    key = {"Idempotency-Key": str(uuid4())}
    for _ in range(2):
        assert (await client.post(f"/admin/jobs/{job}/cancel", headers=key)).is_success
    assert len(await audit(database)) == 1


async def test_over_http(client: httpx2.AsyncClient, database: Database) -> None:
    for number in range(3):
        job = await enqueue(database, "web.one", str(number))
        await client.post(f"/admin/jobs/{job}/cancel", params={"reason": f"no {number}"})
    page = (await client.get("/admin/audit", params={"limit": 2})).json()
    assert [one["reason"] for one in page["entries"]] == ["no 2", "no 1"]
    rest = (await client.get("/admin/audit", params={"after": page["next"]})).json()
    assert [one["reason"] for one in rest["entries"]] == ["no 0"]
    assert rest["next"] is None
    where = {"subject": rest["entries"][0]["subject"], "actor": "anna", "action": "job.cancel"}
    assert (await client.get("/admin/audit", params=where)).json() == rest
    assert (await client.get("/admin/audit", params={"actor": "bob"})).json()["entries"] == []


# --- the command line -----------------------------------------------------------------------------

CHANGING = {
    *("jobs retry", "jobs revive", "jobs cancel", "dead requeue", "dead discard", "gaps repair"),
    *("pauses begin", "pauses end", "bulk ask", "bulk undo"),
    *("schedules pause", "schedules resume", "runs hosts add", "runs hosts remove"),
    *("webhooks add", "webhooks rotate", "webhooks pause", "webhooks resume"),
    *("webhooks replay", "webhooks remove", "corpus load", "corpus rebuild", "corpus generate"),
    *("corpus switch", "corpus rollback", "corpus retire", "fixtures ingest", "fixtures plan"),
    *("fixtures alias", "fixtures zone", "fixtures backfill", "ledger deposit", "sessions resolve"),
    "offers generate",
    *("people suspend", "people reinstate", "people export", "people generate"),
    *("identity suspend", "identity reinstate", "identity sign-out", "identity keys rotate"),
    *("safety decide", "safety note", "safety decide-appeal"),
}
LOOKING = {
    *("jobs why", "pauses list", "bulk list", "bulk preview", "bulk show"),
    *("figures minutes", "figures kinds", "figures ticks"),
    *("audit list", "completion", "config", "corpus check", "corpus versions", "dead list"),
    *("dead show", "doctor", "fixtures list", "fixtures score", "fixtures show", "gaps list"),
    *("jobs list", "jobs show", "psql", "runs hosts list", "runs list", "runs show"),
    *("schedules list", "schedules next", "server status", "webhooks inbox-sql"),
    *("webhooks list", "webhooks listen", "webhooks tail", "ledger check", "ledger export"),
    *("ledger statement", "ledger trial-balance", "ledger verify", "ledger prove"),
    *("stakes queues", "stakes show", "stakes claims", "stakes check", "sessions list"),
    *("sessions show", "sessions disputes"),
    *("offers replay", "offers explain", "offers compare", "offers stats"),
    *("people list", "people show", "safety reports", "safety show", "safety appeals"),
    *("identity show", "identity sessions", "identity keys list"),
}
# Processes, and what is not an operator's to change: anybody may start a match run.
OTHERS = {
    *("up", "api", "demo", "scheduler", "worker", "migrate", "runs start", "server stop"),
    "bench",  # in a database of its own
    *("backup", "restore"),  # of the whole database, the audit with it
}


def commands(app: App, *path: str) -> Iterator[str]:
    for name in app:
        if not name.startswith("-"):
            inner = app[name]
            below = [word for word in inner if not word.startswith("-")]
            yield from commands(inner, *path, name) if below else [" ".join((*path, name))]


def test_every_command_is_known_to_change_something_or_not() -> None:
    assert set(commands(assemble(listing=False))) == CHANGING | LOOKING | OTHERS
    assert len(CHANGING | LOOKING | OTHERS) == len(CHANGING) + len(LOOKING) + len(OTHERS)


class Shell:
    """Commands on one database; each must leave its rows in the audit."""

    def __init__(self, dsn: str, database: Database) -> None:
        self.dsn = dsn
        self._database = database
        self.walked: set[str] = set()

    async def run(self, command: str, *words: str, **settings: str) -> list[AuditEntry]:
        before = {one.id for one in await audit(self._database)}
        environment = {f"HANDFAST_{name.upper()}": value for name, value in settings.items()}
        done = await handfast(self.dsn, *command.split(), *words, **environment)
        assert done.returncode == 0, done.stderr
        self.walked.add(command)
        fresh = [one for one in await audit(self._database) if one.id not in before]
        assert fresh, f"{command} left nothing in the audit"
        me = pwd.getpwuid(os.geteuid()).pw_name
        assert {(one.actor, one.request_id) for one in fresh} == {(f"cli:{me}", None)}, command
        return fresh


@pytest.mark.long
async def test_every_command_that_changes_something(
    dsn: str, database: Database, tmp_path: Path
) -> None:
    shell = Shell(dsn, database)
    await _jobs(shell, database)
    await _webhooks(shell)
    await _corpus(shell, tmp_path)
    await _fixtures(shell, tmp_path)
    await _identity(shell, database)
    await _people(shell, database, tmp_path)
    await _offers(shell, database)
    await _safety(shell, database)
    [entry] = await shell.run("ledger deposit", "p-1", "500")
    assert (entry.action, entry.subject) == ("ledger.deposit", "player:p-1")
    table = StakesTable(database)
    session = await table.paired("anna", "ben")
    dispute = await table.stakes.dispute(session.id, session.player1, "why")
    [entry] = await shell.run("sessions resolve", str(dispute.id), "--split")
    assert (entry.action, entry.subject) == ("dispute.resolve", f"dispute:{dispute.id}")
    assert shell.walked == CHANGING


async def _jobs(shell: Shell, database: Database) -> None:
    done = await enqueue(database, "web.one", "done")
    await succeed(database)
    dead = [await enqueue(database, "web.one", f"dead-{number}") for number in range(2)]
    await die(database)
    later = await enqueue(database, "web.one", "later", due="1 hour")
    [entry] = await shell.run("jobs retry", str(later))
    assert (entry.action, entry.subject) == ("job.retry", f"job:{later}")
    [entry] = await shell.run("jobs cancel", "web.one", "later", "--reason", "too many")
    assert (entry.subject, entry.reason) == (f"job:{later}", "too many")
    [entry] = await shell.run("jobs revive", str(done))
    assert (entry.action, entry.subject) == ("job.revive", f"job:{done}")
    [entry] = await shell.run("dead requeue", str(dead[0]))
    assert (entry.action, entry.subject) == ("dead.requeue", f"job:{dead[0]}")
    [entry] = await shell.run("dead discard", "--all", "--reason", "old")
    assert (entry.subject, entry.reason) == (f"job:{dead[1]}", "old")
    hf = schedules.program()
    hf.cron("nightly", schedules.KIND, "0 3 * * *")
    async with database.connection() as connection:
        await declare_schedules(connection, hf.schedules)
    for command in ("schedules pause", "schedules resume"):
        [entry] = await shell.run(command, "nightly")
        assert entry.subject == "schedule:nightly"
    for command in ("pauses begin", "pauses end"):
        why = ("--reason", "too many") if command == "pauses begin" else ()
        [entry] = await shell.run(command, "lane", "mail", *why)
        assert (entry.subject, entry.reason) == ("lane:mail", "too many" if why else None)
    [entry] = await shell.run("bulk ask", "cancel", "--kind", "web.one", "--reason", "too many")
    assert (entry.action, entry.reason) == ("bulk.ask", "too many")
    [undone] = await shell.run("bulk undo", entry.subject.removeprefix("bulk:"))
    assert undone.subject == entry.subject
    repaired = await shell.run("gaps repair")
    assert {one.action for one in repaired} == {"gaps.repair"}


async def _webhooks(shell: Shell) -> None:
    [added] = await shell.run("webhooks add", URL)
    which = added.subject.removeprefix("endpoint:")
    for command, *words in (
        ("webhooks rotate",),
        ("webhooks pause", "--reason", "too slow"),
        ("webhooks resume",),
        ("webhooks replay", "--since", "2026-01-01", "--until", "2026-01-02"),
        ("webhooks remove",),
    ):
        [entry] = await shell.run(command, which, *words)
        assert entry.subject == added.subject
    for command in ("runs hosts add", "runs hosts remove"):
        [entry] = await shell.run(command, "pages.example.com")
        assert entry.subject == "host:pages.example.com"


async def _corpus(shell: Shell, folder: Path) -> None:
    sizes = ("--startups", "40", "--investors", "30")
    built, switched = sorted(await shell.run("corpus generate", *sizes), key=lambda one: one.action)
    assert (built.action, switched.action) == ("corpus.generate", "corpus.switch")
    assert built.subject == switched.subject == "corpus:1"
    files = await handfast(shell.dsn, "corpus", "generate", *sizes, "--out", str(folder))
    assert files.returncode == 0, files.stderr
    given = ("--startups", f"{folder}/startups.csv", "--investors", f"{folder}/investors.csv")
    await shell.run("corpus load", *given, "--replace", "--no-switch")
    await shell.run("corpus rebuild", "--no-switch")
    [entry] = await shell.run("corpus switch", "3", "--force")
    assert (entry.action, entry.subject) == ("corpus.switch", "corpus:3")
    [entry] = await shell.run("corpus rollback", "--reason", "worse")
    assert (entry.action, entry.subject, entry.reason) == ("corpus.rollback", "corpus:1", "worse")
    await shell.run("corpus retire")


async def _fixtures(shell: Shell, folder: Path) -> None:
    file = folder / "fixtures.csv"
    file.write_text(
        "competition,season,home,away,date,time\nen.1,2026-27,Arsenal,Chelsea,2026-08-15,15:00\n"
    )
    [entry] = await shell.run("fixtures ingest", str(file), "--zone", "Europe/London")
    assert (entry.action, entry.subject) == ("fixtures.ingest", f"fixtures:{file}")
    [entry] = await shell.run("fixtures plan")
    assert entry.subject == "fixtures"
    await shell.run("fixtures alias", "Gunners", "Arsenal")
    [entry] = await shell.run("fixtures zone", "en.1", "Europe/Paris", "--apply")
    assert entry.subject == "competition:en.1"
    await shell.run("fixtures backfill")


async def _identity(shell: Shell, database: Database) -> None:
    system = whole_system(load_settings(), database, Target(shell.dsn))
    anna = await sign_in(system, "+4915123456789")
    for command in ("identity suspend", "identity reinstate", "identity sign-out"):
        [entry] = await shell.run(command, anna.phone, "--reason", "because")
        assert (entry.subject, entry.reason) == (f"user:{anna.user_id}", "because")
    [entry] = await shell.run("identity keys rotate", identity_secret=TEST_SECRET)
    assert (entry.action, entry.subject) == ("identity.rotate", "signing-keys")


async def _people(shell: Shell, database: Database, tmp_path: Path) -> None:
    system = whole_system(load_settings(), database, Target(shell.dsn))
    anna = await sign_in(system, "+4915123456780")
    for command in ("people suspend", "people reinstate"):
        [entry] = await shell.run(command, anna.phone, "--reason", "because")
        assert (entry.subject, entry.reason) == (f"user:{anna.user_id}", "because")
    copy = tmp_path / "anna.zip"
    [entry] = await shell.run("people export", anna.phone, "--to", str(copy))
    assert (entry.action, entry.subject) == ("user.export", f"user:{anna.user_id}")
    assert copy.stat().st_mode & 0o777 == 0o600, "for nobody else on this machine"
    [entry] = await shell.run("people generate", "5", "--seed", "9")
    assert (entry.action, entry.subject) == ("people.generate", "seed:9")


async def _offers(shell: Shell, database: Database) -> None:
    """Of those who have just moved in."""
    async with database.connection() as connection:
        [(day, zone)] = await connection.fetch(
            "INSERT INTO handfast_offers.days (zone, day, due_at, ends_at, expires_at)"
            " SELECT p.timezone, n.at, n.at, n.at + interval '1 day', n.at + interval '6 days'"
            " FROM handfast_people.pool AS p, handfast_db.now() AS n (at) LIMIT 1"
            " RETURNING day, zone"
        )
    [entry] = await shell.run("offers generate", "--date", str(day))
    assert (entry.action, entry.subject) == ("offers.generate", f"offers:{day}:{zone}")


async def _safety(shell: Shell, database: Database) -> None:
    system = whole_system(load_settings(), database, Target(shell.dsn))
    office = Office(httpx2.AsyncClient(), database, system)
    report = await a_report(office)
    [entry] = await shell.run("safety note", report, "because")
    assert (entry.subject, entry.reason) == (f"report:{report}", "because")
    told = await answer(shell.dsn, "safety", "show", report)
    user, note = UUID(told["report"]["userId"]), told["notes"][0]
    assert note["note"] == "because"
    entries = await shell.run("safety decide", report, "suspend", "--days", "2", "--note", "scam")
    assert {(one.action, one.subject, one.reason) for one in entries} == {
        ("report.decide", f"report:{report}", "scam")
    }
    assert (await answer(shell.dsn, "safety", "reports"))["reports"] == []
    [action] = (await answer(shell.dsn, "safety", "show", report))["history"]["actions"]
    async with database.transaction() as tx:
        made = await submit_appeal(tx, user, UUID(action["id"]), "It was a joke.")
    listed = await handfast(shell.dsn, "safety", "appeals")
    assert str(made.appeal_id) in listed.stdout
    [entry] = await shell.run("safety decide-appeal", str(made.appeal_id), "overturned")
    assert entry.subject == f"appeal:{made.appeal_id}"


async def test_looking_changes_nothing(dsn: str, database: Database) -> None:
    await handfast(dsn, "fixtures", "zone", "en.1", "Europe/Paris")  # without --apply
    await handfast(dsn, "dead", "requeue", "--all")  # there are none
    assert await audit(database) == []


async def test_the_list(dsn: str, database: Database) -> None:
    job = await enqueue(database, "web.one", "1")
    assert "No operator has changed" in (await handfast(dsn, "audit", "list")).stdout
    await handfast(dsn, "jobs", "cancel", str(job), "--reason", "too many")
    told = (await handfast(dsn, "audit", "list")).stdout
    assert "job.cancel" in told
    assert f"job:{job}" in told
    assert "too many" in told
    [entry] = (await answer(dsn, "audit", "list", "--subject", f"job:{job}"))["entries"]
    assert entry["actor"].startswith("cli:")
    assert (await answer(dsn, "audit", "list", "--actor", "anna"))["entries"] == []
