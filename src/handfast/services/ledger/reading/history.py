"""The history of the ledger as that of a bank, in the form that Jepsen's bank checker reads: EDN,
one operation a line, each as it was asked for and as it was answered.

    {:index 0, :type :invoke, :f :transfer, :process 0, :time 0, :value {:from 4, :to 1, :amount 5}}
    {:index 1, :type :ok, :f :transfer, :process 0, :time 0, :value {:from 4, :to 1, :amount 5}}
    {:index 2, :type :invoke, :f :read, :process 1, :time 0, :value nil}
    {:index 3, :type :ok, :f :read, :process 1, :time 0, :value {1 5, 4 95}}

It is made from what is stored: a transfer of many legs is a few moves, with no read between them.
In a read a player's balance is the one that its newest entry says it was, and a platform's the sum
of its entries so far; the last read is what the accounts hold now. So the total is the same in each
only if balances and amounts agree. A bank has no outside: cash begins with all that ever came in.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

import msgspec

from handfast.db.pool import Database
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Transaction
from handfast.services.ledger.errors import LedgerExportFailed

READS = 200  # each names every account
PART = 50_000  # ids of transfers that are looked at together
TRANSFERS, READER = 0, 1  # the processes of the history


class HistoryReport(msgspec.Struct, frozen=True, rename="camel"):
    """``wrong`` are reads whose total is not the one that all must have."""

    file: str
    transfers: int
    reads: int
    accounts: int
    total: int
    wrong: int


class HistoryAccount(msgspec.Struct, frozen=True):
    """``opening`` is what it begins with, ``balance`` what it holds now."""

    id: int
    of_player: bool
    opening: int
    balance: int


class HistoryEntry(msgspec.Struct, frozen=True):
    transfer_id: int
    account_id: int
    amount: int
    balance: int | None
    microseconds: int


_ACCOUNTS = statement("ledger.history_accounts", row=HistoryAccount, seconds=BULK_SECONDS_MAX)
_ENTRIES = statement("ledger.history_entries", row=HistoryEntry, seconds=BULK_SECONDS_MAX)
_LAST = statement("ledger.history_extent", row=int)


async def export_history(database: Database, file: Path, *, reads: int = READS) -> HistoryReport:
    """Write it, of one moment, with so many reads evenly between the transfers. An existing file is
    not overwritten."""
    try:
        with file.open("x", encoding="ascii") as out:
            async with database.transaction("repeatable_read") as tx:
                return await _write(tx, out, file, reads)
    except OSError as error:
        raise LedgerExportFailed(
            f"{file} cannot be written: {error.strerror}.", hint="Name a file that is not there."
        ) from error


async def _write(tx: Transaction, out: TextIO, file: Path, reads: int) -> HistoryReport:
    accounts = await _ACCOUNTS.all(tx)
    last = await _LAST.one(tx)
    history = History(out, accounts)
    done, every = 0, max(1, last // max(1, reads))
    history.begin()
    for after in range(0, last, PART):
        for legs in _transfers(await _ENTRIES.all(tx, after, after + PART)):
            history.transfer(legs)
            done += 1
            if legs[0].transfer_id // every > (legs[0].transfer_id - 1) // every:
                history.read(history.balances)
    history.read({one.id: one.opening + one.balance for one in accounts})
    return HistoryReport(
        str(file), done, history.reads, len(accounts), history.total, history.wrong
    )


def _transfers(entries: Sequence[HistoryEntry]) -> Iterator[list[HistoryEntry]]:
    legs: list[HistoryEntry] = []
    for entry in entries:
        if legs and legs[0].transfer_id != entry.transfer_id:
            yield legs
            legs = []
        legs.append(entry)
    if legs:
        yield legs


class History:
    """Writes operations, and follows what each account holds."""

    def __init__(self, out: TextIO, accounts: Sequence[HistoryAccount]) -> None:
        self._out = out
        self._of_players = {one.id for one in accounts if one.of_player}
        self.balances: dict[int, int | None] = {one.id: one.opening for one in accounts}
        self.total = sum(one.opening for one in accounts)
        self.reads = self.wrong = 0
        self._index = 0
        self._began: int | None = None
        self._time = 0

    def begin(self) -> None:
        """What the checker must be told, as a comment."""
        names = " ".join(map(str, self.balances))
        self._out.write(f"; {{:accounts [{names}], :total-amount {self.total}}}\n")

    def transfer(self, legs: Sequence[HistoryEntry]) -> None:
        if self._began is None:
            self._began = legs[0].microseconds
        self._time = max(self._time, 1000 * (legs[0].microseconds - self._began))
        for leg in legs:
            held = self.balances.get(leg.account_id) or 0
            player = leg.account_id in self._of_players
            self.balances[leg.account_id] = leg.balance if player else held + leg.amount
        for source, target, amount in moves(legs):
            value = f"{{:from {_edn(source)}, :to {_edn(target)}, :amount {amount}}}"
            self._operation("transfer", TRANSFERS, value, value)

    def read(self, balances: dict[int, int | None] | dict[int, int]) -> None:
        value = "{" + ", ".join(f"{n} {_edn(held)}" for n, held in balances.items()) + "}"
        self._operation("read", READER, "nil", value)
        self.reads += 1
        self.wrong += sum(held or 0 for held in balances.values()) != self.total

    def _operation(self, what: str, process: int, asked: str, answered: str) -> None:
        for type_, value in (("invoke", asked), ("ok", answered)):
            self._out.write(
                f"{{:index {self._index}, :type :{type_}, :f :{what}, :process {process}, "
                f":time {self._time}, :value {value}}}\n"
            )
            self._index += 1


def moves(legs: Sequence[HistoryEntry]) -> Iterator[tuple[int | None, int | None, int]]:
    """From whom to whom: what is taken goes, in the order of the legs, to those who are given. Of
    what does not balance one side is nobody."""
    taken = [[leg.account_id, -leg.amount] for leg in legs if leg.amount < 0]
    given = [[leg.account_id, leg.amount] for leg in legs if leg.amount > 0]
    while taken or given:
        amount = min(side[0][1] for side in (taken, given) if side)
        yield taken[0][0] if taken else None, given[0][0] if given else None, amount
        for side in (taken, given):
            if side:
                side[0][1] -= amount
                if not side[0][1]:
                    side.pop(0)


def _edn(value: int | None) -> str:
    return "nil" if value is None else str(value)
