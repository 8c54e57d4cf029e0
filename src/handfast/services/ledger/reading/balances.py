"""Balances, statements and the trial balance.

A player's balance is stored, and every entry of a player's account has the balance after it: the
one at a past instant is one look into an index. Those of the platform are derived from the last
seal and the entries since.

An instant is past when everybody who may still write an entry of it has committed: an entry's
instant is that of the transfer, and its commit comes a moment later.
"""

from datetime import datetime
from typing import Annotated

import msgspec

from handfast.base.pages import Id, Instant, Place, cut
from handfast.base.words import OneOf
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Queryable
from handfast.services.ledger.values import AccountKind, AccountName, TransferKind


class StatementLine(msgspec.Struct, frozen=True, rename="camel"):
    transfer_id: int
    line: int
    at: datetime
    kind: Annotated[str, OneOf(TransferKind)]
    entry_kind: Annotated[str, OneOf(TransferKind)]
    reference: str
    amount: int
    balance: int | None
    queue_id: int | None
    session_id: int | None


class AccountStatement(msgspec.Struct, frozen=True, rename="camel"):
    """A page of an account's entries, the newest first."""

    account: str
    lines: list[StatementLine]
    next: str | None


class TrialLine(msgspec.Struct, frozen=True, rename="camel"):
    """All accounts of one kind and currency: how many, and what they come to together."""

    kind: Annotated[str, OneOf(AccountKind)]
    currency: str
    accounts: int
    balance: int
    held: int | None


class TrialBalance(msgspec.Struct, frozen=True, rename="camel"):
    lines: list[TrialLine]
    imbalance: int  # over all of them: zero, or money came from nowhere


class StatementPlace(Place, frozen=True):
    at: Instant
    transfer_id: Id
    line: Id


_BALANCE = statement("ledger.balance", row=int)
_CURRENCY = statement("ledger.currency_of", row=str)
_BALANCE_AT = statement("ledger.balance_at", row=int)
_STATEMENT = statement("ledger.statement", row=StatementLine)
_TRIAL = statement("ledger.trial_balance", row=TrialLine, seconds=BULK_SECONDS_MAX)


async def balance(
    on: Queryable, account: AccountName, *, at: datetime | None = None, currency: str = "EUR"
) -> int:
    """In minor units. ``currency`` says which of the platform's accounts is meant; a player's is
    one."""
    if at is None:
        return await _BALANCE.one(on, account.account, account.owner, currency)
    return await _BALANCE_AT.one(on, account.account, account.owner, currency, at)


async def currency_of(on: Queryable, account: AccountName, otherwise: str) -> str:
    """In which a player's account is: that of its first entry, whatever the settings say today.
    ``otherwise`` is for who has none yet."""
    return await _CURRENCY.one(on, account.account, account.owner, otherwise)


async def statement_of(
    on: Queryable,
    account: AccountName,
    *,
    after: str | None = None,
    limit: int = 100,
    currency: str = "EUR",
) -> AccountStatement:
    place = None if after is None else StatementPlace.read(after)
    key = (None, None, None) if place is None else (place.at, place.transfer_id, place.line)
    rows = await _STATEMENT.all(on, account.account, account.owner, currency, *key, limit + 1)
    shown, last = cut(rows, limit)
    more = None
    if last is not None:
        more = StatementPlace(last.at, last.transfer_id, last.line).cursor()
    return AccountStatement(str(account), shown, more)


async def trial_balance(on: Queryable) -> TrialBalance:
    """What all accounts come to, read in one statement: the sums are of one moment."""
    lines = await _TRIAL.all(on)
    totals: dict[str, int] = {}
    for line in lines:
        totals[line.currency] = totals.get(line.currency, 0) + line.balance
    return TrialBalance(lines, sum(map(abs, totals.values())))
