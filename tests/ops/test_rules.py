"""The alert rules: read by Prometheus' own tool, tried on made-up series, and the same as ours."""

import asyncio
import dataclasses
import re
import shutil
import subprocess
from pathlib import Path

import asyncpg
import pytest

import handfast.client  # noqa: F401  # its metrics are asked for too
from handfast.apps.safety import metrics as _safety  # noqa: F401  # likewise
from handfast.base.telemetry import REGISTRY
from handfast.db.pool import Database
from handfast.db.transaction import Transaction
from handfast.engine.operating import alerts
from handfast.engine.operating.alerts import evaluate, list_alerts, rules_of
from handfast.engine.operating.stats import Stats
from handfast.services.idempotency import metrics as _idempotency  # noqa: F401  # registers its own
from handfast.services.ledger import metrics as _ledger  # noqa: F401  # likewise
from handfast.wiring import chosen
from tests.support.fleet import FleetMember
from tests.support.jobs import die, enqueue
from tests.support.programs import path_of

RULES_FILE = Path(__file__).parents[2] / "ops" / "prometheus" / "handfast.rules.yml"


def promtool(*words: object, cwd: Path | None = None) -> str:
    done = subprocess.run(
        [path_of("promtool"), *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.needs("promtool")
def test_prometheus_reads_the_rules() -> None:
    assert "28 rules found" in promtool("check", "rules", RULES_FILE)


@pytest.mark.needs("promtool")
def test_the_rules_fire_when_they_should(tmp_path: Path) -> None:
    shutil.copy(RULES_FILE, tmp_path)
    shutil.copy(Path(__file__).with_name("rules_test.yml"), tmp_path)
    assert "SUCCESS" in promtool("test", "rules", "rules_test.yml", cwd=tmp_path)


def test_both_judges_have_the_same_rules() -> None:
    named = re.findall(r"handfast_alert: (\w+)", RULES_FILE.read_text())
    assert sorted(named) == sorted(rule.name for rule in rules_of(chosen()))


def test_the_rules_ask_for_metrics_that_exist() -> None:
    known = {family.name for family in REGISTRY.collect()}
    text = "\n".join(
        line for line in RULES_FILE.read_text().splitlines() if "handfast_alert:" not in line
    )
    asked = set(re.findall(r"\b(?:handfast|retry|webhook|idempotency)_\w+(?=[{\[)])", text))
    assert len(asked) >= 8
    for name in asked:
        plain = re.sub(r"_(total|bucket)$", "", name)
        assert plain in known, name


# --- the engine's own judge -------------------------------------------------------------------


async def events(database: Database) -> list[str]:
    async with database.connection() as connection:
        rows = await connection.fetch(
            "SELECT type || ' ' || aggregate AS said FROM handfast_engine.events"
            " WHERE type LIKE 'alert.%' ORDER BY at"
        )
    return [row["said"] for row in rows]


async def test_the_fleet_judges_once_a_minute(database: Database) -> None:
    await enqueue(database, "a.b", "1")
    await die(database)
    fleet = [FleetMember(database, alerts.alerting(database)) for _ in range(4)]
    assert sum(await asyncio.gather(*(member.come_round() for member in fleet))) == 1
    assert await events(database) == ["alert.raised alert:dead_letters"]
    assert not await fleet[0].come_round(), "once a minute, whoever asks"
    async with database.connection() as connection:
        await connection.execute(
            "UPDATE handfast_engine.chores SET done_at = done_at - interval '2 min'"
        )
    assert await fleet[0].come_round()


async def test_an_alert_is_raised_once_and_cleared_in_time(database: Database) -> None:
    await evaluate(database)
    assert await events(database) == []
    await enqueue(database, "a.b", "1")
    await die(database)
    for _ in range(3):
        await evaluate(database)
    assert await events(database) == ["alert.raised alert:dead_letters"]
    async with database.connection() as connection:
        assert [alert.raised for alert in await list_alerts(connection)] == [True]
        await connection.execute(
            "SELECT handfast_engine.discard(ARRAY(SELECT id FROM handfast_engine.jobs), 'x')"
        )
    await evaluate(database)
    await evaluate(database)
    assert len(await events(database)) == 1, "not yet"
    await evaluate(database)
    assert (await events(database))[1:] == ["alert.cleared alert:dead_letters"]
    await enqueue(database, "a.b", "2")
    await die(database)
    await evaluate(database)
    assert (await events(database))[2:] == ["alert.raised alert:dead_letters"]


async def test_a_figure_that_hovers_raises_one_alert(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = 0.0
    rule = alerts.AlertRule("hover", 100.0, "It hovers.", lambda _: value)
    monkeypatch.setattr(alerts, "RULES", (rule,))
    await evaluate(database)
    for value in (101, 99, 101, 90, 70, 70, 99, 70, 70):  # noqa: B007  # the rule reads it
        await evaluate(database)
    assert await events(database) == ["alert.raised alert:hover"]
    await evaluate(database)
    assert (await events(database))[1:] == ["alert.cleared alert:hover"]


async def test_a_transaction_that_somebody_holds_is_told_even_if_the_figures_come_too_late(
    database: Database, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = dataclasses.replace(alerts.HELD, threshold=0.05)
    monkeypatch.setattr(alerts, "HELD", rule)
    monkeypatch.setattr(alerts, "RULES", [rule, *alerts.RULES[1:]])
    await enqueue(database, "a.b", "1")
    await die(database)

    async def too_late(tx: Transaction) -> Stats:
        await tx.execute("SELECT pg_sleep(60)")
        raise AssertionError("the statement timeout comes first")

    holder = await asyncpg.connect(dsn)
    idle = await asyncpg.connect(dsn)
    try:
        await idle.execute("BEGIN")  # holds nothing: it has not looked at anything yet
        await evaluate(database)
        assert "alert.raised alert:transaction_held" not in await events(database)
        await holder.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1; SELECT pg_sleep(.1)")
        monkeypatch.setattr(alerts, "STATEMENT_TIMEOUT_MS", 5000)  # of the quick ones, too
        monkeypatch.setattr(alerts, "stats_on", too_late)
        await evaluate(database)
    finally:
        await holder.close()
        await idle.close()
    assert await events(database) == [
        "alert.raised alert:dead_letters",  # from before, and it stays: nobody knows better
        "alert.raised alert:transaction_held",
    ]
    async with database.connection() as connection:
        raised = {alert.name for alert in await list_alerts(connection) if alert.raised}
    assert raised == {"dead_letters", "transaction_held"}


async def test_failure_rates_need_enough_attempts(database: Database) -> None:
    for number in range(alerts.ATTEMPTS_MIN - 1):
        await enqueue(database, "a.b", str(number))
    await die(database)
    await evaluate(database)
    raised = {said.split(":")[1] for said in await events(database)}
    assert raised == {"dead_letters"}
    await enqueue(database, "a.b", "one more")
    await die(database)
    await evaluate(database)
    raised = {said.split(":")[1] for said in await events(database)}
    assert raised == {"dead_letters", "job_failure_rate", "completion_rate", "retries_exhausted"}
