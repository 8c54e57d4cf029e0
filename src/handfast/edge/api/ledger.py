"""Money that operators move, and what is answered."""

from datetime import datetime
from typing import Annotated

import msgspec

from handfast.base.words import OneOf
from handfast.services.ledger.reading.balances import StatementLine
from handfast.services.ledger.sealing.seals import Seal
from handfast.services.ledger.values import AMOUNT_MAX, TransferKind

# Minor units (cents); a whole number, and never a fraction.
Amount = Annotated[int, msgspec.Meta(ge=1, le=AMOUNT_MAX)]
Reference = Annotated[
    str,
    msgspec.Meta(
        max_length=100, pattern=r"^[^\x00-\x20\x7f-\xa0]([^\x00]*[^\x00-\x20\x7f-\xa0])?$"
    ),
]


class MoneyMoved(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """So much, in minor units. ``reference`` names the event in the world (a bank's transaction):
    told twice it moves money once. Without one the idempotency key is its name."""

    amount: Amount
    reference: Reference | None = None


class PlayerAccounts(msgspec.Struct, rename="camel"):
    """A player's money in minor units, and a page of the entries of one account."""

    currency: str
    wallet: int
    credit: int
    held: int
    account: str
    lines: list[StatementLine]
    next: str | None


class SealShown(msgspec.Struct, rename="camel"):
    """``head`` is as a verifier takes it: `handfast ledger verify --head`."""

    number: int
    sealed_at: datetime
    entries: int
    hash: str
    previous: str
    head: str


class SealPage(msgspec.Struct, rename="camel"):
    """``unsealedSeconds`` is the age of the oldest entry that no seal covers yet."""

    seals: list[SealShown]
    next: int | None
    unsealed_seconds: float


class TransferAnswer(msgspec.Struct, rename="camel"):
    transfer_id: int
    reference: str
    kind: Annotated[str, OneOf(TransferKind)]
    amount: int
    currency: str
    repeated: bool
    wallet: int
    credit: int


def seal_shown(seal: Seal) -> SealShown:
    return SealShown(
        seal.number,
        seal.sealed_at,
        seal.entries,
        seal.hash.hex(),
        seal.previous.hex(),
        seal.head,
    )
