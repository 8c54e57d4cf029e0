"""Rows in blocks, from wherever they come, so that no file needs to fit into memory."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from handfast.apps.runs.errors import CorpusFileUnreadable

BLOCK_ROWS = 20_000

PARQUET_MAGIC = b"PAR1"


@dataclass(frozen=True)
class Block:
    """Some rows, and where each is: a line of a CSV, else the number of the row from 1.

    Rows whose parts could not even be told apart are in ``broken``.
    """

    lines: list[int]
    rows: Sequence[Sequence[Any]]
    broken: list[tuple[int, str]]  # line and reason


class Source(Protocol):
    where: str  # for messages
    header: list[str]
    size: int  # in the unit of ``done``; 0 when nobody knows
    done: int

    def blocks(self, rows: int = BLOCK_ROWS) -> AsyncGenerator[Block, None]: ...


def file_source(path: Path) -> Source:
    """A file by what is in it: Parquet says so in its first bytes, everything else is CSV."""
    from handfast.apps.runs.corpus.intake.csv_source import CsvSource  # noqa: PLC0415
    from handfast.apps.runs.corpus.intake.parquet_source import ParquetSource  # noqa: PLC0415

    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise CorpusFileUnreadable(
            f"{path}: {error.strerror or error}.", hint="Check the name and the permissions."
        ) from error
    if not magic:
        raise CorpusFileUnreadable(
            f"{path} is empty.", hint="A CSV needs a header line with the names of its columns."
        )
    named_parquet = path.suffix.lower() in (".parquet", ".pq")
    return ParquetSource(path) if magic == PARQUET_MAGIC or named_parquet else CsvSource(path)
