"""What users do with an offer: the moves between its states, as one table.

What the table does not name is refused. The same action again changes nothing.
"""

from enum import StrEnum


class OfferStatus(StrEnum):
    OFFERED = "offered"
    ACCEPTED = "accepted"
    PASSED = "passed"
    NOT_NOW = "not_now"
    MATCHED = "matched"
    EXPIRED = "expired"
    CLOSED = "closed"  # by a block, a report or a deletion: shown to nobody


class OfferAction(StrEnum):
    ACCEPT = "accept"
    PASS = "pass"  # noqa: S105  # a word of the API
    NOT_NOW = "not_now"


LIVE = (OfferStatus.OFFERED, OfferStatus.NOT_NOW, OfferStatus.ACCEPTED)

MOVES: dict[tuple[OfferStatus, OfferAction], OfferStatus] = {
    (OfferStatus.OFFERED, OfferAction.ACCEPT): OfferStatus.ACCEPTED,
    (OfferStatus.OFFERED, OfferAction.PASS): OfferStatus.PASSED,
    (OfferStatus.OFFERED, OfferAction.NOT_NOW): OfferStatus.NOT_NOW,
    (OfferStatus.NOT_NOW, OfferAction.ACCEPT): OfferStatus.ACCEPTED,
    (OfferStatus.NOT_NOW, OfferAction.PASS): OfferStatus.PASSED,
}

# Where an action has been done: what it led to, or what that has become since.
_DONE = {
    OfferAction.ACCEPT: {OfferStatus.ACCEPTED, OfferStatus.MATCHED},
    OfferAction.PASS: {OfferStatus.PASSED},
    OfferAction.NOT_NOW: {OfferStatus.NOT_NOW},
}


def moved(status: OfferStatus, action: OfferAction) -> OfferStatus | None:
    """The state afterwards, which is the same one if the action was done before; None if the action
    is refused there."""
    if status in _DONE[action]:
        return status
    return MOVES.get((status, action))
