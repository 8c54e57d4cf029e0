"""Expected against actual over time, for a heat map: added up by the database, so that a cell costs
a row and not a thousand."""

from datetime import datetime
from enum import StrEnum
from functools import partial

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

CELLS_MAX = 2000  # of one expectation: twelve weeks by the hour


class CellSize(StrEnum):
    HOUR = "hour"
    DAY = "day"


class GapCell(msgspec.Struct, frozen=True, rename="camel"):
    """What was due in the hour or day that begins at ``at``, in UTC: ``there`` is made or under
    way, ``missing`` has no job or no result, ``dead`` has a dead letter."""

    at: datetime
    expected: int
    there: int
    missing: int
    dead: int


class GapMap(msgspec.Struct, frozen=True, rename="camel"):
    """One expectation over its window; cells in which nothing was due are left out. With an
    ``error`` its query failed, and there are none."""

    name: str
    kind: str
    since: datetime
    until: datetime
    cells: list[GapCell]
    error: str | None


_MAP = template(
    "engine.map_gaps",
    row=GapCell,
    seconds=BULK_SECONDS_MAX,
    example={"expected": Query(NOTHING_EXPECTED.sql)},
)


async def map_gaps(
    database: Database,
    expectations: Expectations,
    *,
    name: str | None = None,
    by: CellSize = CellSize.HOUR,
) -> list[GapMap]:
    """One whose query fails has its error in its place; asked for by its ``name``, it raises."""
    if name is not None:
        (asked,) = expectations.named(name)
        async with database.transaction("repeatable_read") as tx:
            return [await _mapped(tx, asked, by)]
    return [
        await answered(
            database, one, partial(_mapped, expectation=one, by=by), partial(_failed, one)
        )
        for one in expectations
    ]


async def _mapped(tx: Transaction, expectation: Expectation, by: CellSize) -> GapMap:
    window = await window_of(tx, expectation)
    bound = (window.since, window.until, expectation.kind, by.value, CELLS_MAX)
    with asking(expectation):
        cells = await _MAP.on(expected=window.query).all(tx, *bound)
    return GapMap(expectation.name, expectation.kind, window.since, window.until, cells, None)


def _failed(expectation: Expectation, since: datetime, until: datetime, why: str) -> GapMap:
    return GapMap(expectation.name, expectation.kind, since, until, [], why)
