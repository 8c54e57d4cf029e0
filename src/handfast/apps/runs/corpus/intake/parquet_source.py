"""Parquet, a batch at a time. pyarrow comes with the extra ``parquet``."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from handfast.apps.runs.corpus.intake.source import BLOCK_ROWS, Block
from handfast.apps.runs.errors import CorpusFileUnreadable
from handfast.base.extras import extra


def arrow() -> tuple[Any, Any]:
    """``pyarrow`` and ``pyarrow.parquet``, or how to get them."""
    with extra("parquet"):
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.parquet as pq  # noqa: PLC0415
    return pa, pq


class ParquetSource:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.where = str(path)
        self.done = 0
        _, parquet = arrow()
        try:
            self._file = parquet.ParquetFile(path)
        except (OSError, ValueError) as error:  # ArrowInvalid is a ValueError
            raise self._unreadable(error) from error
        self.header = [str(name) for name in self._file.schema_arrow.names]
        self.size = int(self._file.metadata.num_rows)

    async def blocks(self, rows: int = BLOCK_ROWS) -> AsyncGenerator[Block, None]:
        try:
            for batch in self._file.iter_batches(batch_size=rows):
                columns = [column.to_pylist() for column in batch.columns]
                first, self.done = self.done + 1, self.done + batch.num_rows
                yield Block(list(range(first, self.done + 1)), list(zip(*columns, strict=True)), [])
        except (OSError, ValueError, OverflowError) as error:  # a date that Python does not have
            raise self._unreadable(error) from error
        finally:
            self.done = 0

    def _unreadable(self, error: Exception) -> CorpusFileUnreadable:
        return CorpusFileUnreadable(
            f"{self.path} is no Parquet file that can be read: {str(error).splitlines()[0]}",
            hint="It may have been cut off. Write it again; nothing was switched.",
        )
