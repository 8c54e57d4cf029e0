"""A round of pairing: in every line the oldest with the next, in one transaction."""

from datetime import datetime, timedelta

import msgspec

from handfast.apps.stakes.metrics import CLAIMS_FAILED, PAIRING_SECONDS, PAIRS
from handfast.apps.stakes.terms import StakeTerms
from handfast.apps.stakes.values import CLEARING
from handfast.db.statements import statement
from handfast.db.transaction import Queryable

PAIRS_MAX = 50  # in each line and transaction: one pair each was a ninth of the stakes per second
CLAIMS_KEPT = timedelta(days=30)
DAYS_AHEAD = 3


class PairingRound(msgspec.Struct, frozen=True):
    """``more``: a line was longer than one round takes."""

    pairs: int
    more: bool


class LoggedClaim(msgspec.Struct, frozen=True, rename="camel"):
    """A pair that was made, or a ticket that one passed by, and why."""

    at: datetime
    worker: str
    stake: int
    session_id: int | None
    tickets: list[int]
    outcome: str
    reason: str | None


_PAIR = statement("stakes.pair", row=PairingRound)
_FAILED = statement("stakes.log_failed_claim", row=type(None))
_CLAIMS = statement("stakes.claims", row=LoggedClaim)
_DAYS = statement("stakes.make_claim_days", row=int)


async def pair(
    tx: Queryable, worker: str, terms: StakeTerms, *, pairs: int = PAIRS_MAX
) -> PairingRound:
    """Any number may pair at once: each skips what another holds."""
    with PAIRING_SECONDS.time():
        done = await _PAIR.one(tx, worker, pairs, terms.rematch, terms.session_expiry, CLEARING)
    PAIRS.inc(done.pairs)
    return done


async def log_failure(on: Queryable, worker: str) -> None:
    """A round that the database refused: nothing of it is left but this."""
    CLAIMS_FAILED.inc()
    await _FAILED.run(on, worker)


async def claims(
    on: Queryable, *, ticket: int | None = None, outcome: str | None = None, limit: int = 100
) -> list[LoggedClaim]:
    """The newest first."""
    return await _CLAIMS.all(on, ticket, outcome, limit)


async def keep_claim_log(on: Queryable) -> int:
    """Days are made ahead, and old ones go whole."""
    return await _DAYS.one(on, DAYS_AHEAD, CLAIMS_KEPT)
