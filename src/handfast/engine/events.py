"""Events: facts that others may want to know, written in the transaction that made them true.

Everyone emits through here. Each event carries the sequence number of its aggregate. Delivery is
the webhooks' business.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.errors import JobInvalid
from handfast.engine.jobs.kinds import as_json

EVENT_TYPES = frozenset(
    {
        "alert.cleared",
        "alert.raised",
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
        "run.failed",
        "run.ready",
        "webhook.disabled",
    }
)

_EMIT = statement("engine.emit", row=str)
_BETWEEN = statement("engine.events_between", row=UUID)


async def emit(tx: Queryable, event: str, aggregate: str, data: Mapping[str, Any]) -> str:
    """Write an event; answers its id. ``aggregate`` names the thing it is about: ``match:7``."""
    if not aggregate:
        raise JobInvalid("An event needs an aggregate: the thing that it is about.")
    try:
        encoded = as_json(dict(data))
    except (TypeError, ValueError, RecursionError) as error:
        raise JobInvalid(f"The data of {event} is not JSON: {error}.") from error
    return await _EMIT.one(tx, event, aggregate, encoded)


async def events_between(on: Queryable, first: UUID, last: UUID, *, limit: int) -> list[UUID]:
    """The ids in this span, both ends included: for those who know how one begins."""
    return await _BETWEEN.all(on, first, last, limit)
