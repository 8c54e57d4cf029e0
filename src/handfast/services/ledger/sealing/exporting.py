"""The ledger in a file: every sealed block as it was hashed, and at the end what is not sealed.

    HANDFAST LEDGER 1⏎
    for each block, one line of JSON with its number, epoch, since, until, previous, hash, and the
    lengths of its two parts in bytes; then the bytes of its accounts and of its entries

The last block has number 0 and no hash: what no seal covers, of the same moment. The form of the
rows is in ``stream``; ``tools/verify_ledger.py`` reads it.
"""

import json
from pathlib import Path
from typing import BinaryIO

import msgspec

from handfast.db.pool import Database
from handfast.db.transaction import Transaction
from handfast.services.ledger.errors import LedgerExportFailed
from handfast.services.ledger.sealing.seals import Seal, list_seals, unsealed_ranges
from handfast.services.ledger.sealing.stream import ACCOUNTS, ENTRIES, SealRange, copy_rows

MAGIC = b"HANDFAST LEDGER 1\n"


class ExportReport(msgspec.Struct, frozen=True, rename="camel"):
    file: str
    seals: int
    entries: int
    unsealed: int
    head: str | None


async def export_ledger(database: Database, file: Path) -> ExportReport:
    """Write all of it, of one moment. An existing file is not overwritten."""
    try:
        with file.open("xb") as out:
            out.write(MAGIC)
            async with database.transaction("repeatable_read") as tx:
                return await _write(tx, out, file)
    except OSError as error:
        raise LedgerExportFailed(
            f"{file} cannot be written: {error.strerror}.", hint="Name a file that is not there."
        ) from error


async def _write(tx: Transaction, out: BinaryIO, file: Path) -> ExportReport:
    last: Seal | None = None
    ends: dict[int, Seal] = {}  # the last of each epoch
    seals = entries = 0
    while page := await list_seals(tx, after=last.number if last else 0):
        for seal in page:
            entries += await _write_block(tx, out, _described(seal), [seal.covered])
            seals, last = seals + 1, seal
            ends[seal.epoch] = seal
    rest = await unsealed_ranges(tx, ends.values())
    unsealed = await _write_block(tx, out, {"number": 0}, rest)
    return ExportReport(str(file), seals, entries, unsealed, last.head if last else None)


def _described(seal: Seal) -> dict[str, object]:
    return {
        "number": seal.number,
        "epoch": seal.epoch,
        "since": seal.since,
        "until": seal.until,
        "previous": seal.previous.hex(),
        "hash": seal.hash.hex(),
    }


async def _write_block(
    tx: Transaction, out: BinaryIO, described: dict[str, object], ranges: list[SealRange]
) -> int:
    parts: list[bytes] = []
    counts = []
    for part in (ACCOUNTS, ENTRIES):
        chunks: list[bytes] = []
        counts += [await copy_rows(tx, part, covered, chunks.append) for covered in ranges]
        parts.append(b"".join(chunks))
    lengths = {"accounts": len(parts[0]), "entries": len(parts[1])}
    out.write(json.dumps({**described, **lengths}, sort_keys=True).encode() + b"\n")
    out.writelines(parts)
    return sum(counts[len(ranges) :])
