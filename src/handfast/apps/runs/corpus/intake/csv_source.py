"""CSV: commas, quotes as in RFC 4180, UTF-8, a header; rows with the lines they end in."""

from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from handfast.apps.runs.corpus.intake.source import BLOCK_ROWS, Block
from handfast.apps.runs.errors import CorpusFileUnreadable
from handfast.base.csv_records import Record, csv_records

_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class CsvSource:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.where = str(path)
        self.size = path.stat().st_size
        self.done = 0
        with path.open("rb") as file:
            if file.read(2) in _UTF16:
                raise _not_utf8(path, "it begins as UTF-16 does")
        with closing(self._records()) as records:
            header = next(records, None)
        if header is None or not header[1]:
            raise CorpusFileUnreadable(
                f"{path} has no header that can be read.",
                hint="The first line of a CSV names its columns, with commas between.",
            )
        self.header = [name.strip() for name in header[1]]
        try:
            ",".join(self.header).encode()
        except UnicodeEncodeError:
            raise _not_utf8(path, "its header is not") from None

    async def blocks(self, rows: int = BLOCK_ROWS) -> AsyncGenerator[Block, None]:
        found: list[Sequence[Any]] = []
        block = Block([], found, [])
        with closing(self._records()) as records:
            next(records)
            for line, row, reason in records:
                if row is None:
                    block.broken.append((line, reason))
                elif row:  # an empty line is no row
                    block.lines.append(line)
                    found.append(row)
                if len(block.lines) + len(block.broken) >= rows:
                    yield block
                    found = []
                    block = Block([], found, [])
        self.done = self.size
        yield block

    def _records(self) -> Generator[Record, None, None]:
        with self.path.open("rb") as raw, closing(csv_records(raw)) as records:
            for record in records:
                self.done = raw.tell()
                yield record


def _not_utf8(path: Path, why: str) -> CorpusFileUnreadable:
    return CorpusFileUnreadable(
        f"{path} is not UTF-8: {why}.",
        hint=f"Write it again as UTF-8, for example: iconv -f UTF-16 -t UTF-8 {path.name}",
    )
