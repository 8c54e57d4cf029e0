"""Claims of many requests in one round trip.

The claims of requests that arrive together share a statement and its commit: this is what keeps a
key from costing half of the throughput.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

import msgspec

from handfast.db.batcher import Batcher
from handfast.db.statements import statement
from handfast.services.idempotency.stores.store import Call, ClaimOutcome

BATCH_MAX = 100  # rows that one statement may lock at once
CLOSE_SECONDS_MAX = 5.0  # for the batch that is on its way: else its keys stay in progress


class ClaimRow(msgspec.Struct):
    outcome: str
    token: int | None = None
    taken_over: bool = False
    status: int | None = None
    response: bytes | None = None
    encrypted: bool | None = None
    expires_at: datetime | None = None
    tag: str | None = None

    @property
    def is_mine(self) -> bool:
        return self.outcome == ClaimOutcome.EXECUTE and self.token is not None


CLAIM_MANY = statement("idempotency.claim_many", row=ClaimRow)


def claims_batcher(
    claim: Callable[[Sequence[Call]], Awaitable[list[ClaimRow]]],
    unclaim: Callable[[Call, int], None],
) -> Batcher[Call, ClaimRow]:
    """``claim`` is given sorted calls; ``unclaim`` what nobody waits for any more."""

    def abandoned(call: Call, row: ClaimRow) -> None:
        if row.outcome == ClaimOutcome.EXECUTE and row.token is not None:
            unclaim(call, row.token)

    return Batcher(claim, batch_max=BATCH_MAX, order=_place, abandoned=abandoned)


def _place(call: Call) -> tuple[bytes, bytes]:
    """Two processes that want the same keys wait for each other, and do not deadlock."""
    return call.scope, call.key.bytes
