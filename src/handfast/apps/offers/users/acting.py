"""What a user does with an offer, and what comes of it when both have accepted.

Two simultaneous accepts make one match: each locks the pair first, and so sees what the other did.
"""

from datetime import timedelta
from types import NoneType
from uuid import UUID

import msgspec

from handfast.apps.offers import metrics
from handfast.apps.offers.errors import OfferDecided
from handfast.apps.offers.rules.actions import OfferAction, OfferStatus, moved
from handfast.apps.offers.settings import OfferRules
from handfast.apps.offers.users.cards import Offer, OfferCard
from handfast.base.errors import NotFound
from handfast.base.ids import new_id
from handfast.db.statements import statement
from handfast.db.transaction import Transaction
from handfast.engine.events import NewEvent, emit_many

ACCEPTED = "match.accepted"
CREATED = "match.created"


class Acted(msgspec.Struct, frozen=True, rename="camel"):
    """`isMutual`: the other side has accepted, too, and there is a match."""

    offer: Offer
    is_mutual: bool


class _Between(msgspec.Struct, frozen=True):
    status: str
    is_shown: bool
    is_accepted_there: bool


_CANDIDATE = statement("offers.candidate_of", row=UUID)
_LOCK = statement("offers.lock_pair", row=NoneType)
_BETWEEN = statement("offers.offer_between", row=_Between)
_ACT = statement("offers.act", row=NoneType)
_MATCH = statement("offers.match", row=NoneType)
_CARD = statement("offers.offer_card", row=OfferCard)


async def act(
    tx: Transaction, rules: OfferRules, user_id: UUID, offer_id: UUID, action: OfferAction
) -> Acted:
    candidate = await _CANDIDATE.maybe(tx, offer_id, user_id)
    if candidate is None:
        raise no_such_offer()
    await lock_pair(tx, user_id, candidate)
    found = await _BETWEEN.one(tx, offer_id)
    if not found.is_shown:
        raise no_such_offer()
    before = OfferStatus(found.status)
    after = moved(before, action)
    if after is None:
        raise OfferDecided(
            f"The offer is {before.value.replace('_', ' ')}: it does not take {action}.",
            hint="GET /matches/offers has the offers that are open.",
        )
    if after is not before:
        await _move(tx, rules, offer_id, after)
        if after is OfferStatus.ACCEPTED:
            await _tell(tx, user_id, offer_id, candidate if found.is_accepted_there else None)
        metrics.ACTIONS.labels(action).inc()
    card = await _CARD.one(tx, offer_id)
    return Acted(card.shown(), card.status == OfferStatus.MATCHED)


async def lock_pair(tx: Transaction, one: UUID, other: UUID) -> None:
    await _LOCK.run(tx, one, other)


async def _move(tx: Transaction, rules: OfferRules, offer_id: UUID, after: OfferStatus) -> None:
    wait: timedelta | None = rules.cool_downs.get(after)
    await _ACT.run(tx, offer_id, after, wait)


async def _tell(tx: Transaction, user_id: UUID, offer_id: UUID, partner: UUID | None) -> None:
    """The other side does not learn of an accept, unless it was the second: then ``partner`` has
    accepted, too, and there is a match."""
    accepted = {"offerId": offer_id, "userId": user_id}
    events = [NewEvent(ACCEPTED, f"offer:{offer_id}", accepted, (user_id,))]
    if partner is not None:
        match_id, both = new_id(), sorted((user_id, partner))
        await _MATCH.run(tx, match_id, user_id, partner)
        data = {"matchId": match_id, "users": both}
        events.append(NewEvent(CREATED, f"match:{match_id}", data, both))
        metrics.MATCHES.inc()
    await emit_many(tx, events)


def no_such_offer() -> NotFound:
    return NotFound("You have no such offer.", hint="GET /matches/offers has yours.")
