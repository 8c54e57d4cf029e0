"""Accounts, legs, transfers and what becomes of them. Values only."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

AMOUNT_MAX = 10**12  # minor units of one leg: ten thousand million euro
BALANCE_MAX = 2**53 - 1  # minor units: what a number in JSON can hold exactly everywhere
OWNER_LENGTH_MAX = 200  # characters: it is in an index
REFERENCE_LENGTH_MAX = 200  # likewise
ID_MAX = 2**63 - 1  # what a bigint can hold
LINES_MAX = 2**15 - 1  # entries of one transfer, which are numbered in a smallint
ITEMS_MAX = 1000  # transfers of one statement, which holds locks on all their accounts


class AccountKind(StrEnum):
    """Players have a wallet and a credit; the platform the others, one for each currency."""

    WALLET = "wallet"
    CREDIT = "credit"
    ESCROW = "escrow"
    REVENUE = "revenue"
    CASH = "cash"


OF_PLAYERS = frozenset({AccountKind.WALLET, AccountKind.CREDIT})


class TransferKind(StrEnum):
    """Of transfers, and of the entries in them."""

    DEPOSIT = "DEPOSIT"
    STAKE = "STAKE"
    STAKE_IN = "STAKE_IN"
    COMMISSION = "COMMISSION"
    CREDIT = "CREDIT"
    PAYOUT = "PAYOUT"
    REFUND = "REFUND"
    WITHDRAWAL = "WITHDRAWAL"


class AccountName(msgspec.Struct, frozen=True):
    """What an account is called. ``funds`` is no account: it is the player's credit, and then the
    wallet, to take from."""

    account: str
    owner: str | None = None

    def __str__(self) -> str:
        return self.account if self.owner is None else f"{self.account}:{self.owner}"


ESCROW = AccountName("escrow")
REVENUE = AccountName("revenue")
CASH = AccountName("cash")
FUNDS = "funds"


def wallet(owner: str) -> AccountName:
    return AccountName("wallet", owner)


def credit(owner: str) -> AccountName:
    return AccountName("credit", owner)


def funds(owner: str) -> AccountName:
    return AccountName(FUNDS, owner)


class Leg(msgspec.Struct, frozen=True):
    """So much to an account, or from it where ``amount`` is negative. Without a kind of its own it
    is of the transfer's."""

    account: AccountName
    amount: int
    kind: TransferKind | None = None


class HoldTerms(msgspec.Struct, frozen=True):
    """What a transfer puts into escrow becomes a hold. It is a gap when it is unresolved at the
    ``deadline``; at ``expires_at``, if there is one, the ledger itself makes it credit."""

    deadline: datetime
    expires_at: datetime | None = None


class Take(msgspec.Struct, frozen=True):
    """How much of a hold is taken, all of it unless said; the rest goes back."""

    hold: int
    amount: int | None = None


class HoldEnding(StrEnum):
    SETTLED = "settled"
    RELEASED = "released"
    EXPIRED = "expired"


class Back(StrEnum):
    """Where the part of a hold that is not taken goes: where it came from, or to credit."""

    SOURCE = "source"
    CREDIT = "credit"


class TransferRequest(msgspec.Struct, frozen=True):
    """One business event. ``reference`` is its name for ever: the same event again answers what
    became of it, and another event under the same name is refused."""

    reference: str
    kind: TransferKind
    currency: str
    legs: Sequence[Leg] = ()
    queue_id: int | None = None
    session_id: int | None = None
    hold: HoldTerms | None = None
    resolves: Sequence[Take] = ()
    ending: HoldEnding = HoldEnding.SETTLED
    back: Back = Back.SOURCE

    @property
    def owners(self) -> frozenset[str]:
        """Whose accounts it is known to touch; those of the holds it resolves are not."""
        return frozenset(leg.account.owner for leg in self.legs if leg.account.owner is not None)

    def item(self) -> dict[str, Any]:
        """As the function ``post`` reads it."""
        item: dict[str, Any] = {
            "reference": self.reference,
            "kind": self.kind.value,
            "currency": self.currency,
            "queue_id": self.queue_id,
            "session_id": self.session_id,
            "legs": [_leg(leg) for leg in self.legs],
        }
        if self.hold is not None:
            item["hold"] = {"deadline": self.hold.deadline, "expires_at": self.hold.expires_at}
        if self.resolves:
            item["resolves"] = [{"hold": take.hold, "take": take.amount} for take in self.resolves]
            item["ending"] = self.ending.value
            item["back"] = self.back.value
        return item


def _leg(leg: Leg) -> dict[str, Any]:
    written: dict[str, Any] = {
        "account": leg.account.account,
        "owner": leg.account.owner,
        "amount": leg.amount,
    }
    return written if leg.kind is None else {**written, "kind": leg.kind.value}


class Posted(msgspec.Struct, frozen=True, rename="camel"):
    """A transfer that is in the ledger: since now, or ``repeated`` since the first time."""

    transfer_id: int
    hold_id: int | None = None
    repeated: bool = False


class ItemVerdict(msgspec.Struct, frozen=True):
    """What became of one item, as the database says it."""

    item: int
    verdict: str
    transfer_id: int | None
    hold_id: int | None
    account: str | None
    available: int | None
