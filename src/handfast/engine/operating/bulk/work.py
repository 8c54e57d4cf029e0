"""Carrying out bulk actions, page by page.

A page locks the row of its action, looks at the next rows behind the place, changes those that
match, writes them into the audit and moves the place: all in one transaction. So an attempt that
was given up and goes on all the same waits for the other, and then finds another place.
"""

from collections.abc import Sequence
from datetime import datetime
from types import NoneType

import msgspec

from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Transaction
from handfast.engine.crew import Crew, WorkerOptions
from handfast.engine.errors import GapsNotRepaired
from handfast.engine.gaps.expectation import Expectations
from handfast.engine.gaps.repair import REPAIR, repair_gaps
from handfast.engine.jobs.kinds import Kind, Kinds, payload_of
from handfast.engine.jobs.retry import RetryPolicy
from handfast.engine.operating.audit import Actor, jobs, record
from handfast.engine.operating.bulk.records import KIND, LANE
from handfast.engine.operating.bulk.request import BulkAction, BulkFilter, BulkRequest
from handfast.engine.operating.bulk.scans import Found, scan
from handfast.engine.operating.dead_letters import DISCARD, REQUEUE, discard, requeue
from handfast.engine.work.context import Context
from handfast.engine.work.worker import default_name

PAGE_ROWS = 2000  # looked at in one transaction: less than a second of locks
CONCURRENCY = 2  # of one process; more would only wait for each other
NOWHERE = ""  # the place when it has begun, and found nothing to look at
# However long it goes on: it has not lost its place, and a fleet may be deployed several times.
RETRIES = RetryPolicy(retries=20, waits=(5.0, 30.0, 60.0))

# Under which name the audit has what was done to each job.
_ACTIONS = {
    BulkAction.RETRY: "job.retry",
    BulkAction.CANCEL: "job.cancel",
    BulkAction.REQUEUE: REQUEUE,
    BulkAction.DISCARD: DISCARD,
    BulkAction.REVIVE: "job.revive",
    BulkAction.REPAIR: REPAIR,
}

log = get_logger(__name__)


class _Bulk(msgspec.Struct, frozen=True):
    action: str
    filter: str
    reason: str
    asked_by: str
    request_id: str | None
    asked_at: datetime
    place: str | None
    matched: int
    at_least: bool
    changed: int
    passed: int

    @property
    def request(self) -> BulkRequest:
        where = msgspec.json.decode(self.filter, type=BulkFilter)
        return BulkRequest(BulkAction(self.action), where)

    @property
    def actor(self) -> Actor:
        return Actor(self.asked_by, self.request_id)


_BEGIN = statement("engine.bulk_begin", row=_Bulk)
_WENT_ON = statement("engine.bulk_went_on", row=NoneType)
_RETRY = statement("engine.bulk_retry", row=list, seconds=BULK_SECONDS_MAX)
_CANCEL = statement("engine.bulk_cancel", row=list, seconds=BULK_SECONDS_MAX)
_REVIVE = statement("engine.bulk_revive", row=list, seconds=BULK_SECONDS_MAX)


def operating_crew(database: Database, expectations: Expectations, kinds: Kinds) -> Crew:
    """Who carries bulk actions out; ``expectations`` and ``kinds`` are for the repair of gaps."""
    work = BulkWork(database, expectations, kinds)
    own = Kinds()
    own.add(
        Kind(
            name=KIND,
            handler=work.carry_out,
            payload=payload_of(work.carry_out),
            lane=LANE,
            retry=RETRIES,
            timeout=None,  # as many pages as there are; each statement has a limit of its own
            horizon=None,  # the state of an action is that of its job, and actions are kept
        )
    )
    options = WorkerOptions(lanes=(LANE,), concurrency=CONCURRENCY, name=f"{default_name()}:{LANE}")
    return Crew(own, options)


class BulkWork:
    def __init__(
        self,
        database: Database,
        expectations: Expectations,
        kinds: Kinds,
        *,
        rows: int = PAGE_ROWS,
    ) -> None:
        self._database = database
        self._expectations = expectations
        self._kinds = kinds
        self._rows = rows

    async def carry_out(self, ctx: Context, bulk: int) -> None:
        """Until there is nothing left to look at."""
        while True:
            done, found = await self._database.run_in_transaction(lambda tx: self._page(tx, bulk))
            if done is None or found is None or found.looked < self._rows:
                break
            seen = done.changed + done.passed + len(found.ids)
            share = 0.0 if done.at_least else min(1.0, seen / max(1, done.matched))
            await ctx.progress(share, f"{seen} of {_words(done)}")
        if done is not None and done.action == BulkAction.REPAIR:
            await self._repair(bulk, done)
        log.info("bulk_done", bulk=bulk)

    async def _page(self, tx: Transaction, bulk: int) -> tuple[_Bulk | None, Found | None]:
        asked = await _BEGIN.maybe(tx, bulk)
        if asked is None:  # undone, in the moment in which it began
            return None, None
        if asked.action == BulkAction.REPAIR:
            await _WENT_ON.run(tx, bulk, "begun", 0, 0)
            return asked, None
        behind = None if asked.place == NOWHERE else asked.place
        found = await scan(tx, asked.request, asked.asked_at, behind, self._rows)
        changed = await _change(tx, asked, sorted(found.ids)) if found.ids else []
        await record(tx, asked.actor, _ACTIONS[asked.request.action], jobs(changed), asked.reason)
        passed = len(found.ids) - len(changed)
        place = found.place if found.place is not None else asked.place or NOWHERE
        await _WENT_ON.run(tx, bulk, place, len(changed), passed)
        return asked, found

    async def _repair(self, bulk: int, asked: _Bulk) -> None:
        """In pages of its own; what was repaired before is no gap any more. An expectation that
        could not be repaired fails the attempt, when the others are: another one may succeed."""
        reports = await repair_gaps(
            self._database,
            self._expectations,
            self._kinds,
            name=asked.request.filter.expectation,
            by=asked.actor,
        )
        done = sum(one.enqueued + one.revived + one.requeued for one in reports)
        async with self._database.transaction() as tx:
            await _WENT_ON.run(tx, bulk, "done", done, 0)
        failed = [f"{one.name}: {one.error}" for one in reports if one.error is not None]
        if failed:
            raise GapsNotRepaired("\n".join(failed))


async def _change(tx: Transaction, asked: _Bulk, ids: Sequence[int]) -> list[int]:
    match asked.request.action:
        case BulkAction.REQUEUE:
            return await requeue(tx, ids)
        case BulkAction.DISCARD:
            return await discard(tx, ids, asked.reason)
        case BulkAction.RETRY:
            return await _RETRY.one(tx, ids)
        case BulkAction.CANCEL:
            return await _CANCEL.one(tx, ids, asked.reason, asked.request.filter.state)
        case _:
            return await _REVIVE.one(tx, ids)


def _words(asked: _Bulk) -> str:
    return f"at least {asked.matched}" if asked.at_least else str(asked.matched)
