"""Leagues that were never played, in the tables of the fixtures, with the football pipeline."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from handfast.apps.fixtures.pipelines.pipeline import FOOTBALL, declare_pipelines
from handfast.apps.fixtures.rules.results import Result
from handfast.db.pool import Database


async def declare_football(database: Database) -> None:
    async with database.transaction() as tx:
        await declare_pipelines(tx, [FOOTBALL])


async def store_results(
    database: Database, results: Sequence[Result], *, without_times: bool = False
) -> None:
    """Finished fixtures. Ids are those of the results; teams are one more than theirs."""
    async with database.transaction() as tx:
        for competition in sorted({result.competition for result in results}):
            await store_competition(tx, competition)
        teams = sorted({team for r in results for team in (r.home, r.away)})
        await store_teams(tx, teams)
        await tx.executemany(
            "INSERT INTO handfast_fixtures.fixtures (id, external_id, competition_id, season,"
            " home_id, "
            "away_id, kickoff, day, status, home_goals, away_goals, result_at, source, created_at, "
            "updated_at) OVERRIDING SYSTEM VALUE VALUES ($1::bigint, 'x:' || $1::bigint, $2, "
            "'2020-21', $3::bigint + 1, $4::bigint + 1, $5, $6, 'finished', $7, $8, $9, 'test', "
            "handfast_db.now(), handfast_db.now())",
            [
                (
                    r.fixture,
                    r.competition,
                    r.home,
                    r.away,
                    None if without_times else r.kickoff,
                    r.kickoff.date(),
                    r.home_goals,
                    r.away_goals,
                    r.known_at,
                )
                for r in results
            ],
        )


async def store_fixture(
    database: Database,
    fixture: int,
    kickoff: datetime | None,
    *,
    home: int = 0,
    away: int = 1,
    competition: str = "xx.1",
    status: str = "scheduled",
) -> None:
    """One that is still to be played."""
    async with database.transaction() as tx:
        await store_competition(tx, competition)
        await store_teams(tx, (home, away))
        await tx.execute(
            "INSERT INTO handfast_fixtures.fixtures (id, external_id, competition_id, season,"
            " home_id, "
            "away_id, kickoff, status, source, created_at, updated_at) OVERRIDING SYSTEM VALUE "
            "VALUES ($1::bigint, 'x:' || $1::bigint, $2, '2020-21', $3, $4, $5, "
            "$6::text::handfast_fixtures.status, 'test', handfast_db.now(), handfast_db.now())",
            fixture,
            competition,
            home + 1,
            away + 1,
            kickoff,
            status,
        )


async def store_competition(tx: Any, competition: str) -> None:
    await tx.execute(
        "INSERT INTO handfast_fixtures.competitions (id, name) VALUES ($1, $1) ON CONFLICT DO"
        " NOTHING",
        competition,
    )


async def store_teams(tx: Any, teams: Sequence[int]) -> None:
    await tx.executemany(
        "INSERT INTO handfast_fixtures.teams (id, name) OVERRIDING SYSTEM VALUE "
        "VALUES ($1::bigint, 'Team ' || ($1::bigint - 1)) ON CONFLICT DO NOTHING",
        [(team + 1,) for team in teams],
    )
