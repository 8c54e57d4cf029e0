"""A worker: claim, run, finish, overlapped, for the lanes of one crew.

While one batch runs, the next is being claimed and the last is being finished. It claims no more
than it can start soon, so that jobs do not wait here while another worker is idle. An idle worker
sleeps until somebody wakes it: a notification, or the janitor of its process, who looks for all.
"""

import asyncio
import contextlib
import os
import socket
import time
from collections.abc import Sequence

from handfast.base import supervise
from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.engine.crew import Crew
from handfast.engine.errors import WorkerLost
from handfast.engine.jobs import metrics
from handfast.engine.jobs.faults import PASSING, put_off
from handfast.engine.maintenance.pace import Pace, long_ago
from handfast.engine.work import lease
from handfast.engine.work.claim_cursor import ClaimCursor
from handfast.engine.work.executor import Executor
from handfast.engine.work.heartbeat import Heartbeat, Leaseholder

STALE_SECONDS = 0.25  # jobs that wait here longer than this were claimed too early
RETRY_SECONDS = 0.5
WAITING_BYTES_MAX = 16 * 1024 * 1024  # of payloads; as much as one claim brings at most
AUDIT_SECONDS = 5.0  # how often a worker compares what it holds with what the database thinks
AUDIT_SHARE = 50  # at most one part in fifty of the time
ROOM_SECONDS = 1.0  # how often a worker with no room looks whether it has some by now
PAUSE_SECONDS = 1.0  # how often what waits here is compared with what is paused; promised: 2 s

log = get_logger(__name__)


class Worker:
    """Works until it is stopped: ``run`` is its whole life."""

    def __init__(
        self, database: Database, crew: Crew, heartbeat: Heartbeat, pace: Pace, *, grace: float
    ) -> None:
        self._database = database
        self._heartbeat = heartbeat
        self._pace = pace
        self._grace = grace
        self.crew = crew
        self._wake = asyncio.Event()
        self._stop = asyncio.Event()
        self._hurry = asyncio.Event()
        self._lost = asyncio.Event()
        self._executor: Executor | None = None
        self.id: int | None = None
        self.sleeping = False  # until it is woken
        self._idle = False  # as the last claim has told the database
        options = crew.options
        self._batch_least = min(max(crew.places, options.batch_min), options.batch_max)
        self._batch = self._batch_least  # to claim at once; grows while they go quickly
        self._claimed_at = 0.0
        self._busy_at = 0.0  # when something could last be held here without our knowing
        self._audit_after = 0.0
        self._pauses_at = 0.0
        self._cursor = ClaimCursor(crew.kinds.versions)

    async def run(self) -> None:
        """Work until ``stop`` is called; then hand back what is left and leave."""
        await supervise.keep("worker", self._work, stopping=self._stop)

    async def _work(self) -> None:
        while not self._stop.is_set():
            await self._live()

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

    async def _live(self) -> None:
        """One life: from a registration to its end, by our will or because the lease was lost."""
        options = self.crew.options
        try:
            async with self._database.connection() as connection:
                self.id = await lease.register_worker(
                    connection,
                    options.name or default_name(),
                    options.lanes,
                    options.lease,
                    self.crew.kinds.versions,
                )
        except PASSING as away:
            put_off(log, "worker_cannot_register", away)
            await self._sleep(RETRY_SECONDS)
            return
        self._lost.clear()
        executor = Executor(
            self._database,
            self.crew.kinds,
            concurrency=options.concurrency,
            tally=self._heartbeat.tally,
        )
        self._executor = executor
        executor.on_room = self._wake.set
        self._idle = False
        self._busy_at = time.monotonic()
        self._audit_after = self._busy_at + AUDIT_SECONDS
        self._pace.noticed()
        executor.start()
        self._heartbeat.join(
            Leaseholder(
                self.id,
                options.lease,
                busy=lambda: bool(executor.waiting or executor.running_since),
                on_cancel=executor.cancel,
                on_lost=lambda: self._give_up(executor),
            )
        )
        log.info("worker_started", worker=self.id, lanes=options.lanes)
        try:
            await self._claim_until_stopped(executor)
        finally:
            await self._leave(executor)

    def _give_up(self, executor: Executor) -> None:
        if executor is self._executor and not self._lost.is_set():
            log.error("worker_lost", worker=self.id)
            self._lost.set()
            self._wake.set()
            executor.forget_all()

    async def _claim_until_stopped(self, executor: Executor) -> None:
        looked_again = False
        while not (self._stop.is_set() or self._lost.is_set()):
            self._wake.clear()
            await self._audit_now_and_then(executor)
            await self._return_paused(executor)
            if executor.waiting >= self._batch or executor.waiting_bytes >= WAITING_BYTES_MAX:
                await self._sleep(ROOM_SECONDS)
                continue
            self._adapt(executor)
            jobs = await self._claim(executor)
            if jobs is None:
                await self._sleep(RETRY_SECONDS)
            elif jobs:
                looked_again = False
                self._note(jobs)
                executor.add(jobs)
            elif not looked_again:
                # The claim has just said that we are idle; look once more before sleeping, for
                # what was enqueued by somebody who did not know it yet.
                looked_again = True
            else:
                await self._sleep_until_woken(executor)
                looked_again = self._wake.is_set() is False

    async def _claim(self, executor: Executor) -> list[lease.Claimed] | None:
        """None when it could not be asked for."""
        assert self.id is not None  # noqa: S101
        look = self._cursor.look(time.monotonic())
        try:
            async with self._database.connection() as connection:
                started = time.monotonic()
                jobs = await lease.claim(
                    connection,
                    self.id,
                    self.crew.lanes,
                    look.kinds,
                    self._batch,
                    floors=look.floors,
                )
        except WorkerLost:
            self._give_up(executor)
            return []
        except PASSING as away:
            self._busy_at = time.monotonic()  # the answer may be what was lost
            put_off(log, "claim_failed", away)
            return None
        self._cursor.note(
            jobs,
            wanted=self._batch,
            from_front=look.floors is None,
            started=started,
            ended=time.monotonic(),
        )
        if jobs or not self._idle:  # who enqueues may not know yet that we sleep
            self._pace.noticed()
        self._idle = not jobs
        return jobs

    async def _sleep_until_woken(self, executor: Executor) -> None:
        """A while after something has run here, also from time to time, to audit; while something
        waits to begin, no longer than a pause may take to be seen."""
        busy = self.running or not long_ago(self._busy_at)
        self.sleeping = True
        try:
            if executor.waiting:
                await self._sleep(PAUSE_SECONDS)
            else:
                await self._sleep(AUDIT_SECONDS if busy else None)
        finally:
            self.sleeping = False

    async def _audit_now_and_then(self, executor: Executor) -> None:
        """Between two claims: return what we hold without knowing it."""
        if (began := time.monotonic()) <= self._audit_after:
            return
        assert self.id is not None  # noqa: S101
        try:
            async with self._database.connection() as connection:
                back = await lease.return_orphans(connection, self.id, executor.known)
        except PASSING as away:
            put_off(log, "audit_failed", away)
        else:
            if back:
                log.warning("jobs_returned", jobs=len(back))
        # Slow while a transaction is held open elsewhere; then it is made more rarely.
        took = time.monotonic() - began
        self._audit_after = time.monotonic() + max(AUDIT_SECONDS, took * AUDIT_SHARE)

    async def _return_paused(self, executor: Executor) -> None:
        """Hand back what waits here to begin, of lanes and kinds that were paused since it was
        claimed. Nothing is asked while nothing waits."""
        now = time.monotonic()
        if not executor.waiting or now - self._pauses_at < PAUSE_SECONDS:
            return
        self._pauses_at = now
        try:
            async with self._database.connection() as connection:
                paused = await lease.paused(connection)
                jobs = executor.take(paused.holds) if paused else []
                if jobs:
                    await lease.hand_back(connection, jobs)
                    log.info("paused_jobs_handed_back", jobs=len(jobs))
        except PASSING as away:  # what was taken is ours by the books: the audit returns it
            put_off(log, "pauses_not_seen", away)

    def _adapt(self, executor: Executor) -> None:
        """Claim more at once while jobs go quickly, fewer when they would wait here.

        At most two batches are here, one running and one waiting: enough to hide the round trips
        of claiming and finishing, and not so much that another worker stands idle meanwhile.
        """
        waited = time.monotonic() - self._claimed_at
        if waited > STALE_SECONDS:
            self._batch = max(self._batch_least, self._batch // 2)
        elif executor.waiting == 0 or waited < STALE_SECONDS / 4:
            self._batch = min(self._batch * 2, self.crew.options.batch_max)

    def _note(self, jobs: Sequence[lease.Claimed]) -> None:
        self._claimed_at = self._busy_at = time.monotonic()
        for job in jobs:
            if job.attempt > 1:  # rare, so a lookup each is cheap enough
                metrics.RETRIES.labels(job.kind).inc()
        metrics.CLAIMED.labels(jobs[0].lane).inc(len(jobs))

    async def _sleep(self, seconds: float | None) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wake.wait()

    async def _leave(self, executor: Executor) -> None:
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
            assert self.id is not None  # noqa: S101
            self._heartbeat.leave(self.id)

    async def _say_goodbye(self, executor: Executor) -> None:
        assert self.id is not None  # noqa: S101
        unfinished, stuck = await executor.stop(self._grace, self._hurry)
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
