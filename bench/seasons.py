"""Seasons to measure on: a folder of football.json files or CSV, or the npm package football.json.

They are read as an ingest would read them. Only matches that were played to the end count. Of one
that has a day and no time nothing of that day is known, and its result from noon of the next day
on, when its day is over everywhere: as the product has it. Names are taken as they are written; a
club that is written in two ways is two clubs.

Scores that are not plausible are left out: in the package, the first two rounds of de.2 in 2013-14
have times of day for scores, such as 18-30.
"""

import asyncio
import subprocess
import tarfile
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import msgspec

from handfast.apps.fixtures.formats.raw_match import StoredFacts
from handfast.apps.fixtures.ingest.sources import read_sources
from handfast.apps.fixtures.rules.results import Match, Result
from handfast.apps.fixtures.values import FixtureRow, Status

PACKAGE = "football.json"
LASTS = timedelta(hours=2)
DAY_IS_OVER = timedelta(hours=36)


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


def files(folder: Path) -> list[Path]:
    """All of football.json, which is also what folders of them are called."""
    return sorted(path for path in folder.rglob("*.json") if path.is_file())


def as_to_come(folder: Path, into: Path) -> Path:
    """The same seasons before anything was played: nobody knows a score or a status."""
    for path in files(folder):
        document = msgspec.json.decode(path.read_bytes())
        for match in document.get("matches", []):
            for said in ("score", "score1", "score2", "status"):
                match.pop(said, None)
        copy = into / path.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(msgspec.json.encode(document))
    return into


def read(folder: Path) -> list[tuple[Match, Result]]:
    """In the order in which they were played."""
    teams: dict[str, int] = {}
    found: list[tuple[Match, Result]] = []
    for row in asyncio.run(_rows(folder)):
        when = _when(row)
        if when is None or row.home_goals is None or row.away_goals is None:
            continue
        number, (begins, known_at) = len(found), when
        home, away = (teams.setdefault(name, len(teams)) for name in (row.home, row.away))
        goals = row.home_goals, row.away_goals
        match = Match(number, row.competition, begins, home, away, row.home, row.away)
        result = Result(number, row.competition, begins, known_at, home, away, *goals)
        if result.is_plausible:
            found.append((match, result))
    return sorted(found, key=lambda pair: (pair[0].kickoff, pair[0].fixture))


async def _rows(folder: Path) -> list[FixtureRow]:
    return [
        row
        async for reading in read_sources([str(folder)], StoredFacts(), _nothing_to_fetch)
        for row in reading.rows
        if row.status is Status.FINISHED
    ]


async def _nothing_to_fetch(url: str) -> bytes:
    raise NotImplementedError(f"{url} is an address; this reads folders")


def _when(row: FixtureRow) -> tuple[datetime, datetime] | None:
    """From when on nothing may be known, and when the result was."""
    if row.kickoff is not None:
        return row.kickoff, row.kickoff + LASTS
    if row.day is None:
        return None
    midnight = datetime.combine(row.day, time(), UTC)
    return midnight, midnight + DAY_IS_OVER
