"""Moving the money of tickets and sessions that end: one of them, or many at once."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from handfast.base.errors import HandfastError
from handfast.db.transaction import Queryable
from handfast.services.ledger.posting.commands import transfer_many
from handfast.services.ledger.values import TransferRequest

Refused: TypeAlias = dict[int, HandfastError]  # by ticket or session: why the ledger would not


async def move_money(tx: Queryable, requests: Sequence[TransferRequest]) -> None:
    """All of it, or what is wrong with the first that cannot be: then nothing must be committed."""
    for outcome in await transfer_many(tx, requests):
        if isinstance(outcome, HandfastError):
            raise outcome


async def move_each(
    tx: Queryable, requests: Mapping[int, TransferRequest], refused: Refused
) -> set[int]:
    """Answers for whom it was moved. The others are in ``refused`` and stay as they are: what is
    wrong with one must not keep everybody's stake."""
    outcomes = await transfer_many(tx, list(requests.values()))
    found = dict(zip(requests, outcomes, strict=True))
    refused |= {one: why for one, why in found.items() if isinstance(why, HandfastError)}
    return {one for one, outcome in found.items() if not isinstance(outcome, HandfastError)}
