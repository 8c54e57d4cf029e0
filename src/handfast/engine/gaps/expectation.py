"""What is declared: a query that answers what a window of time calls for.

The query is a program's own. Here it is checked before it is asked, and what PostgreSQL has against
it is said in the words of the expectation.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeVar

import asyncpg
import msgspec

from handfast.base.errors import NotFound
from handfast.base.logs import get_logger
from handfast.db.outage import AWAY
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.templates import Query
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.errors import ExpectationInvalid

T = TypeVar("T")

TIMEOUT_MS = 120_000

log = get_logger(__name__)


class ExpectedIdentity(msgspec.Struct, frozen=True):
    """The least that a query answers for each identity."""

    key: str
    payload: str
    due_at: datetime
    result_exists: bool


REQUIRED = ExpectedIdentity.__struct_fields__

# It fits wherever the query of an expectation does: tests prepare the statements with it.
NOTHING_EXPECTED = statement("engine.nothing_expected", row=ExpectedIdentity)
_CLOCK = statement("engine.clock", row=datetime)


@dataclass(frozen=True)
class Expectation:
    """``sql`` answers what is expected from ``$1`` until before ``$2``: ``key``, ``payload``,
    ``due_at`` and ``result_exists``; also, if it likes, ``stale``, ``anchor`` with
    ``anchor_offset`` (and ``anchor_at``: where it is placed if it is not there yet), ``requires``
    (``[[kind, key], …]``), ``priority`` and ``deadline``."""

    name: str
    kind: str
    sql: str
    window: timedelta
    past: timedelta = timedelta(0)
    after: tuple[str, ...] = ()
    by_hand: bool = False  # listed as a gap, and never repaired: a person has to look


@dataclass
class Expectations:
    """What a program expects, prerequisites first."""

    _by_name: dict[str, Expectation] = field(default_factory=dict)

    def add(self, expectation: Expectation) -> None:
        name = expectation.name
        if not name or name in self._by_name:
            raise ExpectationInvalid(f"The expectation {name!r} is declared twice or has no name.")
        if min(expectation.window, expectation.past) < timedelta(0) or not (
            expectation.window or expectation.past
        ):
            raise ExpectationInvalid(
                f"The expectation {name!r} looks at no time at all.",
                hint="Give it a window ahead of now, a past before it, or both.",
            )
        unknown = [other for other in expectation.after if other not in self._by_name]
        if unknown:
            raise ExpectationInvalid(
                f"The expectation {name!r} comes after {unknown[0]!r}, which is not declared.",
                hint="Declare prerequisites first; that is also the order of repair.",
            )
        self._by_name[name] = expectation

    def with_these(self, others: Iterable[Expectation]) -> "Expectations":
        """These first, then those of ``others`` whose names are new."""
        both = Expectations(dict(self._by_name))
        for other in others:
            if other.name not in both._by_name:
                both.add(other)
        return both

    def __iter__(self) -> Iterator[Expectation]:
        return iter(self._by_name.values())

    def __bool__(self) -> bool:
        return bool(self._by_name)

    def named(self, name: str | None) -> list[Expectation]:
        if name is None:
            return list(self)
        if name not in self._by_name:
            raise NotFound(
                f"Nothing is expected under the name {name!r}.",
                hint=f"There is {', '.join(sorted(self._by_name)) or 'no expectation at all'}.",
            )
        return [self._by_name[name]]


@dataclass(frozen=True)
class ExpectedWindow:
    """An expectation's query, checked, and the window that it is asked for now."""

    query: Query
    since: datetime
    until: datetime


async def window_of(tx: Transaction, expectation: Expectation) -> ExpectedWindow:
    """By the database's clock. The transaction is made fit for the query, too."""
    # A plan that does not know the window is a plan for a handful of rows.
    await tx.execute(
        f"SET LOCAL statement_timeout = {TIMEOUT_MS}; SET LOCAL plan_cache_mode = force_custom_plan"
    )
    since, until = await bounds_of(tx, expectation)
    query = Query(expectation.sql)
    await _check(tx, expectation, query)
    return ExpectedWindow(query, since, until)


async def bounds_of(on: Queryable, expectation: Expectation) -> tuple[datetime, datetime]:
    now = await _CLOCK.one(on)
    return now - expectation.past, now + expectation.window


async def answered(
    database: Database,
    expectation: Expectation,
    answer: Callable[[Transaction], Awaitable[T]],
    instead: Callable[[datetime, datetime, str], T],
) -> T:
    """What is asked about one of several expectations. If its query fails, what is said ``instead``
    of its window and why: the others are answered all the same. That the database is away is no
    fault of a query's."""
    try:
        async with database.transaction("repeatable_read") as tx:
            return await answer(tx)
    except AWAY:
        raise
    except (ExpectationInvalid, asyncpg.PostgresError) as error:
        log.warning("expectation_failed", expectation=expectation.name, reason=str(error))
        async with database.connection() as connection:
            return instead(*await bounds_of(connection, expectation), str(error))


async def _check(tx: Transaction, expectation: Expectation, query: Query) -> None:
    try:
        prepared = await tx.connection.prepare(query.sql)
    except asyncpg.PostgresError as error:
        raise _unusable(expectation, str(error)) from error
    columns = {attribute.name for attribute in prepared.get_attributes()}
    lacking = [name for name in REQUIRED if name not in columns]
    if lacking:
        raise _unusable(expectation, f"it has no column {lacking[0]}")
    if len(prepared.get_parameters()) != 2:
        raise _unusable(expectation, "it does not use $1 and $2, the window")


@contextmanager
def asking(expectation: Expectation) -> Iterator[None]:
    """What is wrong with a query inside a statement of ours is the query's fault."""
    try:
        yield
    except (asyncpg.SyntaxOrAccessError, asyncpg.DataError) as error:
        raise _unusable(expectation, str(error)) from error


def _unusable(expectation: Expectation, why: str) -> ExpectationInvalid:
    return ExpectationInvalid(
        f"The query of the expectation {expectation.name!r} cannot be used: {why}.",
        hint=f"It answers {', '.join(REQUIRED)} for the window from $1 until before $2.",
    )
