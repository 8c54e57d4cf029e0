"""All seals recomputed from the rows as they are now."""

from collections.abc import Callable, Mapping
from itertools import pairwise

import msgspec

from handfast.db.pool import Database
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.services.ledger.sealing.seals import Seal, list_seals, unsealed_ranges
from handfast.services.ledger.sealing.stream import hash_block

NOTHING = bytes(32)  # what the first seal has for a seal before it

_ROWS_SINCE = statement("ledger.rows_since", row=int, seconds=BULK_SECONDS_MAX)


class SealFault(msgspec.Struct, frozen=True, rename="camel"):
    seal: int
    problem: str


class VerifyReport(msgspec.Struct, frozen=True, rename="camel"):
    seals: int
    entries: int
    head: str | None
    faults: list[SealFault]

    @property
    def passed(self) -> bool:
        return not self.faults


async def verify_seals(
    database: Database,
    *,
    heads: Mapping[int, bytes] | None = None,
    progress: Callable[[float], None] = lambda _: None,
) -> VerifyReport:
    """``heads`` are hashes by number that were kept elsewhere: only they show that the whole chain
    was not made anew."""
    seals = await _all_seals(database)
    faults = chain_faults(seals) + head_faults(seals, heads or {})
    faults += await _faults_between(database, seals)
    entries = 0
    for done, seal in enumerate(seals, 1):
        # Each in a transaction of its own: what is sealed does not change, and nobody waits for us.
        async with database.transaction() as tx:
            digest, found = await hash_block(tx, seal.number, seal.previous, seal.covered)
        entries += found
        if digest != seal.hash:
            lost = seal.entries - found
            how = f"{lost} are missing" if lost > 0 else f"{-lost} are too many" if lost else ""
            faults.append(
                SealFault(
                    seal.number, f"the entries are not those that were sealed{how and ': '}{how}"
                )
            )
        progress(done / len(seals))
    return VerifyReport(len(seals), entries, seals[-1].head if seals else None, faults)


def chain_faults(seals: list[Seal]) -> list[SealFault]:
    """What is wrong with the chain itself: each seal follows the one before it, without a hole."""
    faults = []
    if seals and (seals[0].number, seals[0].previous, seals[0].since) != (1, NOTHING, 0):
        faults.append(SealFault(seals[0].number, "the first seal is not the beginning"))
    for before, seal in pairwise(seals):
        follows = seal.since == before.until and seal.epoch == before.epoch
        if seal.number != before.number + 1:
            faults.append(SealFault(seal.number, f"it comes after {before.number}"))
        if seal.previous != before.hash:
            faults.append(SealFault(seal.number, "the hash before is another one"))
        if not (follows or (seal.epoch > before.epoch and seal.since == 0)):
            faults.append(SealFault(seal.number, "it does not begin where the one before ends"))
    return faults


def head_faults(seals: list[Seal], heads: Mapping[int, bytes]) -> list[SealFault]:
    known = {seal.number: seal.hash for seal in seals}
    return [
        SealFault(number, "its hash is not the one that was kept elsewhere")
        for number, kept in sorted(heads.items())
        if known.get(number) != kept
    ]


async def _faults_between(database: Database, seals: list[Seal]) -> list[SealFault]:
    """Rows that are of no seal, and never will be: the last one is of a later epoch."""
    if not seals:
        return []
    faults = []
    async with database.connection() as connection:
        for left in await unsealed_ranges(connection, seals):
            if left.epoch < seals[-1].epoch and (
                rows := await _ROWS_SINCE.one(connection, left.epoch, left.since)
            ):
                after = next(seal for seal in seals if seal.epoch > left.epoch)
                faults.append(SealFault(after.number, f"{rows} rows before it are in no seal"))
    return faults


async def _all_seals(database: Database) -> list[Seal]:
    seals: list[Seal] = []
    async with database.connection() as connection:
        while page := await list_seals(connection, after=seals[-1].number if seals else 0):
            seals += page
    return seals
