"""Sending again, because somebody asks: one event, or what an endpoint has missed."""

from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from handfast.base.errors import Conflict, InvalidRequest, NotFound
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Transaction
from handfast.engine.operating.dead_letters import as_instant
from handfast.services.webhooks.endpoints import get_endpoint

RANGE_MAX = timedelta(days=7)  # receivers remember the ids of events for as long
EVENTS_MAX = 100_000  # in one transaction


class Replayed(msgspec.Struct, frozen=True, rename="camel"):
    """What was enqueued. The replay's number is part of its deliveries' keys."""

    replay: int
    deliveries: int


class _Tried(msgspec.Struct, frozen=True):
    replay: int
    deliveries: int | None


_REPLAY = statement("webhooks.replay", row=_Tried, seconds=BULK_SECONDS_MAX)
_EVENT_EXISTS = statement("webhooks.event_exists", row=bool)


async def replay_event(tx: Transaction, endpoint: UUID, event: UUID) -> Replayed:
    """Deliver one event again, whatever the endpoint's filter says."""
    await _deliverable(tx, endpoint)
    if not await _EVENT_EXISTS.one(tx, event):
        raise NotFound(
            f"There is no event {event}.", hint="Events are kept for 14 days; is the id right?"
        )
    return _done(await _REPLAY.one(tx, endpoint, event, None, None, False, 1))


async def replay_range(
    tx: Transaction,
    endpoint: UUID,
    since: datetime,
    until: datetime,
    *,
    only_missing: bool = False,
) -> Replayed:
    """Deliver again what happened from ``since`` until before ``until`` and passes the filter.

    Times without a zone are in UTC. With ``only_missing``, leave out what was delivered, or is
    about to be.
    """
    begin, end = as_instant(since), as_instant(until)
    if begin is None or end is None or not timedelta(0) < end - begin <= RANGE_MAX:
        raise InvalidRequest(
            f"From {since.isoformat()} until {until.isoformat()} is not a range that can be "
            "replayed.",
            hint=f"The second must be after the first, by at most {RANGE_MAX.days} days.",
        )
    await _deliverable(tx, endpoint)
    return _done(await _REPLAY.one(tx, endpoint, None, begin, end, only_missing, EVENTS_MAX))


def _done(tried: _Tried) -> Replayed:
    if tried.deliveries is None:
        raise InvalidRequest(
            f"There are more than {EVENTS_MAX:,} events in that range. Nothing was enqueued.",
            hint="Replay it in parts.",
        )
    return Replayed(tried.replay, tried.deliveries)


async def _deliverable(tx: Transaction, endpoint: UUID) -> None:
    found = await get_endpoint(tx, endpoint)
    if found.state != "active":
        raise Conflict(
            f"The endpoint is {found.state}: {found.reason}.",
            hint="Resume it first; then replay.",
        )
