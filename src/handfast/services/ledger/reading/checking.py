"""Everything recomputed, a part at a time, in the order of the indexes.

What is checked: each transfer sums to zero within one currency; each balance of a player follows
from the one before and the last is the stored one; the platform's totals are the sums of all their
entries; escrow is what is held. Each part is of one moment; money that moves between two parts is
in order in both.
"""

import asyncio
from collections.abc import Callable
from functools import partial

import msgspec

from handfast.db.pool import Database
from handfast.db.statements import BULK_SECONDS_MAX, Statement, statement
from handfast.services.ledger.reading.balances import trial_balance

TRANSFERS_PART = 250_000  # ids: about a second
ACCOUNTS_PART = 20_000  # ids: players have some dozens of entries each
FINDINGS_MAX = 1000  # beyond that there is nothing more to learn


class LedgerFinding(msgspec.Struct, frozen=True, rename="camel"):
    """Something that is not as it must be."""

    account_id: int | None
    transfer_id: int | None
    problem: str
    expected: int | None
    found: int | None


class CheckReport(msgspec.Struct, frozen=True, rename="camel"):
    transfers: int  # up to this id
    accounts: int
    imbalance: int
    findings: list[LedgerFinding]

    @property
    def passed(self) -> bool:
        return not self.findings and self.imbalance == 0


class _Extent(msgspec.Struct, frozen=True):
    transfers: int
    accounts: int


_EXTENT = statement("ledger.extent", row=_Extent)
_TRANSFERS = statement("ledger.check_transfers", row=LedgerFinding, seconds=BULK_SECONDS_MAX)
_ACCOUNTS = statement("ledger.check_accounts", row=LedgerFinding, seconds=BULK_SECONDS_MAX)
_PLATFORM = statement("ledger.check_platform", row=LedgerFinding, seconds=BULK_SECONDS_MAX)

Progress = Callable[[float], None]  # from 0 to 1


async def check_ledger(database: Database, *, progress: Progress = lambda _: None) -> CheckReport:
    """Recompute everything, and say what is wrong. Transfers and accounts at once: they read other
    indexes, and a server has more than one processor."""
    async with database.connection() as connection:
        extent = await _EXTENT.one(connection)
    shares = [0.0, 0.0]

    def told(which: int, share: float) -> None:
        shares[which] = share
        progress(0.45 * sum(shares))  # each of the two is a bit less than half of the work

    try:
        async with asyncio.TaskGroup() as both:
            transfers = both.create_task(
                _in_parts(database, _TRANSFERS, extent.transfers, TRANSFERS_PART, partial(told, 0))
            )
            accounts = both.create_task(
                _in_parts(database, _ACCOUNTS, extent.accounts, ACCOUNTS_PART, partial(told, 1))
            )
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from None  # as if there were one: the other was cancelled
    async with database.connection() as connection:
        platform = await _PLATFORM.all(connection)
        total = await trial_balance(connection)
    progress(1.0)
    findings = [*transfers.result(), *accounts.result(), *platform][:FINDINGS_MAX]
    return CheckReport(extent.transfers, extent.accounts, total.imbalance, findings)


async def _in_parts(
    database: Database, check: Statement[LedgerFinding], last: int, part: int, progress: Progress
) -> list[LedgerFinding]:
    """With a connection for each part, so that a pool of one serves both."""
    findings: list[LedgerFinding] = []
    for after in range(0, last, part):
        async with database.connection() as connection:
            findings += await check.all(connection, after, min(after + part, last))
        progress(min(after + part, last) / last)
        if len(findings) > FINDINGS_MAX:
            break
    return findings
