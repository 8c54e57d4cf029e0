"""How much of each table a transaction has read: a count that depends on no machine."""

from typing import NamedTuple

from handfast.db.transaction import Queryable

READ = """
SELECT relname, seq_scan, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) AS rows
FROM pg_stat_xact_user_tables WHERE schemaname = ANY ($1)"""


class Read(NamedTuple):
    scans: int
    rows: int


async def rows_read(tx: Queryable, *schemas: str) -> dict[str, Read]:
    """By table; of this connection, some of what it did before included: compare two of them."""
    found = await tx.fetch(READ, list(schemas))
    return {row["relname"]: Read(row["seq_scan"], row["rows"]) for row in found}
