"""Claims of many requests in one round trip.

While one batch is on its way, the requests that arrive meanwhile make up the next. A request alone
is a batch of one, and waits for nobody; under load, when it matters, the commit and the round trip
are shared. This is what keeps a key from costing half of the throughput.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

import msgspec

from handfast.base.errors import DatabaseUnreachable
from handfast.db.statements import statement
from handfast.services.idempotency.store import Call, Outcome

BATCH_MAX = 100  # rows that one statement may lock at once
CLOSE_SECONDS_MAX = 5.0  # for the batch that is on its way


class ClaimRow(msgspec.Struct):
    outcome: str
    token: int | None = None
    taken_over: bool = False
    status: int | None = None
    response: bytes | None = None
    encrypted: bool | None = None
    expires_at: datetime | None = None


CLAIM_MANY = statement("idempotency.claim_many", row=ClaimRow)

_Waiting = tuple[Call, "asyncio.Future[ClaimRow]"]


class Claims:
    """``ask`` claims for sorted calls; ``unclaim`` gives back what nobody waits for any more."""

    def __init__(
        self,
        ask: Callable[[Sequence[Call]], Awaitable[list[ClaimRow]]],
        unclaim: Callable[[Call, int], None],
    ) -> None:
        self._ask = ask
        self._unclaim = unclaim
        self._waiting: list[_Waiting] = []
        self._asking: asyncio.Task[None] | None = None

    async def claim(self, call: Call) -> ClaimRow:
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[ClaimRow] = loop.create_future()
        self._waiting.append((call, answered))
        if self._asking is None or self._asking.done():
            self._asking = loop.create_task(self._ask_for_all())
        return await answered

    async def close(self) -> None:
        """Refuse those who wait; what is on its way may come back, else nobody would know whose
        it is, and its keys would be in progress until their leases end."""
        waiting, self._waiting = self._waiting, []
        for _, answered in waiting:
            if not answered.done():
                answered.set_exception(DatabaseUnreachable("This process is being stopped."))
        if self._asking is not None:
            await asyncio.wait({self._asking}, timeout=CLOSE_SECONDS_MAX)

    async def _ask_for_all(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:BATCH_MAX], self._waiting[BATCH_MAX:]
            batch.sort(key=lambda waiting: (waiting[0].scope, waiting[0].key.bytes))
            try:
                rows = await self._ask([call for call, _ in batch])
            except BaseException as error:
                for _, answered in batch:
                    if not answered.done():
                        answered.set_exception(error)
                if not isinstance(error, Exception):
                    raise
                continue
            for (call, answered), row in zip(batch, rows, strict=True):
                if not answered.done():
                    answered.set_result(row)
                elif row.outcome == Outcome.EXECUTE and row.token is not None:
                    self._unclaim(call, row.token)
