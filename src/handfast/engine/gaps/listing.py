"""What is missing: counted in full, and the first of it by name."""

from datetime import datetime
from functools import partial
from typing import Any

import msgspec

from handfast.db.pool import Database
from handfast.db.statements import BULK_SECONDS_MAX
from handfast.db.templates import Query, template
from handfast.db.transaction import Transaction
from handfast.engine.gaps.expectation import (
    NOTHING_EXPECTED,
    Expectation,
    Expectations,
    answered,
    asking,
    window_of,
)

LISTED_MAX = 1000


class Gap(msgspec.Struct, frozen=True, rename="camel"):
    gap: str
    key: str
    due_at: datetime
    job_id: int | None
    error: str | None


class GapReport(msgspec.Struct, frozen=True, rename="camel"):
    """One expectation: how much is expected in its window, what lacks, the first of those. With an
    ``error`` its query failed, and nothing was counted."""

    name: str
    kind: str
    since: datetime
    until: datetime
    expected: int
    missing: int
    result_missing: int
    stale: int
    dead_transient: int
    dead: int
    gaps: list[Gap]
    error: str | None


class _Counted(msgspec.Struct, frozen=True):
    expected: int
    missing: int
    result_missing: int
    stale: int
    dead_transient: int
    dead: int
    gaps: list[Any]


_LIST = template(
    "engine.list_gaps",
    row=_Counted,
    seconds=BULK_SECONDS_MAX,
    example={"expected": Query(NOTHING_EXPECTED.sql)},
)


async def list_gaps(
    database: Database,
    expectations: Expectations,
    *,
    name: str | None = None,
    limit: int = 100,
) -> list[GapReport]:
    """Counts of everything, and the first ``limit`` gaps of each expectation. One whose query fails
    has its error in its place; asked for by its ``name``, it raises."""
    limit = min(limit, LISTED_MAX)
    if name is not None:
        (asked,) = expectations.named(name)
        async with database.transaction("repeatable_read") as tx:
            return [await _report(tx, asked, limit)]
    return [
        await answered(
            database, one, partial(_report, expectation=one, limit=limit), partial(_failed, one)
        )
        for one in expectations
    ]


async def _report(tx: Transaction, expectation: Expectation, limit: int) -> GapReport:
    window = await window_of(tx, expectation)
    bound = (window.since, window.until, expectation.kind, limit)
    with asking(expectation):
        # All rows are asked for, of which there is one: PostgreSQL uses several processes only for
        # a query that is read to its end.
        (counted,) = await _LIST.on(expected=window.query).all(tx, *bound)
    counts = msgspec.structs.asdict(counted) | {"gaps": [Gap(*gap) for gap in counted.gaps]}
    return GapReport(
        name=expectation.name,
        kind=expectation.kind,
        since=window.since,
        until=window.until,
        **counts,
        error=None,
    )


def _failed(expectation: Expectation, since: datetime, until: datetime, why: str) -> GapReport:
    return GapReport(
        expectation.name, expectation.kind, since, until, 0, 0, 0, 0, 0, 0, gaps=[], error=why
    )
