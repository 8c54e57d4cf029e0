"""A round of pairing: in every line the oldest with the next, in one transaction."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated

import msgspec

from handfast.apps.stakes.metrics import CLAIMS_FAILED, PAIRING_SECONDS, PAIRS, STALE
from handfast.apps.stakes.terms import StakeTerms
from handfast.apps.stakes.values import CLEARING
from handfast.base.words import OneOf
from handfast.db.statements import statement
from handfast.db.transaction import Queryable

PAIRS_MAX = 50  # in each line and transaction: one pair each was a ninth of the stakes per second
CLAIMS_KEPT = timedelta(days=30)
DAYS_AHEAD = 3


class PairingRound(msgspec.Struct, frozen=True):
    """``more``: a line was longer than one round takes. ``tickets``: those that were paired."""

    pairs: int
    more: bool
    tickets: list[int]


class ProposedRound(msgspec.Struct, frozen=True):
    """``waiting``: which of the proposed still stand in line; ``stale``: how many did not before
    anybody was paired."""

    pairs: int
    more: bool
    tickets: list[int]
    waiting: list[int]
    stale: int


class PairingOutcome(StrEnum):
    PAIRED = "paired"
    PASSED = "passed"
    FAILED = "failed"


class LoggedClaim(msgspec.Struct, frozen=True, rename="camel"):
    """A pair that was made, or a ticket that one passed by, and why."""

    at: datetime
    worker: str
    stake: int
    session_id: int | None
    tickets: list[int]
    outcome: Annotated[str, OneOf(PairingOutcome)]
    reason: str | None


_PAIR = statement("stakes.pair", row=PairingRound)
_PROPOSED = statement("stakes.pair_proposed", row=ProposedRound)
_FAILED = statement("stakes.log_failed_claim", row=type(None))
_CLAIMS = statement("stakes.claims", row=LoggedClaim)
_DAYS = statement("stakes.make_claim_days", row=int)


async def pair(
    tx: Queryable, worker: str, terms: StakeTerms, *, pairs: int = PAIRS_MAX
) -> PairingRound:
    """Any number may pair at once: each skips what another holds."""
    with PAIRING_SECONDS.time():
        done = await _PAIR.one(tx, worker, pairs, terms.rematch, terms.session_expiry, CLEARING)
    PAIRS.labels("database").inc(done.pairs)
    return done


async def pair_proposed(
    tx: Queryable,
    worker: str,
    proposed: Sequence[tuple[int, int]],
    terms: StakeTerms,
    *,
    pairs: int = PAIRS_MAX,
) -> ProposedRound:
    """In the lines of what was proposed: stakes and tickets. Whoever is the oldest there is paired;
    what was proposed wrongly is in the log."""
    stakes, tickets = [stake for stake, _ in proposed], [ticket for _, ticket in proposed]
    with PAIRING_SECONDS.time():
        done = await _PROPOSED.one(
            tx, worker, stakes, tickets, pairs, terms.rematch, terms.session_expiry, CLEARING
        )
    PAIRS.labels("redis").inc(done.pairs)
    STALE.inc(done.stale)
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
