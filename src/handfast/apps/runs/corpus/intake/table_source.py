"""The user's own tables: read, and nothing else.

They are read in one read-only transaction of one snapshot, so that the three fit each other. It
holds ACCESS SHARE, as any SELECT does; nothing there is altered, indexed or written.
"""

from collections.abc import AsyncGenerator

import msgspec

from handfast.apps.runs.corpus.intake.columns import FILES
from handfast.apps.runs.corpus.intake.source import BLOCK_ROWS, Block
from handfast.apps.runs.corpus.versions.parts import CorpusPart
from handfast.apps.runs.errors import CorpusFileUnreadable
from handfast.db.statements import statement
from handfast.db.transaction import Transaction


class _UserTable(msgspec.Struct, frozen=True):
    header: list[str]
    query: str


_USER_TABLE = statement("runs.user_table", row=_UserTable)


class TableSource:
    """A table or view of the user's, in a transaction that the caller holds open."""

    def __init__(self, tx: Transaction, where: str, table: _UserTable) -> None:
        self._tx = tx
        self._query = table.query
        self.where = where
        self.header = table.header
        self.size = self.done = 0

    async def blocks(self, rows: int = BLOCK_ROWS) -> AsyncGenerator[Block, None]:
        first = 1
        cursor = await self._tx.connection.cursor(self._query)
        while found := await cursor.fetch(rows):
            yield Block(list(range(first, first + len(found))), [tuple(row) for row in found], [])
            first += len(found)


async def table_source(tx: Transaction, schema: str, part: CorpusPart) -> TableSource | None:
    """None when the schema has no such table: it may leave some out.

    Only the columns that we know are asked for: a table of the user's has others.
    """
    found = await _USER_TABLE.maybe(tx, schema, part.value, FILES[part].known)
    return None if found is None else TableSource(tx, f"{schema}.{part.value}", found)


def no_schema() -> CorpusFileUnreadable:
    return CorpusFileUnreadable(
        "No schema with tables of your own is named.",
        hint="Name it in HANDFAST_CORPUS_SCHEMA, for example HANDFAST_CORPUS_SCHEMA=crm.",
    )
