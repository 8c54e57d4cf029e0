"""Money that operators move, and what is answered."""

from typing import Annotated

import msgspec

from handfast.services.ledger.values import AMOUNT_MAX

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


class TransferAnswer(msgspec.Struct, rename="camel"):
    transfer_id: int
    reference: str
    kind: str
    amount: int
    currency: str
    repeated: bool
    wallet: int
    credit: int
