"""Repair of what is missing, by statements over the whole set.

It may run twice, and beside everything else: an identity is enqueued once whoever races, a success
is revived only if it is still the one that was looked at, and a letter is requeued only while it is
dead.
"""

from collections.abc import Sequence

import asyncpg
import msgspec

from handfast.base.errors import HandfastError
from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.db.statements import BULK_SECONDS_MAX
from handfast.db.templates import Query, template
from handfast.db.transaction import Transaction
from handfast.engine.errors import ExpectationInvalid, PayloadInvalid
from handfast.engine.gaps.expectation import (
    NOTHING_EXPECTED,
    Expectation,
    Expectations,
    asking,
    window_of,
)
from handfast.engine.jobs.kinds import Kinds
from handfast.engine.operating import audit
from handfast.engine.operating.jobs_view import decoded

REPAIR_BATCH = 50_000  # gaps for one statement: its locks are held for about a second
ROUNDS_MAX = 100
SAMPLE = 100  # payloads that are checked against the kind before any is enqueued

REPAIR = "gaps.repair"  # in the audit
BY_HAND = "What is missing here is not repaired by a program: a person has to look at it."

log = get_logger(__name__)


class RepairReport(msgspec.Struct, frozen=True, rename="camel"):
    """What a repair did. ``waiting`` are gaps whose prerequisites do not exist yet; ``error`` says
    why an expectation could not be repaired, and the others were all the same."""

    name: str
    kind: str
    enqueued: int = 0
    revived: int = 0
    requeued: int = 0
    waiting: int = 0
    dead: int = 0
    error: str | None = None


class _Payload(msgspec.Struct, frozen=True):
    key: str
    payload: str


class _Repaired(msgspec.Struct, frozen=True):
    enqueued: int
    revived: int
    requeued: int
    waiting: int
    dead: int

    @property
    def done(self) -> int:
        return self.enqueued + self.revived + self.requeued


_PAYLOADS = template(
    "engine.missing_payloads",
    row=_Payload,
    seconds=BULK_SECONDS_MAX,
    example={"expected": Query(NOTHING_EXPECTED.sql)},
)
_REPAIR = template(
    "engine.repair_gaps",
    row=_Repaired,
    seconds=BULK_SECONDS_MAX,
    example={"expected": Query(NOTHING_EXPECTED.sql)},
)


async def repair_gaps(
    database: Database,
    expectations: Expectations,
    kinds: Kinds,
    *,
    name: str | None = None,
    batch: int = REPAIR_BATCH,
    by: audit.Actor | None = None,
) -> list[RepairReport]:
    """Repair what can be, in the order of declaration, which puts prerequisites first. ``by`` is
    whom the audit names; nobody, when it is the hourly repair."""
    reports = []
    for expectation in expectations.named(name):
        if expectation.by_hand:
            if name is not None:
                reports.append(RepairReport(name, expectation.kind, error=BY_HAND))
            continue
        try:
            report = await _repair(database, expectation, kinds, batch, by)
        except (HandfastError, asyncpg.PostgresError) as error:
            log.error("gaps_not_repaired", expectation=expectation.name, reason=str(error))
            report = RepairReport(expectation.name, expectation.kind, error=str(error))
        else:
            log.info("gaps_repaired", **msgspec.structs.asdict(report))
        reports.append(report)
    return reports


async def _repair(
    database: Database, expectation: Expectation, kinds: Kinds, batch: int, by: audit.Actor | None
) -> RepairReport:
    async def repair_page(tx: Transaction) -> _Repaired:
        if by is not None:
            await audit.record(tx, by, REPAIR, [f"expectation:{expectation.name}"])
        return await _repair_page(tx, expectation, kinds, batch)

    enqueued = revived = requeued = waiting = dead = 0
    for _ in range(ROUNDS_MAX):
        page = await database.run_in_transaction(repair_page)
        enqueued, revived = enqueued + page.enqueued, revived + page.revived
        requeued, waiting, dead = requeued + page.requeued, page.waiting, page.dead
        if page.done < batch:
            break  # the last page, or nothing more that we can do
    return RepairReport(
        expectation.name, expectation.kind, enqueued, revived, requeued, waiting, dead
    )


async def _repair_page(
    tx: Transaction, expectation: Expectation, kinds: Kinds, batch: int
) -> _Repaired:
    window = await window_of(tx, expectation)
    bound = (window.since, window.until, expectation.kind)
    with asking(expectation):
        payloads = await _PAYLOADS.on(expected=window.query).all(tx, *bound, SAMPLE)
        _check_payloads(kinds, expectation, payloads)
        return await _REPAIR.on(expected=window.query).one(tx, *bound, batch)


def _check_payloads(kinds: Kinds, expectation: Expectation, payloads: Sequence[_Payload]) -> None:
    """The first ones, so that a wrong query is an error here and not a thousand dead letters."""
    kind = kinds.get(expectation.kind)
    if kind is None:
        return
    for wanted in payloads:
        try:
            kind.encode(decoded(wanted.payload))
        except (PayloadInvalid, TypeError) as wrong:
            raise ExpectationInvalid(
                f"The expectation {expectation.name!r} computes a payload for {wanted.key!r} "
                f"that does not fit. {wrong}"
            ) from wrong
