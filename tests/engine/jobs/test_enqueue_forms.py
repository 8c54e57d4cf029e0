"""The everyday enqueue is written twice: as a statement that Python sends, and in SQL's own.

Whatever form a job came by, and be it by a bulk of one, its rows are the same in every column.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import msgspec
import pytest

from handfast.db.pool import Database
from handfast.db.statements import STATEMENTS
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.jobs.enqueue import enqueue
from handfast.engine.jobs.options import Options
from tests.support.clock import freeze
from tests.support.eventually import eventually_async

pytestmark = pytest.mark.on_every_postgres

NOW = datetime(2026, 3, 1, 12, 0, 0, 123456, UTC)

EVERYDAY = STATEMENTS["engine.enqueue_everyday"]
FUNCTION = STATEMENTS["engine.enqueue"]
BULK = STATEMENTS["engine.enqueue_bulk"]


class Job(NamedTuple):
    kind: str
    key: str
    payload: str
    due: datetime | None
    lane: str | None
    priority: int | None
    version: int | None

    @property
    def options(self) -> str:
        return Options(lane=self.lane, priority=self.priority, version=self.version).as_data()


# Declared with nothing but a name, with everything that a kind can say (a group, too), not at all.
KINDS = ("plain", "rich", "unknown")
DUES = (
    None,
    NOW - timedelta(days=1),
    NOW,
    NOW + timedelta(microseconds=1),
    NOW + timedelta(days=9),
)
PAYLOADS = ("{}", '{"n": 1, "text": "ä€😀", "deep": [{"a": null}]}')
JOBS = [
    Job(kind, f"key-{number}", payload, due, lane, priority, version)
    for number, (kind, due, lane, priority, version, payload) in enumerate(
        itertools.product(KINDS, DUES, (None, "own"), (None, 1, 1000), (None, 7), PAYLOADS)
    )
]

Form = Callable[[Queryable, Job], Awaitable[tuple[int, str]]]


async def by_statement(on: Queryable, job: Job) -> tuple[int, str]:
    made = await EVERYDAY.one(on, *job, False)
    return made.id, made.state


async def by_function(on: Queryable, job: Job) -> tuple[int, str]:
    made = await FUNCTION.one(on, job.kind, job.key, job.payload, job.due, None, job.options)
    assert made.created
    return made.id, made.state


async def by_bulk(on: Queryable, job: Job) -> tuple[int, str]:
    dues = None if job.due is None else [job.due]
    made = await BULK.one(on, job.kind, [job.key], [job.payload], dues, job.options)
    assert made.created == [True]
    return made.ids[0], made.states[0]


@pytest.fixture
async def declared(database: Database) -> Database:
    """With a clock that stands still: what is read from it can be compared, too."""
    await freeze(database, NOW)
    async with database.connection() as connection:
        await connection.execute(
            "INSERT INTO handfast_engine.groups (name, max_running) VALUES ('few', 2);"
            "INSERT INTO handfast_engine.kinds (kind, lane, priority, version, policy,"
            " group_name, horizon)"
            " VALUES ('plain', 'default', 10, 1, '{}', NULL, '30 days'),"
            " ('rich', 'slow', 77, 3, '{}', 'few', '9 days')"
        )
    return database


class Abandoned(Exception):
    """So that the next form finds the database as this one did."""


async def written(database: Database, form: Form, jobs: list[Job]) -> dict[str, list[Any]]:
    """What stands in both tables, and what was answered; all of it undone."""
    found: dict[str, list[Any]] = {}
    with pytest.raises(Abandoned):
        async with database.transaction() as tx:
            answers = [await form(tx, job) for job in jobs]
            found = {
                "answers": [state for _, state in answers],
                "jobs": await rows(tx, "handfast_engine.jobs", [job for job, _ in answers]),
                "live": await rows(tx, "handfast_engine.live", [job for job, _ in answers]),
            }
            raise Abandoned
    return found


async def rows(tx: Transaction, table: str, ids: list[int]) -> list[dict[str, Any]]:
    """In the order of ``ids``, without them."""
    read = await tx.fetch(
        f"SELECT to_jsonb(t) - 'id' FROM {table} AS t"
        " JOIN unnest($1::bigint[]) WITH ORDINALITY AS i(id, n) USING (id) ORDER BY i.n",
        ids,
    )
    return [msgspec.json.decode(row[0]) for row in read]


@pytest.mark.parametrize("form", [by_function, by_bulk])
async def test_every_column_is_the_same(declared: Database, form: Form) -> None:
    everyday = await written(declared, by_statement, JOBS)
    other = await written(declared, form, JOBS)
    assert len(everyday["jobs"]) == len(everyday["live"]) == len(JOBS)
    assert everyday["answers"] == other["answers"]
    for table in ("jobs", "live"):
        for job, mine, theirs in zip(JOBS, everyday[table], other[table], strict=True):
            assert mine == theirs, (table, job)


async def test_the_cases_tell_the_forms_apart(declared: Database) -> None:
    """What is compared above differs from job to job in each thing that a form decides."""
    live = (await written(declared, by_statement, JOBS))["live"]
    for column, least in {
        "state": 2,
        "lane": 3,
        "priority": 4,
        "version": 3,
        "group_name": 2,
        "due_at": 4,
        "payload": 2,
    }.items():
        assert len({msgspec.json.encode(row[column]) for row in live}) >= least, column


async def test_an_identity_that_exists_is_left_alone(declared: Database) -> None:
    job = JOBS[0]
    async with declared.transaction() as tx:
        first, _ = await by_statement(tx, job)
        before = await rows(tx, "handfast_engine.live", [first])
        again = job._replace(payload='{"other": 1}', lane="other", priority=5)
        assert await EVERYDAY.maybe(tx, *again, False) is None
        made = await FUNCTION.one(tx, again.kind, again.key, again.payload, None, None, "{}")
        assert (made.id, made.created) == (first, False)
        assert await rows(tx, "handfast_engine.live", [first]) == before


@pytest.mark.parametrize("form", [by_statement, by_function])
async def test_idle_workers_are_told(declared: Database, form: Form) -> None:
    """Of what is ready, on their lane, and of nothing else."""
    told: list[str] = []

    def hear(*said: Any) -> None:
        told.append(said[-1])

    async with declared.connection() as connection:
        await connection.execute(
            "SELECT handfast_engine.register_worker('w', ARRAY['slow'], interval '1 minute');"
            "UPDATE handfast_engine.workers SET idle = true"
        )
    async with declared.connection() as listener, declared.connection() as connection:
        await listener.add_listener("handfast_ready", hear)
        ready = Job("rich", "ready", "{}", None, None, None, None)
        for job in (
            ready._replace(key="later", due=NOW + timedelta(days=1)),
            ready._replace(key="elsewhere", lane="own"),
            ready,
        ):
            await form(connection, job)
        await eventually_async(lambda: asyncio.sleep(0, bool(told)))
        await listener.remove_listener("handfast_ready", hear)
    # In the order of the commits: what came before would be here.
    assert told == ['["slow","rich"]']


async def test_python_sends_the_statement(declared: Database) -> None:
    """Only where it means the same: a job with ties goes by the function."""
    for options, everyday in (
        (Options(lane="own", priority=3, version=2), True),
        (Options(group="few"), False),
        (Options(deadline=NOW + timedelta(hours=1)), False),
        (Options(anchor="kickoff"), False),
    ):
        assert options.everyday is everyday
    job = JOBS[-1]
    asked = Options(lane=job.lane, priority=job.priority, version=job.version)

    async def by_python(on: Queryable, wanted: Job) -> tuple[int, str]:
        payload = msgspec.json.decode(wanted.payload)
        made = await enqueue(on, wanted.kind, wanted.key, payload, due=wanted.due, options=asked)
        return made.id, made.state.value

    assert await written(declared, by_python, [job]) == await written(declared, by_statement, [job])
