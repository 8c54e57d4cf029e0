"""A scene with a match weekend that is about to begin: real teams and results, dated to now.

The results are those of the Premier League in 2014/15 up to the 26th round, from football.json,
which is in the public domain; its 27th round is the weekend. Between two starts of the demo it
stays where it is for as long as it makes sense, and is dated to now again after that.
"""

import asyncio
import csv
from datetime import UTC, datetime, timedelta
from importlib import resources
from typing import Any

from handfast.apps.fixtures.answers import FixtureDetail, StepView
from handfast.apps.fixtures.facade import Fixture, Fixtures
from handfast.demo.stage import PATIENCE_SECONDS, ShownFact, Stage

COMPETITION = "demo.premier-league"
NAME = "Premier League, dated to now"
SEASON = "2014-15"
ROUND = 27
# Under way; all steps late; predictions to come; only the analysis due; tomorrow.
BEGINS = (-20, 25, 50, 180, 180, 300, 1440, 1440, 1560, 1680)  # minutes from now
STALE = timedelta(hours=2)  # after its kickoff the first match is over, and so is the scene

_WEEKEND = """
SELECT f.id, f.kickoff FROM handfast.fixtures AS f
WHERE f.competition_id = $1 AND f.round = $2 ORDER BY f.kickoff, f.id"""
_FIRST = f"SELECT min(w.kickoff) FROM ({_WEEKEND}) AS w"  # noqa: S608


async def weekend(stage: Stage) -> ShownFact:
    now = datetime.now(UTC)
    fixtures = await stage.hf.fixtures()
    first = await stage.ask(_FIRST, COMPETITION, str(ROUND))
    if first is None or first < now - STALE:
        await _bring(stage, fixtures, now, results=first is None)
    matches = await _settled(stage, fixtures)
    steps = [step for match in matches for step in match.steps]
    done = [step for step in steps if step.state == "succeeded" and step.current]
    waiting = [step for step in steps if step.state in ("scheduled", "blocked")]
    begun = matches[0]
    said = begun.results["predictions"]["summary"].partition(";")[0]
    return ShownFact(
        "No kickoff comes without its work",
        f"{len(matches)} matches, {len(done)} steps that were due are done, {len(waiting)} wait "
        f"for their time; under way: {said}",
        len(matches) == len(BEGINS) and len(done) + len(waiting) == len(steps) > len(done) > 0,
        hint=f"Look at the weekend: handfast fixtures list{stage.where}\n"
        f"  At one match, with every decision: handfast fixtures show {begun.fixture.id}"
        f"{stage.where}",
    )


async def _bring(stage: Stage, fixtures: Fixtures, now: datetime, *, results: bool) -> None:
    played, to_come = _season(now)
    async with stage.hf.transaction() as tx:
        if results:
            await fixtures.put(tx, COMPETITION, played, pipeline="football", name=NAME)
        await fixtures.put(tx, COMPETITION, to_come)


def _season(now: datetime) -> tuple[list[Fixture], list[Fixture]]:
    """All rounds, a week apart as they were, the last one now."""
    file = resources.files("handfast.demo").joinpath("premier_league.csv")
    rows = list(csv.DictReader(file.read_text().splitlines()))
    last = max(datetime.fromisoformat(row["date"]) for row in rows).replace(tzinfo=UTC)
    begins = iter(BEGINS)
    played, to_come = [], []
    for row in rows:
        named: dict[str, Any] = {
            "external_id": f"{COMPETITION}:{row['home']}:{row['away']}",
            "home": row["home"],
            "away": row["away"],
            "season": SEASON,
            "round": row["round"],
        }
        if int(row["round"]) < ROUND:
            before = last - datetime.fromisoformat(row["date"]).replace(tzinfo=UTC)
            played.append(
                Fixture(
                    **named,
                    kickoff=now - before,
                    status="finished",
                    home_goals=int(row["home_goals"]),
                    away_goals=int(row["away_goals"]),
                )
            )
        else:
            kickoff = now + timedelta(minutes=next(begins))
            to_come.append(Fixture(**named, kickoff=kickoff))
    return played, to_come


async def _settled(stage: Stage, fixtures: Fixtures) -> list[FixtureDetail]:
    """The weekend, when everything that is due has been done."""
    async with stage.database.connection() as connection:
        ids = await connection.fetch(_WEEKEND, COMPETITION, str(ROUND))
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            matches = [await fixtures.get(row["id"]) for row in ids]
            if not any(_outstanding(step) for match in matches for step in match.steps):
                return matches
            await asyncio.sleep(0.2)


def _outstanding(step: StepView) -> bool:
    if step.state in ("scheduled", "blocked"):
        return step.due_at is None or step.due_at <= datetime.now(UTC)
    return step.state in ("ready", "running")
