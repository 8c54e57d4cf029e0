"""The user's own tables: read, and nothing else.

They are read in one read-only transaction of one snapshot, so that the three fit each other. It
holds ACCESS SHARE, as any SELECT does; nothing there is altered, indexed or written.
"""

from collections.abc import AsyncGenerator

import msgspec

from handfast.apps.runs.corpus.columns import FILES
from handfast.apps.runs.corpus.parts import Part
from handfast.apps.runs.corpus.sources import BLOCK_ROWS, Block
from handfast.base.errors import CorpusFileUnreadable
from handfast.db.statements import statement
from handfast.db.transaction import Transaction


class _Column(msgspec.Struct, frozen=True):
    name: str
    quoted: str
    is_text: bool


_COLUMNS = statement("runs.user_columns", row=_Column)


class TableSource:
    """A table or view of the user's, in a transaction that the caller holds open."""

    def __init__(self, tx: Transaction, schema: str, part: Part, columns: list[_Column]) -> None:
        self._tx = tx
        self.where = f"{schema}.{part.value}"
        self.header = [column.name for column in columns]
        self.size = self.done = 0
        self._select = "SELECT {} FROM {}.{}".format(  # noqa: S608  # quoted by the server
            ", ".join(c.quoted + ("::text" if c.is_text else "") for c in columns),
            '"' + schema.replace('"', '""') + '"',
            part.value,
        )

    async def blocks(self, rows: int = BLOCK_ROWS) -> AsyncGenerator[Block, None]:
        first = 1
        cursor = await self._tx.connection.cursor(self._select)
        while found := await cursor.fetch(rows):
            yield Block(list(range(first, first + len(found))), [tuple(row) for row in found], [])
            first += len(found)


async def table_source(tx: Transaction, schema: str, part: Part) -> TableSource | None:
    """None when the schema has no such table: it may leave some out.

    Only the columns that we know are asked for: a table of the user's has others.
    """
    found = await _COLUMNS.all(tx, schema, part.value)
    if not found:
        return None
    known = FILES[part].known
    return TableSource(tx, schema, part, [column for column in found if column.name in known])


def no_schema() -> CorpusFileUnreadable:
    return CorpusFileUnreadable(
        "No schema with tables of your own is named.",
        hint="Name it in HANDFAST_CORPUS_SCHEMA, for example HANDFAST_CORPUS_SCHEMA=crm.",
    )
