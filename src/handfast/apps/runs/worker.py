"""Working on runs: jobs of the engine, with places of their own and a pool of their own.

The engine's side of it (claims, heartbeats, the end) goes through the usual pool. What the handler
does goes through a pool that logs in as a role that can read the corpus, call the functions of the
schema, and nothing else: no fault in here can write to the corpus, because PostgreSQL would not let
it. A run and its job end together, in one transaction with those that end at about the same time.

Six steps, each noted before it begins. Resolve and extract are one statement of the database's,
parse takes microseconds; so they are noted together. Notes are not waited for on the disk, the end
is. Rank reads the order of the top; the words of each reason are made when somebody reads them.
"""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from uuid import UUID

import msgspec

from handfast.apps.runs import metrics
from handfast.apps.runs.records import pruning
from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.crew import Crew, WorkerOptions
from handfast.engine.errors import LeaseLost, PayloadInvalid
from handfast.engine.jobs.kinds import Kind, Kinds, payload_of
from handfast.engine.jobs.retry import RetryPolicy
from handfast.engine.work.attempt import encode_result
from handfast.engine.work.context import Context
from handfast.engine.work.lease import AttemptOutcome
from handfast.engine.work.shared_completion import SharedCompletion
from handfast.engine.work.worker import default_name

KIND = "runs.match"
LANE = "runs"
TOP = 200
CONCURRENCY = 32
TIMEOUT_SECONDS = 60.0
HORIZON = timedelta(days=60)  # a run's id is new for ever, so its key is too
# Somebody is waiting: soon, and then with more patience. A lost lease goes back at once.
RETRY = RetryPolicy(retries=5, waits=(1, 5, 15, 30, 60))

ERRORS = {
    "NO_CORPUS": "There is no corpus to answer from yet.",
    "STARTUP_NOT_FOUND": "No startup in the corpus has this address.",
}

log = get_logger(__name__)


class Profile(msgspec.Struct, frozen=True):
    """What the first two steps found."""

    held: bool
    ended: bool
    error_code: str | None
    corpus_version: int | None
    startup_id: str | None
    name: str | None
    stage: str | None
    country: str | None
    raising: int | None
    sectors: list[str]
    pitch: str | None


class _Top(msgspec.Struct, frozen=True, gc=False):
    investor_id: str
    score: int


_BEGIN = statement("runs.begin", row=Profile)
_ADVANCE = statement("runs.advance", row=bool)
_COUNT = statement("runs.count", row=int)
_TOP = statement("runs.top", row=_Top)
_END_RUNS = statement("runs.end_runs", row=int)


def runs_crew(
    database: Database, reader: Database, *, options: WorkerOptions | None = None
) -> Crew:
    """Who works on runs. ``reader`` is the pool of the role that only reads."""
    options = options or WorkerOptions(
        lanes=(LANE,),
        concurrency=CONCURRENCY,
        batch_max=CONCURRENCY,
        name=f"{default_name()}:runs",
    )
    matching = RunMatching(database, reader, options.name)
    kinds = Kinds()
    kinds.add(
        Kind(
            name=KIND,
            handler=matching.match,
            payload=payload_of(matching.match),
            lane=LANE,
            retry=RETRY,
            timeout=TIMEOUT_SECONDS,
            horizon=HORIZON,
        )
    )
    return Crew(kinds, options, chores=[pruning(database)], around=matching.open)


class RunEnd(msgspec.Struct, frozen=True):
    """How a run ends; as the job's result it says the same."""

    status: str
    matches: int | None = None
    code: str | None = None

    @property
    def outcome_of_job(self) -> AttemptOutcome:
        said = {"status": self.status, "matchCount": self.matches, "errorCode": self.code}
        return AttemptOutcome("succeeded", result=encode_result(said))


class RunMatching:
    """The handler, and what it works with. ``name`` is the worker's, for the records."""

    def __init__(self, database: Database, reader: Database, name: str) -> None:
        self._reader = reader
        self._ends: SharedCompletion[tuple[RunAttempt, RunEnd]]
        self._ends = SharedCompletion(database, _end_runs)
        self.name = name

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await self._ends.close()

    async def match(self, ctx: Context, run_id: UUID) -> None:
        if ctx.key != str(run_id):
            # Not made by handfast_runs.start_match_run: this job can never hold the run it names.
            raise PayloadInvalid(f"Job {ctx.job_id} is not the job of run {run_id}.")
        attempt = RunAttempt(run_id, self.name, ctx.token)
        async with self._reader.connection() as connection:
            end = await attempt.work(connection)
        if end is None:
            return  # it had ended before, or is forgotten: nothing to do, and the job may go
        await self._ends.end(ctx, end.outcome_of_job, (attempt, end))
        if end.status == "ready":
            attempt.took("finalize")
        metrics.SECONDS.observe(time.monotonic() - attempt.began)
        metrics.ENDED.labels(end.status, end.code or "").inc()


async def _end_runs(tx: Transaction, made: "list[tuple[tuple[RunAttempt, RunEnd], str]]") -> None:
    attempts = [attempt for (attempt, _), _ in made]
    ends = [end for (_, end), _ in made]
    await _END_RUNS.one(
        tx,
        [attempt.run_id for attempt in attempts],
        [attempt.token for attempt in attempts],
        [end.status for end in ends],
        [end.matches for end in ends],
        [end.code for end in ends],
        [None if end.code is None else ERRORS[end.code] for end in ends],
    )


class RunAttempt:
    """One worker at one run, step by step."""

    def __init__(self, run_id: UUID, worker: str, token: int) -> None:
        self.run_id, self.token = run_id, token
        self._mine = (run_id, worker, token)
        self.began = self._step_began = time.monotonic()

    async def work(self, on: Queryable) -> RunEnd | None:
        """How it is to end; None if it had ended already."""
        found = await _BEGIN.one(on, *self._mine)
        self.took("resolve")  # with extract: one statement
        if found.ended:
            return None
        self._hold(held=found.held)
        if found.error_code is not None:
            return RunEnd("error", code=found.error_code)
        spoken = signals_of(found)
        self.took("parse")
        await self._advance(on, "match")
        count = await _COUNT.one(on, found.startup_id, found.corpus_version)
        self.took("match")
        await self._advance(on, "rank")
        top = await _TOP.all(on, found.startup_id, TOP, found.corpus_version)
        self.took("rank")
        log.debug(
            "run_ranked",
            run_id=str(self.run_id),
            startup=found.startup_id,
            signals=spoken,
            matches=count,
            best=top[0].score if top else None,
        )
        return RunEnd("ready", count)

    async def _advance(self, on: Queryable, step: str) -> None:
        self._hold(held=await _ADVANCE.one(on, *self._mine, step))

    def _hold(self, *, held: bool) -> None:
        if not held:
            run_id, worker, _ = self._mine
            raise LeaseLost(f"{worker} no longer holds run {run_id}; nothing was changed.")

    def took(self, step: str) -> None:
        now = time.monotonic()
        metrics.STEP_SECONDS.labels(step).observe(now - self._step_began)
        self._step_began = now


def signals_of(found: Profile) -> list[str]:
    """What the startup's profile says something of: only these signals can tell for or against."""
    said = {
        "sector": bool(found.sectors),
        "stage": found.stage is not None,
        "geography": found.country is not None,
        "cheque": found.raising is not None,
        "thesis": bool(found.pitch),
    }
    return [signal for signal, there in said.items() if there]
