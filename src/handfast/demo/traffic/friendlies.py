"""Friendly matches that begin soon: their analysis and lineups are due at once, the predictions
half an hour before the kickoff."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from handfast.apps.fixtures.facade import Fixture
from handfast.demo.stage import Stage
from handfast.demo.traffic.pacing import CHANCE, about_every
from handfast.demo.weekend import COMPETITION, SEASON

APART_SECONDS = 120.0
BEGINS = (31, 34, 58, 63, 120)  # minutes from now

_TEAMS = """
SELECT array_agg(DISTINCT home) FROM handfast.fixtures WHERE competition_id = $1"""


async def arrange(stage: Stage) -> None:
    fixtures = await stage.hf.fixtures()
    teams = await stage.ask(_TEAMS, COMPETITION) or []
    async for _ in about_every(APART_SECONDS):
        if len(teams) < 2:  # the weekend could not be shown
            return
        home, away = CHANCE.sample(sorted(teams), 2)
        begins = datetime.now(UTC) + timedelta(minutes=CHANCE.choice(BEGINS))
        match = Fixture(
            external_id=f"{COMPETITION}:friendly:{uuid4()}",
            home=home,
            away=away,
            kickoff=begins,
            season=SEASON,
            round="friendly",
        )
        async with stage.hf.transaction() as tx:
            await fixtures.put(tx, COMPETITION, [match])
