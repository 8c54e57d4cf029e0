"""One source into one part of a version: read, checked, copied; what is bad is set aside."""

from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from types import NoneType
from typing import Any

import msgspec

from handfast.apps.runs.corpus.intake.fields import BadValue
from handfast.apps.runs.corpus.intake.records import (
    Investors,
    Matches,
    Record,
    Startups,
    read_usual_pairs,
    reader_of,
)
from handfast.apps.runs.corpus.intake.rejects import Rejects
from handfast.apps.runs.corpus.intake.source import Block, Source
from handfast.apps.runs.corpus.versions.build import Build
from handfast.apps.runs.corpus.versions.parts import PART_SECONDS_MAX, CorpusPart
from handfast.apps.runs.errors import CorpusFileUnreadable
from handfast.db.errors import ConstraintViolated
from handfast.db.templates import template

Reader = Startups | Investors | Matches
Progress = Callable[[str, int, int], None]  # what, done, of how many (0: nobody knows)


class _InvestorDeals(msgspec.Struct, frozen=True):
    investor_id: str
    deals: int


class _Pair(msgspec.Struct, frozen=True):
    startup_id: str
    investor_id: str


_STARTUP_IDS = template(
    "runs.version_startup_ids",
    row=str,
    seconds=PART_SECONDS_MAX,
    example={"startups": CorpusPart.STARTUPS.parent},
)
_DEALS = template(
    "runs.version_deals",
    row=_InvestorDeals,
    seconds=PART_SECONDS_MAX,
    example={"investors": CorpusPart.INVESTORS.parent},
)
_TWICE = template(
    "runs.pairs_twice",
    row=_Pair,
    seconds=PART_SECONDS_MAX,
    example={"matches": CorpusPart.MATCHES.parent},
)
_REMOVE = template(
    "runs.remove_pairs",
    row=NoneType,
    seconds=PART_SECONDS_MAX,
    example={"matches": CorpusPart.MATCHES.parent},
)


class IntakeReport(msgspec.Struct, frozen=True, rename="camel"):
    """What came of one source."""

    part: str
    source: str
    rows: int
    kept: int
    bad: int
    rejects: str | None


@dataclass
class Intake:
    build: Build
    part: CorpusPart
    source: Source
    rejects: Rejects
    progress: Progress
    rows: int = 0
    kept: int = 0

    async def run(self) -> IntakeReport:
        """Everything of the source, indexed. Raises if there is nothing, or too much is bad."""
        reader = reader_of(self.part, self.build.version, await self._known())
        async with aclosing(self.source.blocks()) as blocks:
            async for block in blocks:
                records = self._read(reader, block)
                await self.build.copy(self.part, records)
                self.kept += len(records)
                self.rejects.judge(self.rows, whole=False)
                self.progress(self.part.word, self.source.done, self.source.size)
        if not self.rows:
            raise CorpusFileUnreadable(
                f"{self.source.where} has a header and no rows.",
                hint="Leave it out to keep what there is.",
            )
        self.rejects.judge(self.rows, whole=True)
        return self.report()

    def report(self) -> IntakeReport:
        return IntakeReport(
            part=self.part.word,
            source=self.source.where,
            rows=self.rows,
            kept=self.kept,
            bad=self.rejects.bad,
            rejects=str(self.rejects.path) if self.rejects.bad else None,
        )

    async def index(self) -> None:
        """Keys and indexes; pairs that are there twice are found by the key's refusal."""
        try:
            await self.build.index(self.part)
        except ConstraintViolated:
            await self._only_once()
            await self.build.index(self.part)

    def _read(self, reader: Reader, block: Block) -> list[Record]:
        self.rows += len(block.rows) + len(block.broken)
        for line, reason in block.broken:
            self.rejects.add(line, f"the row cannot be read: {reason}")
        if isinstance(reader, Matches) and block.rows:
            records = read_usual_pairs(reader, self.source.header, block.rows)
            if records is not None:
                return records
        records = []
        for line, row in zip(block.lines, block.rows, strict=True):
            try:
                records.append(self._read_one(reader, row, line))
            except BadValue as bad:
                self.rejects.add(line, str(bad), row)
        return records

    def _read_one(self, reader: Reader, row: Sequence[Any], line: int) -> Record:
        header = self.source.header
        if len(row) != len(header):
            raise BadValue(f"it has {len(row)} columns and the header {len(header)}")
        return reader.read(dict(zip(header, row, strict=True)), line)

    async def _known(self) -> tuple[frozenset[str], dict[str, int]]:
        """The startups that a pair may name, and the investors with their deals."""
        if self.part is not CorpusPart.MATCHES:
            return frozenset(), {}
        async with self.build.database.connection() as connection:
            startups = await _STARTUP_IDS.on(startups=self.build.table(CorpusPart.STARTUPS)).all(
                connection
            )
            investors = await _DEALS.on(investors=self.build.table(CorpusPart.INVESTORS)).all(
                connection
            )
        return frozenset(startups), {row.investor_id: row.deals for row in investors}

    async def _only_once(self) -> None:
        """Of pairs that are there more than once the first of the file stays.

        Nobody remembers millions of pairs while reading; which they are, the database says, and a
        second reading says in which lines.
        """
        table, most = self.build.table(self.part), self.rejects.most.allowed(self.rows)
        async with self.build.database.connection() as connection:
            found = await _TWICE.on(matches=table).all(connection, most + 1)
        twice = {(pair.startup_id, pair.investor_id) for pair in found}
        reader = reader_of(self.part, self.build.version, await self._known())
        first = await self._set_aside(reader, twice)
        self.rejects.judge(self.rows, whole=True)
        async with self.build.database.transaction() as tx:
            await _REMOVE.on(matches=table).run(
                tx, [startup for startup, _ in twice], [investor for _, investor in twice]
            )
        await self.build.copy(self.part, first)

    async def _set_aside(self, reader: Reader, twice: set[tuple[str, str]]) -> list[Record]:
        lines: dict[tuple[str, str], int] = {}
        first: list[Record] = []
        async for block in self.source.blocks():
            for line, row in zip(block.lines, block.rows, strict=True):
                try:
                    record = self._read_one(reader, row, line)
                except BadValue:
                    continue  # set aside the first time
                pair = (record[-2], record[-1])
                if pair not in twice:
                    continue
                if pair in lines:
                    self.kept -= 1
                    self.rejects.add(line, f"the same pair is in line {lines[pair]} already", row)
                else:
                    lines[pair] = line
                    first.append(record)
        return first
