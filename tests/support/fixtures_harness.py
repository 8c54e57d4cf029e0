"""Fixtures (the app's, not pytest's) brought into a database, and what became of them."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from handfast.apps.fixtures.commands import (
    UpsertReport,
    assign_pipeline,
    upsert_competitions,
    upsert_fixtures,
)
from handfast.apps.fixtures.pipelines.pipeline import FOOTBALL, Pipeline, declare_pipelines
from handfast.apps.fixtures.pipelines.planning import PlanReport, plan
from handfast.apps.fixtures.values import CompetitionRow, FixtureRow, Status
from handfast.db.pool import Database
from handfast.db.transaction import Transaction

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)  # a Saturday
STEPS = ("analysis", "lineups", "predictions")


def row(name: str, kickoff: datetime | None, **other: Any) -> FixtureRow:
    """A fixture known as ``name``, between two teams of its own."""
    values: dict[str, Any] = {
        "external_id": name,
        "competition": "en.1",
        "season": "2025-26",
        "round": None,
        "home": f"{name} home",
        "away": f"{name} away",
        "kickoff": kickoff,
        "kickoff_local": None,
        "status": Status.SCHEDULED,
        "home_goals": None,
        "away_goals": None,
        "source": "test",
    }
    return FixtureRow(**(values | other))


class FixturesHarness:
    """A database with fixtures in it."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def declare(self, *pipelines: Pipeline) -> None:
        async with self.database.transaction() as tx:
            await declare_pipelines(tx, pipelines or [FOOTBALL])

    async def ingest(self, *rows: FixtureRow) -> UpsertReport:
        async def work(tx: Transaction) -> UpsertReport:
            return await upsert_fixtures(tx, rows)

        return await self.database.run_in_transaction(work)

    async def compete(self, competition: str, pipeline: str) -> None:
        """A competition with a pipeline."""
        async with self.database.transaction() as tx:
            await upsert_competitions(tx, [CompetitionRow(competition)])
            await assign_pipeline(tx, competition, pipeline)

    async def store_only(self, *rows: FixtureRow) -> None:
        """As a version would have that stored fixtures and forgot about their jobs."""
        await self.ingest(*rows)
        async with self.database.transaction() as tx:
            for table in ("jobs", "live", "prerequisites", "anchors"):
                await tx.execute(f"DELETE FROM handfast_engine.{table}")
            await tx.execute("DELETE FROM handfast_fixtures.decisions")

    async def plan(
        self, fixtures: Sequence[int] | None = None, ahead: timedelta | None = None
    ) -> PlanReport:
        async with self.database.transaction() as tx:
            return await plan(tx, fixtures, ahead=ahead)

    async def fetch(self, sql: str, *args: Any) -> list[tuple[Any, ...]]:
        async with self.database.connection() as connection:
            return [tuple(record) for record in await connection.fetch(sql, *args)]

    async def value(self, sql: str, *args: Any) -> Any:
        return (await self.fetch(sql, *args))[0][0]

    async def id_of(self, name: str) -> int:
        found: int = await self.value(
            "SELECT id FROM handfast_fixtures.fixtures WHERE external_id = $1", name
        )
        return found

    async def jobs(self, name: str) -> dict[str, tuple[str, datetime | None]]:
        """Step to state and due time."""
        rows = await self.fetch(
            "SELECT s.step, coalesce(j.state, l.state)::text, l.due_at"
            " FROM handfast_fixtures.fixtures AS f"
            " JOIN handfast_fixtures.competitions AS c ON c.id = f.competition_id"
            " JOIN handfast_fixtures.steps AS s ON s.pipeline = c.pipeline"
            " JOIN handfast_engine.jobs AS j ON j.kind = s.kind AND j.key = s.step || '-' || f.id"
            " LEFT JOIN handfast_engine.live AS l ON l.id = j.id"
            " WHERE f.external_id = $1 ORDER BY s.position",
            name,
        )
        return {step: (state, due) for step, state, due in rows}

    async def states(self, name: str) -> dict[str, str]:
        return {step: state for step, (state, _) in (await self.jobs(name)).items()}

    async def decisions(self, name: str) -> list[tuple[str | None, str]]:
        return [
            (step, decision)
            for step, decision in await self.fetch(
                "SELECT d.step, d.decision FROM handfast_fixtures.decisions AS d JOIN"
                " handfast_fixtures.fixtures AS f"
                " ON f.id = d.fixture_id WHERE f.external_id = $1 ORDER BY d.id",
                name,
            )
        ]

    async def work(self, steps: Iterable[str] = STEPS, *, lane: str = "fixtures") -> list[str]:
        """Everything that is due runs, one at a time in the order of claims; what ran, in order."""
        done: list[str] = []
        wanted = set(steps)
        while True:
            async with self.database.transaction() as tx:
                await tx.execute("SELECT handfast_engine.promote(100000)")
                claimed = await tx.fetch(
                    "SELECT id, token, key FROM handfast_engine.claim(NULL, ARRAY[$1], 1, '5"
                    " minutes')",
                    lane,
                )
                if not claimed:
                    return done
                job, token, key = claimed[0]
                step, _, fixture = key.rpartition("-")
                if step not in wanted:
                    raise AssertionError(f"{key} is claimed, and is not to run")
                await tx.execute(
                    "SELECT handfast_fixtures.put_output(id, $2, kickoff, '{}') FROM"
                    " handfast_fixtures.fixtures"
                    " WHERE id = $1",
                    int(fixture),
                    step,
                )
                await tx.execute(
                    "SELECT handfast_engine.finish(ARRAY[$1::bigint], ARRAY[$2::bigint])",
                    job,
                    token,
                )
                done.append(key)
