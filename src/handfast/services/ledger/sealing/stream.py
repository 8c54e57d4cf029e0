"""The bytes that are hashed: rows as PostgreSQL sends them in its binary form of COPY, without the
head and the tail of the stream. A row is the number of its fields (two bytes), and for each field
its length (four bytes; all ones for null) and its value; numbers have the most significant byte
first, instants are microseconds since 2000, the rest is text in UTF-8.

    accounts  epoch, transaction, id, kind, owner, currency, opened
    entries   epoch, transaction, transfer, instant, kind, reference, line, account, amount,
              balance, kind of the entry, queue id, session id
"""

import hashlib
from collections.abc import Callable
from types import NoneType

import msgspec

from handfast.db.statements import BULK_SECONDS_MAX, Statement, statement
from handfast.db.transaction import Transaction

HEAD_BYTES = 19  # signature, flags, length of the extension
TAIL_BYTES = 2

# Only ever copied: nobody reads their rows.
ACCOUNTS = statement("ledger.sealed_accounts", row=NoneType)
ENTRIES = statement("ledger.sealed_entries", row=NoneType)


class SealRange(msgspec.Struct, frozen=True):
    """Transactions of one epoch, from ``since`` until before ``until``."""

    epoch: int
    since: int
    until: int


class CopyBody:
    """Takes the chunks of a COPY and hands on what is between its head and its tail."""

    def __init__(self, sink: Callable[[bytes], None]) -> None:
        self._sink = sink
        self._skip = HEAD_BYTES
        self._held = b""

    async def write(self, chunk: bytes) -> None:
        rows = self._held + chunk[self._skip :]
        self._skip = max(0, self._skip - len(chunk))
        self._sink(rows[:-TAIL_BYTES])
        self._held = rows[-TAIL_BYTES:]


async def copy_rows(
    tx: Transaction, part: Statement[None], covered: SealRange, sink: Callable[[bytes], None]
) -> int:
    """Rows of one part, in their order. Answers how many there were."""
    done = await tx.connection.copy_from_query(
        part.sql,
        covered.epoch,
        covered.since,
        covered.until,
        output=CopyBody(sink).write,
        format="binary",
        timeout=BULK_SECONDS_MAX,
    )
    return int(done.rpartition(" ")[2])


async def hash_block(
    tx: Transaction, number: int, previous: bytes, covered: SealRange
) -> tuple[bytes, int]:
    """The hash of what a seal covers, and how many entries that is."""
    digest = hashlib.sha256(previous + number.to_bytes(8, "big"))
    await copy_rows(tx, ACCOUNTS, covered, digest.update)
    entries = await copy_rows(tx, ENTRIES, covered, digest.update)
    return digest.digest(), entries
