"""Gaps: what ought to exist and does not.

A capability declares an expectation: its own query, which answers the identities that a window of
time calls for, and whether the result of each is there. What is missing is computed by one join in
the database and repaired by statements over the whole set, so that two hundred thousand
expectations cost a hash join and not two hundred thousand questions.

    missing         no job and no result: enqueued
    result_missing  the job succeeded, its result is not there: revived under the same identity
    stale           the result was made for another time of its anchor: revived
    dead_transient  died of something that may have passed: requeued, once
    dead            listed for a person

Repair may run twice, and beside everything else: an identity is enqueued once whoever races, a
success is revived only if it is still the one that was looked at, and a letter is requeued only
while it is dead.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import asyncpg
import msgspec

from handfast.base.errors import ExpectationInvalid, HandfastError, NotFound, PayloadInvalid
from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.kinds import Kinds
from handfast.engine.views import decoded

REQUIRED = ("key", "payload", "due_at", "result_exists")
OPTIONAL = {
    "stale": "boolean",
    "anchor": "text",
    "anchor_offset": "interval",
    "requires": "jsonb",
    "priority": "smallint",
    "deadline": "timestamptz",
    "anchor_at": "timestamptz",
}
REPAIR_BATCH = 50_000  # gaps for one statement: its locks are held for about a second
ROUNDS_MAX = 100
LISTED_MAX = 1000
SAMPLE = 100  # payloads that are checked against the kind before any is enqueued
TIMEOUT_MS = 120_000

log = get_logger(__name__)

CLOCK = statement("engine.clock", row=datetime)


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


class Gap(msgspec.Struct, frozen=True, rename="camel"):
    gap: str
    key: str
    due_at: datetime
    job_id: int | None
    error: str | None


class GapReport(msgspec.Struct, frozen=True, rename="camel"):
    """One expectation: how much is expected in its window, what lacks, the first of those."""

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


# Written once, asked in two ways: for looking, without the columns that only a repair needs (their
# expressions are not computed then); for repair with all of them, and each key once.
_FOUND = """
WITH expected AS {how} (
    SELECT {columns} FROM ({sql}) AS e{order}
), found AS (
    SELECT e.*, j.id AS job_id, j.token, d.error,
           CASE WHEN e.result_exists AND NOT e.stale THEN NULL
                WHEN j.id IS NULL THEN 'missing'
                WHEN j.state = 'succeeded' AND NOT e.result_exists THEN 'result_missing'
                WHEN j.state = 'succeeded' THEN 'stale'
                WHEN j.state <> 'dead' OR d.job_id IS NULL THEN NULL
                WHEN d.error_class IN ('transient', 'timeout', 'lost') AND NOT d.repaired
                    THEN 'dead_transient'
                ELSE 'dead' END AS gap
    FROM expected AS e
    LEFT JOIN engine.jobs AS j ON j.kind = $3 AND j.key = e.key
    LEFT JOIN engine.dead AS d ON d.job_id = j.id AND d.discarded_at IS NULL
)"""

# The join is made once, and lets through only what is a gap; nearly all that is expected is there.
_LOOK = """
, gaps AS MATERIALIZED (
    SELECT gap, key::text AS key, db.readable(due_at) AS due_at, job_id, error
    FROM found WHERE gap IS NOT NULL
)
SELECT (SELECT count(*) FROM expected) AS expected,
       count(*) FILTER (WHERE gap = 'missing') AS missing,
       count(*) FILTER (WHERE gap = 'result_missing') AS result_missing,
       count(*) FILTER (WHERE gap = 'stale') AS stale,
       count(*) FILTER (WHERE gap = 'dead_transient') AS dead_transient,
       count(*) FILTER (WHERE gap = 'dead') AS dead,
       ARRAY(SELECT g FROM gaps AS g ORDER BY g.due_at, g.key LIMIT $4) AS gaps
FROM gaps"""

_PAYLOADS = """
SELECT key, payload FROM found WHERE gap = 'missing' ORDER BY due_at, key LIMIT $4"""

# Plain gaps go in by one bulk call; those with a prerequisite, an anchor or a priority of their own
# by another, which costs more for each of them.
_REPAIR = """
, able AS MATERIALIZED (
    SELECT f.*, jsonb_strip_nulls(jsonb_build_object(
               'anchor', f.anchor, 'offset', f.anchor_offset, 'requires', nullif(f.requires, '[]'),
               'priority', f.priority, 'deadline', f.deadline
           )) AS options,
           NOT EXISTS (
               SELECT 1 FROM jsonb_array_elements(f.requires) AS r
               WHERE NOT EXISTS (
                   SELECT 1 FROM engine.jobs AS j WHERE j.kind = r ->> 0 AND j.key = r ->> 1
               )
           ) AS can
    FROM found AS f
    WHERE f.gap IN ('missing', 'result_missing', 'stale', 'dead_transient')
    ORDER BY can DESC, f.due_at, f.key LIMIT $4
), bulk AS (
    SELECT count(*) FILTER (WHERE m.created) AS n
    FROM (
        SELECT array_agg(a.key ORDER BY a.key COLLATE "C") AS keys,
               array_agg(a.payload ORDER BY a.key COLLATE "C") AS payloads,
               array_agg(a.due_at ORDER BY a.key COLLATE "C") AS dues
        FROM able AS a WHERE a.gap = 'missing' AND a.options = '{}'
    ) AS p
    CROSS JOIN LATERAL engine.enqueue_many($3, p.keys, p.payloads, p.dues) AS m
    WHERE p.keys IS NOT NULL
), placed AS MATERIALIZED (
    SELECT engine.set_anchors(array_agg(n.anchor), array_agg(n.anchor_at))
    FROM (
        SELECT DISTINCT a.anchor, a.anchor_at FROM able AS a
        WHERE a.gap = 'missing' AND a.can AND a.anchor_at IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM engine.anchors AS x WHERE x.name = a.anchor)
    ) AS n
    HAVING count(*) > 0
), each AS (
    SELECT count(*) FILTER (WHERE m.created) AS n
    FROM (
        SELECT array_agg(a.key ORDER BY a.key COLLATE "C") AS keys,
               array_agg(a.payload ORDER BY a.key COLLATE "C") AS payloads,
               array_agg(a.due_at ORDER BY a.key COLLATE "C") AS dues,
               array_agg(a.options ORDER BY a.key COLLATE "C") AS options
        FROM able AS a WHERE a.gap = 'missing' AND a.options <> '{}' AND a.can
    ) AS p
    CROSS JOIN (SELECT count(*) AS n FROM placed) AS first  -- its n is an argument: comes first
    CROSS JOIN LATERAL engine.enqueue_each(
        $3, CASE WHEN first.n >= 0 THEN p.keys END, p.payloads, p.dues, p.options
    ) AS m
    WHERE p.keys IS NOT NULL
), revived AS (
    SELECT count(*) FILTER (
        WHERE engine.revive_same(a.job_id, a.token, a.due_at, a.payload, a.options - 'requires')
    ) AS n
    FROM (SELECT * FROM able WHERE gap IN ('result_missing', 'stale') ORDER BY job_id) AS a
), requeued AS (
    SELECT coalesce(cardinality(engine.requeue(p.ids, true)), 0) AS n
    FROM (
        SELECT array_agg(a.job_id ORDER BY a.job_id) AS ids FROM able AS a
        WHERE a.gap = 'dead_transient'
    ) AS p
    WHERE p.ids IS NOT NULL
)
SELECT (SELECT n FROM bulk) + (SELECT n FROM each) AS enqueued,
       (SELECT n FROM revived) AS revived,
       coalesce((SELECT n FROM requeued), 0)::bigint AS requeued,
       (SELECT count(*) FROM able WHERE gap = 'missing' AND NOT can) AS waiting,
       (SELECT count(*) FROM found WHERE gap = 'dead') AS dead"""


async def list_gaps(
    database: Database,
    expectations: Expectations,
    *,
    name: str | None = None,
    limit: int = 100,
) -> list[GapReport]:
    """Counts of everything, and the first ``limit`` gaps of each expectation."""
    reports = []
    for expectation in expectations.named(name):
        async with database.transaction("repeatable_read") as tx:
            found, since, until = await _found(tx, expectation, narrow=True)
            bound = (since, until, expectation.kind, min(limit, LISTED_MAX))
            looked = dict((await _ask(tx, expectation, found + _LOOK, *bound))[0])
        listed = [Gap(*record) for record in looked.pop("gaps")]
        reports.append(
            GapReport(
                name=expectation.name,
                kind=expectation.kind,
                since=since,
                until=until,
                gaps=listed,
                **looked,
            )
        )
    return reports


async def repair_gaps(
    database: Database,
    expectations: Expectations,
    kinds: Kinds,
    *,
    name: str | None = None,
    batch: int = REPAIR_BATCH,
) -> list[RepairReport]:
    """Repair what can be, in the order of declaration, which puts prerequisites first."""
    reports = []
    for expectation in expectations.named(name):
        try:
            report = await _repair(database, expectation, kinds, batch)
        except (HandfastError, asyncpg.PostgresError) as error:
            log.error("gaps_not_repaired", expectation=expectation.name, reason=str(error))
            report = RepairReport(expectation.name, expectation.kind, error=str(error))
        else:
            log.info("gaps_repaired", **msgspec.structs.asdict(report))
        reports.append(report)
    return reports


async def _repair(
    database: Database, expectation: Expectation, kinds: Kinds, batch: int
) -> RepairReport:
    async def repair_page(tx: Transaction) -> asyncpg.Record:
        found, since, until = await _found(tx, expectation)
        bound = (since, until, expectation.kind)
        await _check_payloads(
            kinds, expectation, await _ask(tx, expectation, found + _PAYLOADS, *bound, SAMPLE)
        )
        return (await _ask(tx, expectation, found + _REPAIR, *bound, batch))[0]

    enqueued = revived = requeued = waiting = dead = 0
    for _ in range(ROUNDS_MAX):
        done = await database.run_in_transaction(repair_page)
        enqueued, revived = enqueued + done["enqueued"], revived + done["revived"]
        requeued, waiting, dead = requeued + done["requeued"], done["waiting"], done["dead"]
        if done["enqueued"] + done["revived"] + done["requeued"] < batch:
            break  # the last page, or nothing more that we can do
    return RepairReport(
        expectation.name, expectation.kind, enqueued, revived, requeued, waiting, dead
    )


async def _check_payloads(
    kinds: Kinds, expectation: Expectation, payloads: Sequence[asyncpg.Record]
) -> None:
    """The first ones, so that a wrong query is an error here and not a thousand dead letters."""
    kind = kinds.get(expectation.kind)
    for record in payloads:
        if kind is None:
            return
        try:
            kind.encode(decoded(record["payload"]))
        except (PayloadInvalid, TypeError) as wrong:
            raise ExpectationInvalid(
                f"The expectation {expectation.name!r} computes a payload for {record['key']!r} "
                f"that does not fit. {wrong}"
            ) from wrong


async def _found(
    tx: Transaction, expectation: Expectation, *, narrow: bool = False
) -> tuple[str, datetime, datetime]:
    """The statement's beginning, and the window, by the database's clock."""
    # A plan that does not know the window is a plan for a handful of rows.
    await tx.execute(
        f"SET LOCAL statement_timeout = {TIMEOUT_MS}; SET LOCAL plan_cache_mode = force_custom_plan"
    )
    now = await CLOCK.one(tx)
    since, until = now - expectation.past, now + expectation.window
    sql = expectation.sql.strip().rstrip(";")
    columns = await _columns(tx, expectation, sql)
    chosen = [f"e.{name}" for name in REQUIRED]
    chosen[1] = "e.payload::jsonb AS payload"
    for name, kind in OPTIONAL.items():
        missing = "false" if name == "stale" else f"NULL::{kind}"
        if name == "requires":
            missing = "'[]'::jsonb"
        chosen.append(
            f"coalesce(e.{name}::{kind}, {missing}) AS {name}"
            if name in columns
            else f"{missing} AS {name}"
        )
    if narrow:
        kept = ("e.key", "e.due_at", "e.result_exists", chosen[len(REQUIRED)])  # and stale
        text = _FOUND.format(how="NOT MATERIALIZED", columns=", ".join(kept), sql=sql, order="")
    else:
        text = _FOUND.format(
            how="MATERIALIZED",
            columns=f'DISTINCT ON (e.key COLLATE "C") {", ".join(chosen)}',
            sql=sql,
            order=' ORDER BY e.key COLLATE "C"',
        )
    return text, since, until


async def _columns(tx: Transaction, expectation: Expectation, sql: str) -> set[str]:
    try:
        prepared = await tx.connection.prepare(sql)
    except asyncpg.PostgresError as error:
        raise _wrong(expectation, str(error)) from error
    columns = {attribute.name for attribute in prepared.get_attributes()}
    lacking = [name for name in REQUIRED if name not in columns]
    if lacking:
        raise _wrong(expectation, f"it has no column {lacking[0]}")
    if len(prepared.get_parameters()) != 2:
        raise _wrong(expectation, "it does not use $1 and $2, the window")
    return columns


async def _ask(
    tx: Queryable, expectation: Expectation, sql: str, *args: Any
) -> list[asyncpg.Record]:
    try:
        return await tx.fetch(sql, *args)
    except (asyncpg.SyntaxOrAccessError, asyncpg.DataError) as error:
        raise _wrong(expectation, str(error)) from error


def _wrong(expectation: Expectation, why: str) -> ExpectationInvalid:
    return ExpectationInvalid(
        f"The query of the expectation {expectation.name!r} cannot be used: {why}.",
        hint=f"It answers {', '.join(REQUIRED)} for the window from $1 until before $2.",
    )
