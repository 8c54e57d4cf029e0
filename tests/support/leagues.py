"""Leagues that were never played: seeded, so that a test that fails fails again."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from handfast.apps.fixtures.rules.results import Match, Result

BEGUN = datetime(2020, 8, 1, 15, tzinfo=UTC)
WEEK = timedelta(days=7)
LASTS = timedelta(hours=2)
HOME_GOALS, AWAY_GOALS = 1.5, 1.2


def league(
    teams: int = 8, seasons: int = 2, seed: int = 1, competition: str = "xx.1"
) -> list[Result]:
    """Each plays each other at home and away in every season, four matches a week. The first team
    is the strongest; ``strength`` says by how much."""
    chance = np.random.default_rng(seed)
    found: list[Result] = []
    for _ in range(seasons):
        pairs = [(h, a) for h in range(teams) for a in range(teams) if h != a]
        for home, away in chance.permutation(pairs).tolist():
            kickoff = BEGUN + WEEK * (len(found) // 4)
            of_home, of_away = expected(home, away, teams)
            found.append(
                Result(
                    fixture=len(found) + 1,
                    competition=competition,
                    kickoff=kickoff,
                    known_at=kickoff + LASTS,
                    home=home,
                    away=away,
                    home_goals=int(chance.poisson(of_home)),
                    away_goals=int(chance.poisson(of_away)),
                )
            )
    return found


def strength(team: int, teams: int) -> float:
    """From 1.4 for the first down to about 0.7 for the last."""
    return 1.4 * math.pow(0.5, team / (teams - 1))


def expected(home: int, away: int, teams: int) -> tuple[float, float]:
    ratio = strength(home, teams) / strength(away, teams)
    return HOME_GOALS * ratio, AWAY_GOALS / ratio


def match(home: int = 0, away: int = 1, *, kickoff: datetime, competition: str = "xx.1") -> Match:
    return Match(
        fixture=10_000,
        competition=competition,
        kickoff=kickoff,
        home=home,
        away=away,
        home_name=f"Team {home}",
        away_name=f"Team {away}",
    )


def end_of(results: Sequence[Result]) -> datetime:
    """When all of them are known."""
    return max(result.known_at for result in results) + timedelta(days=1)
