"""Making the next seal. Nothing of it is on the way of a transfer."""

from collections.abc import Iterable
from datetime import datetime

import msgspec

from handfast.base.logs import get_logger
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.events import emit
from handfast.services.ledger.sealing.stream import SealRange, hash_block

TRANSFERS_MAX = 100_000  # of one seal: some ten megabytes, a second's work
XID_MAX = 2**63 - 1  # no server counts so far

log = get_logger(__name__)


class NextSeal(msgspec.Struct, frozen=True):
    number: int
    epoch: int
    since: int
    until: int
    previous: bytes


class Seal(msgspec.Struct, frozen=True):
    """A seal as it is stored. ``since`` and ``until`` are numbers of transactions."""

    number: int
    epoch: int
    since: int
    until: int
    entries: int
    previous: bytes
    hash: bytes
    sealed_at: datetime

    @property
    def covered(self) -> SealRange:
        return SealRange(self.epoch, self.since, self.until)

    @property
    def head(self) -> str:
        """As it goes out, and as a verifier takes it: ``number:hash``."""
        return f"{self.number}:{self.hash.hex()}"


_NEXT = statement("ledger.next_seal", row=NextSeal, seconds=BULK_SECONDS_MAX)
_ADD = statement("ledger.add_seal", row=datetime, seconds=BULK_SECONDS_MAX)
_SEALS = statement("ledger.seals", row=Seal)
_NEWEST = statement("ledger.newest_seals", row=Seal)
_UNSEALED = statement("ledger.unsealed_seconds", row=float)
_EPOCHS = statement("ledger.epochs", row=int)


async def seal_next(tx: Transaction, *, transfers: int = TRANSFERS_MAX) -> Seal | None:
    """The next seal, with its event; None when nothing is to be sealed."""
    found = await _NEXT.maybe(tx, transfers)
    if found is None:
        return None
    covered = SealRange(found.epoch, found.since, found.until)
    digest, entries = await hash_block(tx, found.number, found.previous, covered)
    written = (found.number, found.epoch, found.since, found.until, entries, found.previous, digest)
    made = Seal(*written, await _ADD.one(tx, *written))
    await emit(
        tx,
        "ledger.sealed",
        "ledger:seals",
        {
            "number": made.number,
            "hash": digest.hex(),
            "previous": made.previous.hex(),
            "entries": entries,
        },
    )
    return made


def log_seal(seal: Seal) -> None:
    """Once it is committed: the log is the other place where a head is kept."""
    log.info("ledger_sealed", number=seal.number, hash=seal.hash.hex(), entries=seal.entries)


async def list_seals(on: Queryable, *, after: int = 0, limit: int = 1000) -> list[Seal]:
    return await _SEALS.all(on, after, limit)


async def newest_seals(on: Queryable, before: int | None, limit: int) -> list[Seal]:
    return await _NEWEST.all(on, before, limit)


async def unsealed_ranges(on: Queryable, seals: Iterable[Seal]) -> list[SealRange]:
    """What none of these covers, epoch by epoch. Seals go on from the last one: what is of an epoch
    before it, and was not sealed then, never will be."""
    ends = {seal.epoch: seal.until for seal in seals}
    return [SealRange(epoch, ends.get(epoch, 0), XID_MAX) for epoch in await _EPOCHS.all(on)]


async def unsealed_seconds(on: Queryable) -> float:
    """How old the oldest transfer is that no seal covers: more than minutes mean that sealing does
    not run, or that somebody, in whichever database of the server, holds a transaction open."""
    return await _UNSEALED.one(on)
