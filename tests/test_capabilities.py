"""A capability plugs in with one line, and is gone without a trace when it is switched off."""

import re
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest

from handfast import Handfast, wiring
from handfast.apps.fixtures.errors import PipelineInvalid
from handfast.db.connect import Target
from handfast.db.migrations.files import in_database
from handfast.db.pool import Database
from handfast.edge.cli.app import assemble
from handfast.edge.cli.processes.worker import at_work
from handfast.edge.http.app import create_api, surrounded
from handfast.edge.http.routes.admin_dashboard import FIRST, LAST
from handfast.engine.capability import each, switched_on
from handfast.engine.errors import CapabilityOff, CapabilityUnknown
from handfast.engine.hooks import Hooks
from handfast.engine.operating.alerts import evaluate, list_alerts, rules_of
from handfast.engine.system import System
from handfast.wiring import (
    CAPABILITIES,
    chosen,
    hosting,
    housekeeping,
    load_settings,
    open_crews,
    open_system,
)
from tests.support.calling import OPERATOR_TOKEN, calling
from tests.support.command import run_handfast
from tests.support.eventually import eventually_async
from tests.support.toy_capability import TOYS

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "handfast"


@pytest.fixture
def plugged_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one line."""
    monkeypatch.setattr(wiring, "CAPABILITIES", (*CAPABILITIES, TOYS))


@pytest.fixture
async def system(database: Database, dsn: str, plugged_in: None) -> System:
    return System(load_settings(), database, Target(dsn), chosen(None, ["toys"], serving=True))


async def test_a_toy_plugs_in(system: System) -> None:
    assert system.capabilities.names == ("idempotency", "limits", "webhooks", "toys")
    async with open_crews(system, {}) as crews, hosting(system, crews) as host:
        assert set(host.lanes) == {"webhooks", "toys"}
        assert host.scheduler.follows == 1

        async def wound_up() -> bool:
            async with system.database.connection() as connection:
                sql = "SELECT count(*) FROM public.toys WHERE name = 'today'"
                return bool(await connection.fetchval(sql))

        await at_work(host)
        async with system.database.transaction() as tx:
            await tx.execute("SELECT handfast_engine.enqueue('toys.wind_up', 'today', '{}')")
        await eventually_async(wound_up)
    async with system.database.transaction() as tx:
        await system.hooks.state(tx, "room.left", room="nursery")
        assert await tx.fetchval("SELECT count(*) FROM public.toys WHERE name LIKE 'tidied%'") == 1


async def test_its_alert_is_judged_only_while_it_is_on(system: System) -> None:
    off = chosen(None, ["webhooks"])
    for on, raised in ((off, set()), (system.capabilities, {"toys_broken"})):
        await evaluate(system.database, rules_of(on))
        async with system.database.connection() as connection:
            assert {alert.name for alert in await list_alerts(connection)} == raised


async def answered(system: System, path: str) -> int:
    api = create_api(system, "hf_admin_for_the_tests_only")
    transport = httpx2.ASGITransport(cast("Any", surrounded(api)))
    async with httpx2.AsyncClient(transport=transport, base_url="http://handfast") as client:
        status = (await client.get(path)).status_code
        described = (await client.get("/openapi.json")).json()["paths"]
    assert (path in described) == (status == 200)
    return status


async def test_its_route_is_there_only_while_it_is_on(system: System) -> None:
    assert await answered(system, "/toys") == 200
    off = System(system.settings, system.database, system.direct, chosen(None, [], serving=True))
    assert await answered(off, "/toys") == 404


async def shown_pages(system: System) -> list[tuple[str, str | None]]:
    async with calling(create_api(system, OPERATOR_TOKEN), OPERATOR_TOKEN) as client:
        shown = (await client.get("/admin/dashboard")).json()
    assert shown["capabilities"] == list(system.capabilities.names)
    return [(page["name"], page["capability"]) for page in shown["pages"]]


async def test_its_page_is_there_only_while_it_is_on(system: System) -> None:
    shown = await shown_pages(system)
    assert {("toys", "toys"), ("webhooks", "webhooks"), ("jobs", None)} <= set(shown)
    off = System(system.settings, system.database, system.direct, chosen(None, [], serving=True))
    assert {capability for _, capability in await shown_pages(off)} == {None}


def test_pages_have_addresses_of_their_own() -> None:
    names = [page.name for page in (*FIRST, *LAST, *(p for c in CAPABILITIES for p in c.pages))]
    assert len(set(names)) == len(names)
    assert "assets" not in names, "the files of the dashboard are there"


def test_its_command_is_there_only_while_it_is_on(
    plugged_in: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "toys" in set(assemble(listing=True))
    monkeypatch.setenv("HANDFAST_CAPABILITIES", "runs")
    names = set(assemble(listing=True))
    assert {"runs", "corpus", "jobs"} <= names
    assert not {"toys", "fixtures", "webhooks"} & names


async def test_what_is_off_has_no_schema(empty_dsn: str) -> None:
    settings = load_settings(database_url=empty_dsn)
    on = chosen(None, ["webhooks"])
    async with open_system(settings, capabilities=on, may_migrate=True) as system:
        async with system.database.connection() as connection:
            rows = await connection.fetch(
                "SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information)'"
            )
        assert {row[0] for row in rows} == {
            "public",
            "handfast",
            *map(in_database, ("db", "engine", "webhooks")),
        }
        async with open_crews(system, {}) as crews:
            assert [crew.lanes for crew in crews] == [("webhooks",)]


async def test_who_serves_the_api_also_tidies_up(database: Database, dsn: str) -> None:
    system = System(load_settings(), database, Target(dsn), chosen(None, [], serving=True))
    [crew] = housekeeping(system)
    assert (crew.lanes, [chore.name for chore in crew.chores]) == ((), ["idempotency", "limits"])


def test_a_program_starts_with_the_engine_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CapabilityOff, match="'fixtures' is not switched on"):
        Handfast().pipelines_from("anything.toml")
    monkeypatch.setenv("HANDFAST_CAPABILITIES", "fixtures")
    with pytest.raises(PipelineInvalid, match="cannot be read"):
        Handfast().pipelines_from("no_such_file.toml")


async def test_a_program_wins_over_the_environment(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANDFAST_CAPABILITIES", "runs")
    async with Handfast(database_url=dsn, capabilities=["webhooks"]) as hf:
        assert (await hf.open()).capabilities.names == ("webhooks",)
        assert (await hf.deliverer()).lanes == ["webhooks"]


def test_a_lane_of_what_is_off(tmp_path: Path) -> None:
    done = run_handfast(
        *("worker", "--lanes", "webhooks", "--data-dir", str(tmp_path)),
        env={"HANDFAST_CAPABILITIES": "runs"},
    )
    assert done.returncode == 3
    assert "The lane webhooks belongs to 'webhooks', which is not switched on" in done.stderr


def test_a_name_that_nobody_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDFAST_CAPABILITIES", "webhocks")
    with pytest.raises(CapabilityUnknown, match="webhocks"):
        load_settings()


def test_every_part_that_is_named_exists() -> None:
    parts = ("settings", "errors", "work", "chores", "alerts", "expectations", "metrics", "routes")
    more = ("shared", "authenticator", "describe_user", "describe_matches", "evidence", "facade")
    for part in (*parts, *more, "checks", "scene", "shows_people", "personal_data"):
        each(CAPABILITIES, part)
    for command in (command for one in CAPABILITIES for command in one.commands):
        each([], command.where)
    assert switched_on(CAPABILITIES, None).on == CAPABILITIES, "each comes after what it requires"


def test_facts_and_hooks() -> None:
    """All of them: who states what, and who acts on it."""
    facts = {fact.name: fact.tells for one in CAPABILITIES for fact in one.facts}
    hooks = [(one.name, hook.fact) for one in CAPABILITIES for hook in one.hooks]
    assert facts == {
        "user.created": ("user_id",),
        "user.suspended": ("user_id", "action_id", "until"),
        "user.reinstated": ("user_id",),
        "user.deleted": ("user_id",),
        "user.restored": ("user_id",),
        "user.erased": ("user_id",),
        "pair.blocked": ("user_id", "blocked_id"),
        "match.closed": ("match_id", "user_id", "partner_id", "reason"),
        "pair.reported": ("reporter_id", "user_id"),
        "content.removed": ("type", "subject_id", "user_id"),
    }
    people = [("people", fact) for fact in facts if fact.startswith("user.")]
    assert hooks == [
        *people,
        ("people", "content.removed"),
        *(("stakes", fact) for fact in ("user.suspended", "user.deleted")),
        *(("offers", fact) for fact in ("pair.blocked", "pair.reported", "user.suspended")),
        *(("offers", fact) for fact in ("user.deleted", "user.erased")),
        *(("chat", fact) for fact in ("content.removed", "user.erased")),
        *(("safety", fact) for fact in ("user.suspended", "user.erased")),
    ]
    calls = Hooks(chosen())
    for fact in (fact for one in CAPABILITIES for fact in one.facts):
        calls._calls_for(fact)  # each hook takes what its fact tells


# What belongs to a capability, wherever it lies.
OWN = {
    "identity": r"services/identity/|edge/(cli|http/routes|api)/identity|edge/http/signed_in|"
    r"edge/http/routes/(admin_users|user_events)",
    "webhooks": r"services/webhooks/|edge/(cli|http/routes|api|client)/webhooks|"
    r"demo/(webhook|traffic/receiver)",
    "runs": r"apps/runs/|edge/cli/runs/|edge/http/routes/match_runs|edge/api/runs|"
    r"demo/(match_run|traffic/startups)",
    "ledger": r"services/ledger/|edge/(cli|http/routes|api)/ledger",
    "fixtures": r"apps/fixtures/|edge/(cli|http/routes|api)/fixtures|"
    r"demo/(weekend|traffic/friendlies)",
    "people": r"apps/people/|edge/(cli|http/routes|api)/people|demo/people",
    "stakes": r"apps/stakes/|edge/(cli|http/routes|api)/stakes|demo/(stakes|traffic/players)",
    "offers": r"apps/offers/|edge/(cli|http/routes|api)/(offers|admin_offers)|"
    r"demo/(morning|traffic/couples)",
    "chat": r"apps/chat/|edge/(http/routes|api)/chat|demo/traffic/chatting",
    "safety": r"apps/safety/|edge/(cli|http/routes|api)/safety|demo/traffic/reporting",
}
MENTIONS = {
    "identity": r"services\.identity|(routes|cli|api)\.identity",
    "webhooks": r"services\.webhooks|(routes|cli|api)\.webhooks|demo\.webhook",
    "runs": r"apps\.runs|cli\.runs|routes\.match_runs|api\.runs|demo\.match_run",
    "ledger": r"services\.ledger|(routes|cli|api)\.ledger",
    "fixtures": r"apps\.fixtures|cli\.fixtures|routes\.fixtures|api\.fixtures|demo\.weekend",
    "people": r"apps\.people|cli\.people|routes\.people|api\.people|demo\.people",
    "stakes": r"apps\.stakes|cli\.stakes|routes\.stakes|api\.stakes|demo\.stakes",
    "offers": r"apps\.offers|(cli|routes|api)\.(offers|admin_offers)|demo\.morning",
    "chat": r"apps\.chat|(routes|api)\.chat",
    "safety": r"apps\.safety|(routes|cli|api)\.safety",
}


@pytest.mark.parametrize("name", OWN)
def test_at_most_three_others_mention_it(name: str) -> None:
    # Whoever requires it may, too.
    may = [one.name for one in CAPABILITIES if name in one.requires and one.name in OWN]
    own = "|".join(OWN[one] for one in (name, *may))
    mentioning = {
        str(file.relative_to(SRC))
        for file in SRC.rglob("*.py")
        if not re.match(own, str(file.relative_to(SRC)))
        and re.search(MENTIONS[name], file.read_text())
    }
    assert mentioning <= {"__init__.py", "wiring.py", "facade.py"}
