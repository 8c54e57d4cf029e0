"""Events: facts that others may want to know, written in the transaction that made them true.

Everyone emits through here. Each event carries the sequence number of its aggregate, and may be
addressed to users, on whose streams it then is. Events carry ids, never names, phones, places or
message text. Who passes them on, and how, is no business of whoever emits: see ``engine/outbox.py``
and ``engine/streams``.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec

from handfast.base.text import is_storable
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Queryable
from handfast.engine.errors import JobInvalid
from handfast.engine.jobs.kinds import as_json, size_over

EVENT_TYPES = frozenset(
    {
        "alert.cleared",
        "alert.raised",
        "auth.refresh_reused",
        "auth.signed_out",
        "chat.message_sent",
        "chat.read",
        "corpus.refused",
        "corpus.switched",
        "fixture.cancelled",
        "fixture.finished",
        "fixture.moved",
        "fixture.reinstated",
        "fixture.result_changed",
        "fixture.step_done",
        "job.dead",
        "ledger.sealed",
        "match.accepted",
        "match.closed",
        "match.created",
        "match.offer_generated",
        "offers.round_done",
        "run.failed",
        "run.ready",
        "safety.moderation_decided",
        "safety.report_submitted",
        "session.disputed",
        "session.settled",
        "session.voided",
        "stake.cancelled",
        "stake.changed",
        "stake.expired",
        "stake.matched",
        "stake.queued",
        "user.deleted",
        "user.reinstated",
        "user.suspended",
        "webhook.endpoint_disabled",
    }
)

DATA_BYTES_MAX = 256 * 1024  # ids, not what they stand for: streams hold hundreds of events
AGGREGATE_LENGTH_MAX = 500

_EMIT = statement("engine.emit", row=str)
_EMIT_MANY = statement("engine.emit_many", row=str, seconds=BULK_SECONDS_MAX)
_BETWEEN = statement("engine.events_between", row=UUID)


class NewEvent(msgspec.Struct, frozen=True):
    """An event that is to be written: ``users`` are those whose streams it goes on."""

    type: str
    aggregate: str
    data: Mapping[str, Any]
    users: Sequence[UUID] = ()


async def emit(
    tx: Queryable,
    event: str,
    aggregate: str,
    data: Mapping[str, Any],
    *,
    users: Iterable[UUID] = (),
) -> str:
    """Write an event; answers its id. ``aggregate`` names the thing it is about: ``match:7``.

    The rows of the aggregate and of the users' streams are locked until the commit: best as the
    last statement of the transaction.
    """
    encoded = _checked(event, aggregate, data)
    return await _EMIT.one(tx, event, aggregate, encoded, list(users) or None)


async def emit_many(tx: Queryable, events: Sequence[NewEvent]) -> list[str]:
    """Write many events in one statement; answers their ids. As the last statement of a
    transaction: all rows are locked in one order, so that it cannot deadlock with its like."""
    told = [
        (place, user) for place, event in enumerate(events, start=1) for user in set(event.users)
    ]
    return await _EMIT_MANY.all(
        tx,
        [event.type for event in events],
        [event.aggregate for event in events],
        [_checked(event.type, event.aggregate, event.data) for event in events],
        [place for place, _ in told],
        [user for _, user in told],
    )


def _checked(event: str, aggregate: str, data: Mapping[str, Any]) -> str:
    if not 1 <= len(aggregate) <= AGGREGATE_LENGTH_MAX or not is_storable(aggregate):
        raise JobInvalid(
            "An event needs an aggregate, the thing that it is about: 1 to "
            f"{AGGREGATE_LENGTH_MAX} characters that can be stored."
        )
    try:
        encoded = as_json(dict(data))
    except (TypeError, ValueError, RecursionError) as error:
        raise JobInvalid(f"The data of {event} is not JSON: {error}.") from error
    if size := size_over(encoded, DATA_BYTES_MAX):
        raise JobInvalid(
            f"The data of {event} has {size:,} bytes; at most {DATA_BYTES_MAX:,} are allowed.",
            hint="Store it, and emit its id.",
        )
    return encoded


async def events_between(on: Queryable, first: UUID, last: UUID, *, limit: int) -> list[UUID]:
    """The ids in this span, both ends included: for those who know how one begins."""
    return await _BETWEEN.all(on, first, last, limit)
