"""The audit: what operators have changed, written in the transaction of the change.

    async with database.transaction() as tx, recorded(tx, actor, "job.cancel", "job:17") as change:
        await cancel(change.tx, 17)

One row for each subject, so that "who did this to job 17" is a look into an index. A change that
fails leaves none. Rows are never changed or removed: a trigger refuses it.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from types import NoneType

import msgspec

from handfast.base.text import cleaned
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Queryable, Transaction

PAGE_MAX = 1000
TEXT_LENGTH_MAX = 500  # characters of a subject or a reason
NAME_LENGTH_MAX = 200  # of an actor


@dataclass(frozen=True)
class Actor:
    """Who makes a change: the name of a token, or ``cli:`` and the user of the machine."""

    name: str
    request_id: str | None = None


@dataclass
class Change:
    """A change under way; ``about`` says what it turned out to be about."""

    tx: Transaction
    subjects: list[str] = field(default_factory=list)

    def about(self, *subjects: str) -> None:
        self.subjects += subjects


class AuditEntry(msgspec.Struct, frozen=True, rename="camel"):
    id: int
    at: datetime
    actor: str
    action: str
    subject: str
    reason: str | None
    request_id: str | None


class AuditPage(msgspec.Struct, frozen=True, rename="camel"):
    entries: list[AuditEntry]
    next: int | None


class AuditFilter(msgspec.Struct, frozen=True):
    actor: str | None = None
    action: str | None = None
    subject: str | None = None


EVERYTHING = AuditFilter()

_RECORD = statement("engine.record_audit", row=NoneType, seconds=BULK_SECONDS_MAX)
_LIST = statement("engine.list_audit", row=AuditEntry)
_LIST_OF = statement("engine.list_audit_of", row=AuditEntry)


async def record(
    tx: Queryable, actor: Actor, action: str, subjects: Sequence[str], reason: str | None = None
) -> None:
    """``action`` is two words with a dot between, such as ``job.cancel``; nothing is written if
    nothing was changed."""
    if not subjects:
        return
    await _RECORD.run(
        tx,
        cleaned(actor.name)[:NAME_LENGTH_MAX],
        action,
        [cleaned(subject)[:TEXT_LENGTH_MAX] for subject in subjects],
        None if reason is None else cleaned(reason)[:TEXT_LENGTH_MAX],
        actor.request_id,
    )


@asynccontextmanager
async def recorded(
    tx: Transaction, actor: Actor, action: str, *subjects: str, reason: str | None = None
) -> AsyncIterator[Change]:
    """What is done in the block is in the audit when its transaction is committed."""
    change = Change(tx, list(subjects))
    yield change
    await record(tx, actor, action, change.subjects, reason)


async def list_audit(
    on: Queryable, where: AuditFilter = EVERYTHING, *, after: int | None = None, limit: int = 100
) -> AuditPage:
    """The newest first; ``after`` is the ``next`` of the page before."""
    limit = max(1, min(limit, PAGE_MAX))
    asked = (after, where.actor, where.action, limit + 1)
    if where.subject is None:
        found = await _LIST.all(on, *asked)
    else:
        found = await _LIST_OF.all(on, *asked, where.subject)
    more = len(found) > limit
    return AuditPage(found[:limit], found[limit - 1].id if more else None)


def jobs(ids: Sequence[int]) -> list[str]:
    """Jobs as subjects."""
    return [f"job:{job_id}" for job_id in ids]
