"""Seasons to measure on: a folder of football.json files, or the npm package of that name.

Both forms of the files are read: matches in rounds with teams as objects, and the newer flat list.
Only matches that were played and say how they ended count. A file without times has only days: its
matches are taken to begin at 15:00, all of a day at once, so that none of them knows of another.
Names are taken as they are written; a club that is written in two ways is two clubs.

A score with more than ``GOALS_MAX`` goals for one side is taken for a mistake and left out: in the
package, the first two rounds of de.2 in 2013-14 have times of day for scores, such as 18-30.
"""

import json
import subprocess
import tarfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from handfast.apps.fixtures.rules.results import Match, Result

PACKAGE = "football.json"
NO_TIME = "15:00"
LASTS = timedelta(hours=2)
GOALS_MAX = 12
OUT_OF_PLAY = ("awarded", "cancelled", "postponed", "abandoned")


def fetch(into: Path) -> Path:
    """The package's seasons, by npm, from wherever this machine gets its packages."""
    named = subprocess.run(
        ["npm", "pack", "--silent", PACKAGE],  # noqa: S607  # wherever npm is
        cwd=into,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()[-1]
    with tarfile.open(into / named) as archive:
        archive.extractall(into, filter="data")
    return into / "package"


def read(folder: Path) -> list[tuple[Match, Result]]:
    """In the order in which they were played."""
    teams: dict[str, int] = {}
    found: list[tuple[Match, Result]] = []
    for file in sorted(folder.rglob("*.json")):
        if file.stem.count(".") != 1:  # en.1, and not en.1.clubs, nor package
            continue
        for kickoff, home, away, goals in _matches(json.loads(file.read_text(encoding="utf-8"))):
            number = len(found)
            one, other = (teams.setdefault(name, len(teams)) for name in (home, away))
            match = Match(number, file.stem, kickoff, one, other, home, away)
            result = Result(number, file.stem, kickoff, kickoff + LASTS, one, other, *goals)
            found.append((match, result))
    return sorted(found, key=lambda pair: (pair[0].kickoff, pair[0].fixture))


def _matches(said: dict[str, Any]) -> Iterator[tuple[datetime, str, str, tuple[int, int]]]:
    older = [match for turn in said.get("rounds", ()) for match in turn["matches"]]
    for match in older or said.get("matches", ()):
        score = match.get("score") or {}
        ended = score.get("ft") if isinstance(score, dict) else score
        home_goals, away_goals = ended or (match.get("score1"), match.get("score2"))
        if home_goals is None or away_goals is None or not match.get("date"):
            continue
        if max(home_goals, away_goals) > GOALS_MAX:
            continue
        if str(match.get("status", "")).lower() in OUT_OF_PLAY:
            continue
        clock = (match.get("time") or NO_TIME).split()[0]
        kickoff = datetime.fromisoformat(f"{match['date']}T{clock:0>5}").replace(tzinfo=UTC)
        yield kickoff, _name(match["team1"]), _name(match["team2"]), (home_goals, away_goals)


def _name(team: str | dict[str, Any]) -> str:
    return team if isinstance(team, str) else str(team["name"])
