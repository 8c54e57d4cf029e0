"""Small corpora, as files and as versions."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from handfast.apps.runs.corpus.generated import generate_version
from handfast.apps.runs.corpus.versions.parts import CorpusPart
from handfast.apps.runs.corpus.versions.publish import publish
from handfast.db.connect import Target
from handfast.db.pool import Database

STARTUPS = [
    {"startup_id": "s1", "name": "Acme", "url": "https://www.acme.com/", "sectors": "fintech"},
    {"startup_id": "s2", "name": "Birch", "url": "birch.io", "sectors": "ai;saas"},
    {"startup_id": "s3", "name": "Cedar", "url": "http://cedar.co.uk", "sectors": ""},
]
INVESTORS = [
    {
        "investor_id": "i1",
        "name": "One",
        "sectors": "fintech",
        "cheque_min": "1",
        "cheque_max": "9",
    },
    {"investor_id": "i2", "name": "Two", "sectors": "ai", "cheque_min": "", "cheque_max": ""},
]
MATCHES = [
    {"startup_id": s["startup_id"], "investor_id": i["investor_id"], "score": str(score)}
    for (s, i), score in zip(
        [(s, i) for s in STARTUPS for i in INVESTORS], (900, 100, 200, 800, 500, 400), strict=True
    )
]


def write(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    listed = list(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(listed[0]))
        writer.writeheader()
        writer.writerows(listed)
    return path


def three_files(folder: Path) -> dict[CorpusPart, Path]:
    """Three startups, two investors, all six pairs."""
    return {
        CorpusPart.STARTUPS: write(folder / "startups.csv", STARTUPS),
        CorpusPart.INVESTORS: write(folder / "investors.csv", INVESTORS),
        CorpusPart.MATCHES: write(folder / "matches.csv", MATCHES),
    }


async def generated(
    database: Database, *, startups: int = 30, investors: int = 20, seed: int = 1, keep: int = 10
) -> int:
    """A generated version that readers have."""
    built = await generate_version(
        database.target, startups=startups, investors=investors, seed=seed, keep=keep
    )
    await publish(database, built.version, force=True)
    return built.version


async def pairs(database: Database, version: int) -> list[tuple[str, str, int]]:
    """All pairs of a version as readers see them."""
    async with database.connection() as connection:
        found = await connection.fetch(
            "SELECT startup_id, investor_id, score FROM handfast_runs.startup_investor_matches"
            " WHERE version = $1 ORDER BY startup_id, score DESC, investor_id",
            version,
        )
    return [tuple(row) for row in found]


async def ids(database: Database, part: CorpusPart, version: int) -> list[str]:
    column = "startup_id" if part is CorpusPart.STARTUPS else "investor_id"
    async with database.connection() as connection:
        found = await connection.fetch(
            f"SELECT {column} FROM handfast_runs.{part.value} WHERE version = $1 ORDER BY 1",
            version,
        )
    return [row[0] for row in found]


async def tables(database: Database) -> list[str]:
    """The tables of versions that exist, whoever knows of them."""
    async with database.connection() as connection:
        found = await connection.fetch(
            "SELECT relname::text FROM pg_class WHERE relnamespace = 'handfast_runs'::regnamespace"
            " AND relkind = 'r' AND relname ~ '_v[0-9]+$' ORDER BY 1"
        )
    return [row[0] for row in found]


def rejected(path: Path) -> Sequence[tuple[int, str]]:
    """The lines that were set aside, and why."""
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        return [(int(row["line"]), row["reason"]) for row in csv.DictReader(file)]


def target(dsn: str) -> Target:
    return Target(dsn)
