"""Transfers in the caller's transaction: a list of them is one statement, and one is a list of one.

Those who are alone in their transaction go through the gate (``facade.Ledger``): there nobody waits
for a row with a connection in hand. Call it once in a transaction, or always in the same order of
players: the accounts of one call are locked in order, those of two calls are not.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from handfast.base.errors import HandfastError, NotFound
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction
from handfast.services.ledger.errors import (
    BalanceTooLarge,
    HoldResolved,
    InsufficientFunds,
    OtherCurrency,
    ReferenceReused,
    TransferUnbalanced,
)
from handfast.services.ledger.metrics import TRANSFERS
from handfast.services.ledger.rules import check_requests
from handfast.services.ledger.values import ItemVerdict, Posted, TransferRequest

_POST = statement("ledger.post", row=ItemVerdict)

Outcome = Posted | HandfastError


async def transfer(tx: Transaction, request: TransferRequest) -> Posted:
    """One transfer, or the error that says why not."""
    [outcome] = await transfer_many(tx, [request])
    if isinstance(outcome, HandfastError):
        raise outcome
    return outcome


async def transfer_many(tx: Queryable, requests: Sequence[TransferRequest]) -> list[Outcome]:
    """All of them in order, each wholly or not at all: what became of each. What is refused leaves
    the others alone; a request that cannot even be read refuses the whole list."""
    check_requests(requests)
    if not requests:
        return []
    items: Any = msgspec.json.encode([request.item() for request in requests]).decode()
    verdicts = await _POST.all(tx, items)
    for verdict in verdicts:
        TRANSFERS.labels(verdict.verdict).inc()
    return [_outcome(request, one) for request, one in zip(requests, verdicts, strict=True)]


def _outcome(request: TransferRequest, one: ItemVerdict) -> Outcome:
    if one.verdict in ("posted", "repeated"):
        assert one.transfer_id is not None  # noqa: S101  # such a verdict names it
        return Posted(one.transfer_id, one.hold_id, repeated=one.verdict == "repeated")
    return refusal(request, one)


def refusal(request: TransferRequest, one: ItemVerdict) -> HandfastError:
    """Why the database did not carry it out."""
    return _REFUSALS.get(one.verdict, _unbalanced)(request, one)


def _short(request: TransferRequest, one: ItemVerdict) -> HandfastError:
    return InsufficientFunds(
        f"{one.account} has {one.available} {request.currency} in minor units, and "
        f"{request.reference!r} needs more.",
        hint="Deposit first, or take less. Nothing was moved.",
        available=one.available,
    )


def _other_currency(request: TransferRequest, one: ItemVerdict) -> HandfastError:
    return OtherCurrency(
        f"{request.reference!r} is in {request.currency}, and {one.account or 'a hold'} is not.",
        hint="An account has one currency, that of its first entry.",
    )


def _too_large(_request: TransferRequest, one: ItemVerdict) -> HandfastError:
    return BalanceTooLarge(f"{one.account} would hold more than an account can.", hint="Give less.")


def _reused(request: TransferRequest, one: ItemVerdict) -> HandfastError:
    return ReferenceReused(
        f"The reference {request.reference!r} is that of transfer {one.transfer_id}, which moved "
        "something else.",
        hint="A reference names one business event. Give another event its own.",
        transfer=one.transfer_id,
    )


def _resolved(request: TransferRequest, _one: ItemVerdict) -> HandfastError:
    return HoldResolved(
        f"A hold of {request.reference!r} was resolved before.",
        hint="Money leaves escrow once. Look at the hold for how it ended.",
    )


def _no_hold(request: TransferRequest, _one: ItemVerdict) -> HandfastError:
    return NotFound(f"{request.reference!r} names a hold that does not exist.")


def _unbalanced(request: TransferRequest, _one: ItemVerdict) -> HandfastError:
    return TransferUnbalanced(
        f"What {request.reference!r} takes and gives does not sum to zero.",
        hint="The parts that are taken of holds are what the legs give.",
    )


_REFUSALS = {
    "insufficient_funds": _short,
    "other_currency": _other_currency,
    "balance_too_large": _too_large,
    "reference_reused": _reused,
    "hold_resolved": _resolved,
    "unknown_hold": _no_hold,
    "unbalanced": _unbalanced,
}
