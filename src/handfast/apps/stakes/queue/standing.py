"""Where somebody stands: place in line, how long it will take, and why nobody was found yet."""

from datetime import datetime
from uuid import UUID

import msgspec

from handfast.apps.stakes.matching.matchmakers import present_matchmakers
from handfast.apps.stakes.queue.tickets import live_ticket
from handfast.apps.stakes.rules.waits import SAMPLES_MAX, PastWait, WaitEstimate, estimate
from handfast.apps.stakes.rules.why import StakeLine, WaitingFor, in_words, waiting_for
from handfast.apps.stakes.terms import StakeTerms
from handfast.apps.stakes.values import Ticket, TicketStatus
from handfast.db.statements import statement
from handfast.db.transaction import Queryable

COUNTED_MAX = 1000  # who stands further behind is told "at least"

_AHEAD = statement("stakes.place_in_line", row=int)
_LINES = statement("stakes.lines", row=StakeLine)
_WAITS = statement("stakes.past_waits", row=PastWait)
_SINCE = statement("stakes.waits_since", row=PastWait)
_MET = statement("stakes.met_lately", row=bool)


class QueueStanding(msgspec.Struct, frozen=True):
    """``place`` is 1 for the next in line; None of who is not in one."""

    ticket: Ticket
    place: int | None
    wait: WaitEstimate | None
    waiting_for: WaitingFor | None
    why: str | None
    lines: list[StakeLine]


async def queue_lines(on: Queryable) -> list[StakeLine]:
    """How many wait at which stakes; counted up to a bound."""
    return await _LINES.all(on, COUNTED_MAX)


async def past_waits(on: Queryable, amount: int, before: datetime) -> list[PastWait]:
    return await _WAITS.all(on, amount, SAMPLES_MAX, before)


async def met_lately(
    on: Queryable, amount: int, player: UUID, terms: StakeTerms, currency: str
) -> bool:
    """Whether everybody else in this line has played this player lately."""
    return await _MET.one(on, amount, player, terms.rematch, currency)


async def waits_since(on: Queryable, amount: int, since: datetime) -> list[PastWait]:
    return await _SINCE.all(on, amount, SAMPLES_MAX, since)


async def standing_of(on: Queryable, player: UUID, terms: StakeTerms) -> QueueStanding | None:
    """None for who has no live ticket."""
    ticket = await live_ticket(on, player)
    if ticket is None:
        return None
    lines = [line for line in await queue_lines(on) if line.currency == ticket.currency]
    if ticket.status != TicketStatus.QUEUED:
        return QueueStanding(ticket, None, None, None, None, lines)
    amount = ticket.stake_amount
    ahead = await _AHEAD.one(on, amount, ticket.currency, ticket.line, COUNTED_MAX)
    reason = waiting_for(
        amount,
        lines,
        met_all=await met_lately(on, amount, player, terms, ticket.currency),
        matchmakers=len(await present_matchmakers(on)),
    )
    waits = await past_waits(on, amount, ticket.queued_at)
    why = in_words(reason, amount, lines)
    return QueueStanding(ticket, ahead + 1, estimate(waits), reason, why, lines)
