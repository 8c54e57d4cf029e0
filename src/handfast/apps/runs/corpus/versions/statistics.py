"""What the guardian looks at: read from a version, and from the one that is to be replaced."""

from dataclasses import dataclass, field

import msgspec

from handfast.apps.runs.corpus.versions.versions import CorpusVersion, get_version
from handfast.db.pool import Database
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Queryable

SAMPLE = 200  # startups whose top ten are compared: an average over them is off by a few hundredths
TOP = 10


@dataclass(frozen=True)
class CorpusStatistics:
    """One version in numbers."""

    startups: int
    investors: int
    matches: int
    uncovered: int = 0  # startups without any match
    scores: dict[int, int] = field(default_factory=dict)  # how many pairs have each score
    weights: str | None = None  # with which they were scored, as JSON; None: not by us

    @property
    def mean(self) -> float:
        return sum(score * count for score, count in self.scores.items()) / max(1, self.matches)

    def quantile(self, share: float) -> int:
        """The score below which this share of the pairs lies."""
        seen, wanted = 0, share * self.matches
        for score, count in sorted(self.scores.items()):
            seen += count
            if seen >= wanted:
                return score
        return 0

    @property
    def commonest(self) -> float:
        """The share of pairs that have the commonest score."""
        return max(self.scores.values(), default=0) / max(1, self.matches)


class _Histogram(msgspec.Struct, frozen=True):
    score: int
    pairs: int


class _Overlap(msgspec.Struct, frozen=True):
    startups: int
    shared: float | None


_SCORES = statement("runs.corpus_scores", row=_Histogram, seconds=BULK_SECONDS_MAX)
_UNCOVERED = statement("runs.corpus_uncovered", row=int, seconds=BULK_SECONDS_MAX)
_OVERLAP = statement("runs.corpus_overlap", row=_Overlap, seconds=BULK_SECONDS_MAX)


async def read_statistics(database: Database, version: int) -> CorpusStatistics:
    async with database.connection() as connection:
        found = await get_version(connection, version)
        histogram = await _SCORES.all(connection, version)
        uncovered = await _UNCOVERED.one(connection, version)
    return CorpusStatistics(
        startups=_known(found, "startups"),
        investors=_known(found, "investors"),
        matches=sum(row.pairs for row in histogram),
        uncovered=uncovered,
        scores={row.score: row.pairs for row in histogram},
        weights=found.weights,
    )


async def read_overlap(on: Queryable, version: int, other: int) -> float | None:
    """Of the top ten that a sample of startups has in ``other``, the share that they have in
    ``version`` too. None where no startup is in both."""
    found = await _OVERLAP.one(on, version, other, SAMPLE, TOP)
    return found.shared if found.startups else None


def _known(version: CorpusVersion, what: str) -> int:
    return int(getattr(version, what) or 0)
