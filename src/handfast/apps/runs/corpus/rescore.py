"""Scoring all pairs of a version that has its startups and investors: a block of startups is
scored while the one before is being copied."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from itertools import repeat
from types import NoneType
from typing import Any

import msgspec
import numpy as np

from handfast.apps.runs.corpus.build import Build
from handfast.apps.runs.corpus.intake import Progress
from handfast.apps.runs.corpus.parts import Part
from handfast.apps.runs.corpus.profiles import Investor, Startup
from handfast.apps.runs.corpus.ranking import Ranking
from handfast.apps.runs.corpus.weights import DEFAULT_WEIGHTS, SIGNALS, Weights
from handfast.db.statements import statement

KEEP = 200  # investors of each startup: what a run shows
READ_ROWS = 2000

_INVESTORS = "SELECT investor_id, sectors, stages, countries, cheque_min, cheque_max, thesis, deals"
_STARTUPS = "SELECT startup_id, sectors, stage, country, raising, pitch"
_COUNT = "SELECT count(*)"

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
        found = await connection.fetch(f"{_INVESTORS} FROM {build.table(Part.INVESTORS)}")
        total = await connection.fetchval(f"{_COUNT} FROM {build.table(Part.STARTUPS)}")
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
            copying = asyncio.create_task(build.copy(Part.MATCHES, pairs))
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


async def _startups(build: Build) -> AsyncIterator[list[Any]]:
    """In the order of ids, some thousand at a time; no transaction stays open between."""
    after = ""
    while True:
        async with build.database.connection() as connection:
            rows = await connection.fetch(
                f"{_STARTUPS} FROM {build.table(Part.STARTUPS)}"
                " WHERE startup_id > $1 ORDER BY startup_id LIMIT $2",
                after,
                READ_ROWS,
            )
        if not rows:
            return
        yield rows
        after = rows[-1]["startup_id"]


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
