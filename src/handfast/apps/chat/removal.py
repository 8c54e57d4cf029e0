"""The chats of matches that were closed long ago go, by a job.

Whether there are any is looked at once an hour, by one of all processes, and only then there is a
job: an idle process comes to rest.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import msgspec

from handfast.apps.chat import metrics
from handfast.apps.chat.settings import ChatSettings
from handfast.db.pool import Database
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Transaction
from handfast.engine.crew import Crew, WorkerOptions, scheduled_kind
from handfast.engine.jobs.enqueue import enqueue
from handfast.engine.jobs.kinds import Kind, Kinds
from handfast.engine.maintenance.chores import Chore
from handfast.engine.system import System, Wanted
from handfast.engine.work.context import Context
from handfast.engine.work.worker import default_name

LANE = "chat"
KIND = "chat.remove"
DUE = "chat.due"
DUE_EVERY = timedelta(hours=1)
BATCH = 1000  # matches of one job: the next hour goes on
SECONDS_MAX = 600.0


class _RemovalDue(msgspec.Struct, frozen=True):
    due: bool
    hour: str


_DUE = statement("chat.removal_due", row=_RemovalDue)
_REMOVE = statement("chat.remove_chats", row=int, seconds=BULK_SECONDS_MAX)


@asynccontextmanager
async def open_work(system: System, _wanted: Wanted) -> AsyncIterator[list[Crew]]:
    days = system.settings.of(ChatSettings).chat_kept_days
    yield [chat_crew(system.database, timedelta(days=days))]


def chat_crew(database: Database, kept: timedelta) -> Crew:
    kind = scheduled_kind(KIND, LANE, Removing(kept).remove, timeout=SECONDS_MAX)
    kinds = Kinds()
    kinds.add(kind)

    async def look() -> None:
        await database.run_in_transaction(lambda tx: enqueue_due(tx, kind, kept))

    options = WorkerOptions(lanes=(LANE,), concurrency=1, name=f"{default_name()}:{LANE}")
    return Crew(kinds, options, chores=[Chore(DUE, look, DUE_EVERY)])


async def enqueue_due(tx: Transaction, kind: Kind, kept: timedelta) -> None:
    """The job of this hour, if there is anything to remove."""
    found = await _DUE.one(tx, kept)
    if found.due:
        await enqueue(tx, kind, found.hour, {})


class Removing:
    def __init__(self, kept: timedelta) -> None:
        self._kept = kept

    async def remove(self, ctx: Context) -> None:
        """In the transaction that ends the job."""
        async with ctx.completing() as tx:
            removed = await _REMOVE.one(tx, self._kept, BATCH)
        metrics.REMOVED.inc(removed)
