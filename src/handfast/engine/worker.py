"""A worker: claim, run, finish, overlapped.

While one batch runs, the next is being claimed and the last is being finished. It claims no more
than it can start soon, so that jobs do not wait here while another worker is idle. An idle worker
sleeps until it is woken by a notification, or looks for itself after a while.
"""

import asyncio
import contextlib
import os
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from handfast.base import supervise
from handfast.base.errors import WorkerLost
from handfast.base.logs import get_logger
from handfast.db.connect import Target
from handfast.db.listen import Listener
from handfast.db.pool import Database
from handfast.engine import lease, metrics
from handfast.engine.executor import Executor
from handfast.engine.faults import PASSING, put_off
from handfast.engine.floors import Floors
from handfast.engine.heartbeat import Heartbeat
from handfast.engine.janitor import HISTORY, Chore, Janitor
from handfast.engine.kinds import Kinds, declare

READY_CHANNEL = "handfast_ready"
STALE_SECONDS = 0.25  # jobs that wait here longer than this were claimed too early
RETRY_SECONDS = 0.5
WAITING_BYTES_MAX = 16 * 1024 * 1024  # of payloads; a claim brings as much at most (engine.claim)
AUDIT_SECONDS = 5.0  # how often a worker compares what it holds with what the database thinks
AUDIT_SHARE = 50  # at most one part in fifty of the time

log = get_logger(__name__)


@dataclass(frozen=True)
class WorkerOptions:
    lanes: tuple[str, ...] = ("default",)
    concurrency: int = 50
    batch_max: int = 2000  # a statement for 1000 jobs costs a tenth more for each of them
    lease: timedelta = timedelta(minutes=5)
    grace: float = 20.0
    poll: float = 1.0
    notifications: bool = True
    history: timedelta = HISTORY
    name: str = ""


class Worker:
    """Works until it is stopped: ``run`` is its whole life."""

    def __init__(
        self,
        database: Database,
        direct: Target,
        kinds: Kinds,
        options: WorkerOptions,
        groups: Mapping[str, int] | None = None,
        *,
        chores: Sequence[Chore] = (),
    ) -> None:
        self._database = database
        self._direct = direct
        self._kinds = kinds
        self._groups = groups or {}
        self._janitor = Janitor(database, history=options.history, chores=chores)
        self._prepared = False
        self.options = options
        self._wake = asyncio.Event()
        self._stop = asyncio.Event()
        self._hurry = asyncio.Event()
        self._lost = asyncio.Event()
        self._executor: Executor | None = None
        self.id: int | None = None
        self._batch = options.concurrency  # how many to claim at once; grows while they go quickly
        self._claimed_at = 0.0
        self._floors = Floors(options.lanes)

    async def prepare(self) -> None:
        """What comes before the first claim: the kinds are declared, and there is room for their
        history. ``run`` does it, unless it was done before."""
        if not self._prepared:
            await self._declare()
            with contextlib.suppress(*PASSING):
                await self._janitor.make_partitions()
            self._prepared = True

    async def run(self) -> None:
        """Work until ``stop`` is called; then hand back what is left and leave."""
        await self.prepare()
        janitor = self._janitor
        janitor.start()
        listener = self._listener()
        try:
            if listener is not None:
                await listener.__aenter__()
            await supervise.keep("worker", self._work, stopping=self._stop)
        finally:
            if listener is not None:
                await listener.__aexit__()
            await janitor.stop()

    async def _work(self) -> None:
        while not self._stop.is_set():
            await self._live()

    async def _declare(self) -> None:
        """Tell the database about our kinds, however often the line is cut meanwhile."""
        while not self._stop.is_set():
            try:
                await declare(self._database, list(self._kinds), self._groups)
            except PASSING as away:
                put_off(log, "kinds_not_declared", away)
                await self._sleep(RETRY_SECONDS)
            else:
                return

    @property
    def working(self) -> bool:
        """Registered, and not given up by the others."""
        return self.id is not None and not (self._lost.is_set() or self._stop.is_set())

    def stop(self, *, at_once: bool = False) -> None:
        """Stop claiming, finish or hand back what runs, leave; ``at_once`` without waiting for it.
        Safe to call from a signal."""
        self._stop.set()
        self._wake.set()
        if at_once:
            self._hurry.set()

    @property
    def running(self) -> list[tuple[float, lease.Claimed]]:
        """What runs here, and since when by the monotonic clock. Also for other threads."""
        return [] if self._executor is None else self._executor.running_since

    def wake(self) -> None:
        self._wake.set()

    def _listener(self) -> Listener | None:
        if not self.options.notifications:
            return None
        listener = Listener(self._direct)
        listener.subscribe(READY_CHANNEL, self._hear)
        return listener

    def _hear(self, lane: str) -> None:
        if not lane or lane in self.options.lanes:
            self._wake.set()

    async def _live(self) -> None:
        """One life: from a registration to its end, by our will or because the lease was lost."""
        options = self.options
        try:
            async with self._database.connection() as connection:
                self.id = await lease.register_worker(
                    connection, options.name or default_name(), options.lanes, options.lease
                )
        except PASSING as away:
            put_off(log, "worker_cannot_register", away)
            await self._sleep(RETRY_SECONDS)
            return
        self._lost.clear()
        executor = Executor(self._database, self._kinds, concurrency=options.concurrency)
        self._executor = executor
        executor.on_room = self._wake.set
        heartbeat = Heartbeat(
            self._direct,
            self.id,
            options.lease,
            on_cancel=executor.cancel,
            on_lost=lambda: self._give_up(executor),
        )
        executor.start()
        heartbeat.start()
        log.info("worker_started", worker=self.id, lanes=options.lanes)
        try:
            await self._claim_until_stopped(executor)
        finally:
            await self._leave(executor, heartbeat)

    def _give_up(self, executor: Executor) -> None:
        if executor is self._executor and not self._lost.is_set():
            log.error("worker_lost", worker=self.id)
            self._lost.set()
            self._wake.set()
            executor.forget_all()

    async def _claim_until_stopped(self, executor: Executor) -> None:
        assert self.id is not None  # noqa: S101
        looked_again = False
        next_audit = time.monotonic() + AUDIT_SECONDS
        while not (self._stop.is_set() or self._lost.is_set()):
            self._wake.clear()
            if (began := time.monotonic()) > next_audit:
                await self._audit(executor)
                # Slow while a transaction is held open elsewhere; then it is made more rarely.
                took = time.monotonic() - began
                next_audit = time.monotonic() + max(AUDIT_SECONDS, took * AUDIT_SHARE)
            if executor.waiting >= self._batch or executor.waiting_bytes >= WAITING_BYTES_MAX:
                await self._sleep(self.options.poll)
                continue
            self._adapt(executor)
            hint = self._floors.hint(time.monotonic())
            try:
                async with self._database.connection() as connection:
                    started = time.monotonic()
                    jobs = await lease.claim(
                        connection, self.id, self.options.lanes, self._batch, hint
                    )
            except WorkerLost:
                self._give_up(executor)
                return
            except PASSING as away:
                put_off(log, "claim_failed", away)
                await self._sleep(RETRY_SECONDS)
                continue
            self._floors.note(
                jobs,
                wanted=self._batch,
                from_front=hint is None,
                started=started,
                ended=time.monotonic(),
            )
            if jobs:
                looked_again = False
                self._note(jobs)
                executor.add(jobs)
            elif not looked_again:
                # The claim has just said that we are idle; look once more before sleeping, for
                # what was enqueued by somebody who did not know it yet.
                looked_again = True
            else:
                await self._sleep(self.options.poll)
                looked_again = self._wake.is_set() is False

    async def _audit(self, executor: Executor) -> None:
        """Between two claims: return what we hold without knowing it."""
        assert self.id is not None  # noqa: S101
        try:
            async with self._database.connection() as connection:
                back = await lease.return_orphans(connection, self.id, executor.known)
        except PASSING as away:
            put_off(log, "audit_failed", away)
            return
        if back:
            log.warning("jobs_returned", jobs=len(back))

    def _adapt(self, executor: Executor) -> None:
        """Claim more at once while jobs go quickly, fewer when they would wait here.

        At most two batches are here, one running and one waiting: enough to hide the round trips
        of claiming and finishing, and not so much that another worker stands idle meanwhile.
        """
        waited = time.monotonic() - self._claimed_at
        if waited > STALE_SECONDS:
            self._batch = max(self.options.concurrency, self._batch // 2)
        elif executor.waiting == 0 or waited < STALE_SECONDS / 4:
            self._batch = min(self._batch * 2, self.options.batch_max)

    def _note(self, jobs: Sequence[lease.Claimed]) -> None:
        self._claimed_at = time.monotonic()
        for job in jobs:
            if job.attempt > 1:  # rare, so a lookup each is cheap enough
                metrics.RETRIES.labels(job.kind).inc()
        metrics.CLAIMED.labels(jobs[0].lane).inc(len(jobs))

    async def _sleep(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), seconds)

    async def _leave(self, executor: Executor, heartbeat: Heartbeat) -> None:
        """In good order: what is unfinished goes back and does not count as a failure.

        What would not stop is not given to anybody while it may still run: its lease ends when
        this process has, and with it the lease of the worker.
        """
        try:
            if self._lost.is_set():
                await executor.give_up()
            else:
                await self._say_goodbye(executor)
        finally:  # else it would keep the lease of jobs that nobody here works on
            await heartbeat.stop()

    async def _say_goodbye(self, executor: Executor) -> None:
        assert self.id is not None  # noqa: S101
        unfinished, stuck = await executor.stop(self.options.grace, self._hurry)
        for job in stuck:
            log.error("handler_will_not_stop", job=job.id, kind=job.kind, key=job.key)
        try:
            async with self._database.connection() as connection:
                if unfinished:
                    back = await lease.hand_back(connection, unfinished)
                    log.info("jobs_handed_back", jobs=len(back))
                if not stuck:
                    await lease.end_worker(connection, self.id)
        except PASSING as away:
            put_off(log, "left_without_goodbye", away)
        log.info("worker_stopped", worker=self.id)


def default_name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"
