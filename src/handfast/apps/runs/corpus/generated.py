"""A generated corpus: into files, or straight into a version."""

import csv
from collections.abc import AsyncGenerator, Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from handfast.apps.runs.corpus import generator
from handfast.apps.runs.corpus.intake.columns import FILES
from handfast.apps.runs.corpus.intake.intake import Intake, Progress
from handfast.apps.runs.corpus.intake.load import LoadReport, no_progress
from handfast.apps.runs.corpus.intake.parquet_source import arrow
from handfast.apps.runs.corpus.intake.rejects import Rejects
from handfast.apps.runs.corpus.intake.source import BLOCK_ROWS, Block
from handfast.apps.runs.corpus.scores.profiles import Investor, InvestorRow, Startup, StartupRow
from handfast.apps.runs.corpus.scores.ranking import Ranking
from handfast.apps.runs.corpus.scores.rescore import KEEP, READ_ROWS, pairs_of, score_pairs
from handfast.apps.runs.corpus.scores.weights import DEFAULT_WEIGHTS, SIGNALS, Weights
from handfast.apps.runs.corpus.versions.build import Build, building
from handfast.apps.runs.corpus.versions.parts import CorpusPart
from handfast.db.connect import Target

Rows = Callable[[], Iterator[dict[str, Any]]]


class GeneratedSource:
    """As a file would be, without one."""

    def __init__(self, part: CorpusPart, rows: Rows, count: int) -> None:
        self.where = f"generated {part.word}"
        self.header = list(FILES[part].known)
        self.size, self.done = count, 0
        self._rows = rows

    async def blocks(self, rows: int = BLOCK_ROWS) -> AsyncGenerator[Block, None]:
        made = self._rows()
        self.done = 0
        while block := [[row[name] for name in self.header] for row in islice(made, rows)]:
            lines = list(range(self.done + 1, self.done + len(block) + 1))
            self.done += len(block)
            yield Block(lines, block, [])


async def generate_version(
    direct: Target,
    *,
    startups: int,
    investors: int,
    seed: int = 1,
    keep: int = KEEP,
    weights: Weights = DEFAULT_WEIGHTS,
    progress: Progress = no_progress,
) -> LoadReport:
    """A version with generated startups and investors, and the pairs that scoring makes of them."""
    async with building(direct, f"generated, seed {seed}") as build:
        taken = [
            await _take(
                build, CorpusPart.STARTUPS, lambda: generator.startups(startups, seed), startups
            ),
            await _take(
                build, CorpusPart.INVESTORS, lambda: generator.investors(investors, seed), investors
            ),
        ]
        scored = await score_pairs(build, keep=keep, weights=weights, progress=progress)
        progress("finishing", 0, 0)
        await build.index(CorpusPart.MATCHES)
        await build.finish()
        return LoadReport(build.version, taken, {}, scored)


async def _take(build: Build, part: CorpusPart, rows: Rows, count: int) -> Any:
    source = GeneratedSource(part, rows, count)
    with Rejects(source.where, source.header, Path(f"{source.where}.rejects.csv")) as rejects:
        intake = Intake(build, part, source, rejects, no_progress)
        await intake.run()
        await intake.index()
        return intake.report()


def generate_files(
    folder: Path,
    *,
    startups: int,
    investors: int,
    seed: int = 1,
    keep: int = KEEP,
    weights: Weights = DEFAULT_WEIGHTS,
    parquet: bool = False,
    progress: Progress = no_progress,
) -> dict[str, int]:
    """Three files in ``folder``; answers how many rows each has."""
    folder.mkdir(parents=True, exist_ok=True)
    write = _write_parquet if parquet else _write_csv
    ending = "parquet" if parquet else "csv"
    made: dict[CorpusPart, Rows] = {
        CorpusPart.STARTUPS: lambda: generator.startups(startups, seed),
        CorpusPart.INVESTORS: lambda: generator.investors(investors, seed),
        CorpusPart.MATCHES: lambda: _matches(
            startups, seed, _ranking(investors, seed, keep, weights), progress
        ),
    }
    return {
        f"{part.word}.{ending}": write(folder / f"{part.word}.{ending}", part, rows())
        for part, rows in made.items()
    }


def _ranking(investors: int, seed: int, keep: int, weights: Weights) -> Ranking:
    rows = (msgspec.convert(row, InvestorRow) for row in generator.investors(investors, seed))
    return Ranking([Investor.of(row) for row in rows], keep=keep, weights=weights)


def _matches(
    startups: int, seed: int, ranking: Ranking, progress: Progress
) -> Iterator[dict[str, Any]]:
    rows = (msgspec.convert(row, StartupRow) for row in generator.startups(startups, seed))
    done = 0
    while block := [Startup.of(row) for row in islice(rows, READ_ROWS)]:
        for _, score, *signals, _, startup, investor in pairs_of(ranking, block, 0):
            yield {
                "startup_id": startup,
                "investor_id": investor,
                "score": score,
                **dict(zip(SIGNALS, signals, strict=True)),
            }
        done += len(block)
        progress("scoring", done, startups)


def _write_csv(path: Path, part: CorpusPart, rows: Iterator[dict[str, Any]]) -> int:
    header, count = FILES[part].known, 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        for row in rows:
            writer.writerow([_cell(row[name]) for name in header])
            count += 1
    return count


def _cell(value: Any) -> Any:
    return ";".join(value) if isinstance(value, list) else value


_LISTS = frozenset({"sectors", "stages", "countries"})
_NUMBERS = frozenset({"raising", "cheque_min", "cheque_max", "deals"})


def _schema(part: CorpusPart) -> Any:
    pa, _ = arrow()

    def kind(name: str) -> Any:
        if name in _LISTS:
            return pa.list_(pa.string())
        number = name in _NUMBERS or (part is CorpusPart.MATCHES and not name.endswith("_id"))
        return pa.int64() if number else pa.string()

    return pa.schema([(name, kind(name)) for name in FILES[part].known])


def _write_parquet(path: Path, part: CorpusPart, rows: Iterator[dict[str, Any]]) -> int:
    pa, parquet = arrow()
    schema = _schema(part)
    count = 0
    with parquet.ParquetWriter(path, schema) as writer:
        while block := list(islice(rows, READ_ROWS * 20)):
            writer.write_table(pa.Table.from_pylist(block, schema=schema))
            count += len(block)
    return count
