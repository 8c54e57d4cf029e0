"""Scoring all pairs of a version that has its startups and investors: a block of startups is
scored while the one before is being copied."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from itertools import repeat
from types import NoneType
from typing import Any

import msgspec

from handfast.apps.runs.corpus.intake.intake import Progress
from handfast.apps.runs.corpus.scores.profiles import Investor, InvestorRow, Startup, StartupRow
from handfast.apps.runs.corpus.scores.ranking import Ranking
from handfast.apps.runs.corpus.scores.weights import DEFAULT_WEIGHTS, SIGNALS, Weights
from handfast.apps.runs.corpus.versions.build import Build
from handfast.apps.runs.corpus.versions.parts import CorpusPart
from handfast.base.extras import extra
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.templates import template

with extra("runs"):
    import numpy as np

KEEP = 200  # investors of each startup: what a run shows
READ_ROWS = 2000

_INVESTORS = template(
    "runs.version_investors",
    row=InvestorRow,
    seconds=BULK_SECONDS_MAX,
    example={"investors": CorpusPart.INVESTORS.parent},
)
_STARTUPS = template(
    "runs.version_startups",
    row=StartupRow,
    seconds=BULK_SECONDS_MAX,
    example={"startups": CorpusPart.STARTUPS.parent},
)
_COUNT_STARTUPS = template(
    "runs.count_version_startups",
    row=int,
    seconds=BULK_SECONDS_MAX,
    example={"startups": CorpusPart.STARTUPS.parent},
)
_NOTE_WEIGHTS = statement("runs.note_weights", row=NoneType)

Pair = tuple[Any, ...]


async def score_pairs(
    build: Build,
    *,
    keep: int,
    progress: Progress,
    least: int = 0,
    weights: Weights = DEFAULT_WEIGHTS,
) -> int:
    """Fill the version's pairs; answers how many there are. The weights are kept with it."""
    async with build.database.connection() as connection:
        await _NOTE_WEIGHTS.run(connection, build.version, msgspec.json.encode(weights).decode())
        found = await _INVESTORS.on(investors=build.table(CorpusPart.INVESTORS)).all(connection)
        total = await _COUNT_STARTUPS.on(startups=build.table(CorpusPart.STARTUPS)).one(connection)
    ranking = await asyncio.to_thread(
        lambda: Ranking(
            [Investor.of(row) for row in found], keep=keep, least=least, weights=weights
        )
    )
    made = done = 0
    copying: asyncio.Task[None] | None = None
    try:
        async for rows in _startups(build):
            startups = [Startup.of(row) for row in rows]
            pairs = await asyncio.to_thread(pairs_of, ranking, startups, build.version)
            if copying is not None:
                await copying
            copying = asyncio.create_task(build.copy(CorpusPart.MATCHES, pairs))
            made += len(pairs)
            done += len(rows)
            progress("scoring", done, total)
        if copying is not None:
            await copying
    except BaseException:
        if copying is not None:
            copying.cancel()
            await asyncio.gather(copying, return_exceptions=True)
        raise
    return made


async def _startups(build: Build) -> AsyncIterator[list[StartupRow]]:
    """In the order of ids, some thousand at a time; no transaction stays open between."""
    startups, after = _STARTUPS.on(startups=build.table(CorpusPart.STARTUPS)), ""
    while True:
        async with build.database.connection() as connection:
            rows = await startups.all(connection, after, READ_ROWS)
        if not rows:
            return
        yield rows
        after = rows[-1].startup_id


def pairs_of(ranking: Ranking, startups: Sequence[Startup], version: int) -> list[Pair]:
    """The best pairs of some startups as records, in the order in which they are read."""
    pairs: list[Pair] = []
    step = ranking.rows_at_once()
    for first in range(0, len(startups), step):
        block = startups[first : first + step]
        best = ranking.best(block)
        chosen = best.scores >= ranking.least
        ids = np.array([startup.id for startup in block], object)
        columns = (
            best.scores[chosen].tolist(),
            *(best.signals[name][chosen].tolist() for name in SIGNALS),
            ranking.deals[best.investors[chosen]].tolist(),
            np.repeat(ids, chosen.sum(axis=1)).tolist(),
            ranking.ids[best.investors[chosen]].tolist(),
        )
        pairs += zip(repeat(version), *columns, strict=False)  # the version has no end
    return pairs
