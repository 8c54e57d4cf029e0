"""Exactly once, under fire.

Real worker processes are killed, frozen past their lease and thawed; their clocks are wrong;
PostgreSQL is restarted, crashed and killed. The effect of a job is a row in the transaction that
completes it, in a table that would take any number of them.

``--chaos-seconds 600`` goes on for longer, with more of it: connections to PostgreSQL that fall
silent, handlers that cannot be stopped by asking, receivers of webhooks that never answer, and
workers that are asked to leave in the middle of it all.
"""

import asyncio
import os
import random
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer, status
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from handfast.services.webhooks.sending.deliverer import LANE
from tests.support.eventually import eventually_async
from tests.support.scripted_receiver import ScriptedReceiver, open_receiver
from tests.support.silent_proxy import SilentProxy
from tests.support.webhooks_harness import WebhooksHarness
from tests.support.worker_processes import WorkerProcesses, open_worker_processes

WORKERS = 4
KILLS_MIN = 50
REFUSALS_MIN = 20
KILL_EVERY = 0.5
FIRE_SECONDS_MAX = 600.0  # far more than needed, also if others use the processor too
CRASH_EVERY = 8.0
CRASHES = (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL)  # fast, immediate, without a word
# Of the long form:
SILENCE_EVERY = 20.0
LEAVE_EVERY = 5  # turns
STUBBORN_EVERY = 10  # turns
DEAD_RECEIVERS = 10  # more than a deliverer has places


@pytest.fixture
async def own(tmp_path: Path, postgres_bin: Path | None) -> AsyncIterator[EmbeddedServer]:
    """A server that may be mistreated."""
    with EmbeddedServer(
        tmp_path / "pg", bin_dir=postgres_bin, settings={"max_connections": "120"}
    ) as server:
        async with await Database.open(Target(server.dsn())) as database:
            await migrate(database)
            async with database.connection() as connection:
                await connection.execute(
                    "CREATE TABLE effects (number bigint, pid bigint);"
                    "CREATE TABLE refused (number bigint)"
                )
        yield server


async def ask(dsn: str, sql: str, *args: Any) -> Any:
    """On a connection of its own: the server comes and goes."""
    deadline = time.monotonic() + 30
    while True:
        try:
            connection = await asyncpg.connect(dsn, timeout=10)
            try:
                return await connection.fetchval(sql, *args)
            finally:
                connection.terminate()
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(0.05)


OURS = f"WHERE lane <> '{LANE}'"  # what is for dead receivers has no end
RUNNING_ON = (
    "SELECT count(*) FROM handfast_engine.live AS l JOIN handfast_engine.workers AS w ON w.id ="
    " l.worker "
    "WHERE w.name = $1 AND l.state = 'running'"
)
ENQUEUE = (
    "SELECT count(*) FROM handfast_engine.enqueue_many($1, "
    "ARRAY(SELECT g::text FROM generate_series($2::int, $3) AS g), "
    "ARRAY(SELECT jsonb_build_object('number', g) FROM generate_series($2::int, $3) AS g))"
)


BROUGHT_FORWARD = (
    "SELECT count(handfast_engine.retry(l.id)) FROM handfast_engine.live AS l "
    "WHERE l.group_name = 'webhooks:' || $1::text AND l.state = 'scheduled'"
)
LEFT = (
    "SELECT jsonb_agg(jsonb_build_object('key', l.key, 'state', l.state, 'due', l.due_at,"
    " 'attempt', l.attempt, 'lease', l.lease_until))"
    " FROM handfast_engine.live AS l WHERE l.group_name = 'webhooks:' || $1::text"
)
# What was lost ten times is a dead letter: nobody knows that it did not kill its worker itself.
REQUEUED = (
    "SELECT cardinality(handfast_engine.requeue(coalesce(array_agg(d.job_id), '{}')))"
    " FROM handfast_engine.dead AS d"
    " WHERE d.kind = 'webhooks.deliver' AND d.key LIKE '%:' || $1::text || '%'"
    " AND d.error_class = 'lost' AND d.discarded_at IS NULL"
)
# All but those that no endpoint, or not this one, is told by design: that one of its own deliveries
# died, or one that said so.
TOLD = (
    "SELECT coalesce(array_agg(e.id::text), '{}') FROM handfast_engine.events AS e WHERE"
    " coalesce(handfast_webhooks.failed_endpoint(e.type, e.data), '') NOT IN ('nobody', $1)"
)
# By the living receiver: the others never answer.
DELIVERED = "SELECT count(*) FROM handfast_webhooks.attempts WHERE outcome = 'delivered'"


def hit_postgres(server: EmbeddedServer, how: signal.Signals) -> None:
    found = status(server.folder.root)
    if found is not None and found.postmaster_pid is not None:
        with suppress(ProcessLookupError):
            os.kill(found.postmaster_pid, how)


class Fire:
    """Kills, freezes and crashes until enough has happened to prove something."""

    def __init__(
        self,
        server: EmbeddedServer,
        workers: WorkerProcesses,
        seconds: float | None,
        chance: random.Random,
        more: "More | None",
    ) -> None:
        self._chance = chance
        self._more = more
        self._server = server
        self._dsn = server.dsn()
        self._workers = workers
        self._seconds = seconds
        self._began = time.monotonic()
        self._crashes = list(CRASHES)
        self._crash_at = self._began + CRASH_EVERY
        self.hits = self.enqueued = self.refused = 0

    async def burn(self) -> None:
        turn, next_at = 0, time.monotonic()
        while not await self._enough():
            turn += 1
            await self._feed()
            await self._crash_if_due()
            self._workers.thaw_due()
            self._workers.fill()
            self.hits += await self._strike(freeze=turn % 6 == 0)
            if self._more is not None:
                await self._more.stir(turn)
            next_at += KILL_EVERY
            await asyncio.sleep(max(0.05, next_at - time.monotonic()))

    async def _enough(self) -> bool:
        elapsed = time.monotonic() - self._began
        if self._seconds is not None:
            return elapsed > self._seconds
        self.refused = await ask(self._dsn, "SELECT count(*) FROM refused")
        proved = self.hits >= KILLS_MIN and self.refused >= REFUSALS_MIN and not self._crashes
        return proved or elapsed > FIRE_SECONDS_MAX

    async def _feed(self) -> None:
        ready = f"SELECT count(*) FROM handfast_engine.live {OURS} AND state = 'ready'"
        if await ask(self._dsn, ready) < 200:
            for kind in ("chaos.effect", "chaos.plain"):
                await ask(self._dsn, ENQUEUE, kind, self.enqueued + 1, self.enqueued + 300)
            self.enqueued += 300

    async def _crash_if_due(self) -> None:
        if time.monotonic() > self._crash_at:
            self._crash_at += CRASH_EVERY
            how = self._crashes.pop(0) if self._crashes else self._chance.choice(CRASHES)
            hit_postgres(self._server, how)
            await asyncio.to_thread(self._server.ensure)

    async def die_down(self) -> None:
        """Everything that is left must come to its end by itself."""
        while self._workers.frozen:
            self._workers.thaw_due()
            await asyncio.sleep(0.05)
        self._workers.fill()
        if self._more is not None:
            await self._more.die_down()

        async def drained() -> bool:
            return bool(
                await ask(self._dsn, f"SELECT count(*) = 0 FROM handfast_engine.live {OURS}")
            )

        await eventually_async(drained, within=180)
        self.refused = await ask(self._dsn, "SELECT count(*) FROM refused")

    async def _strike(self, *, freeze: bool) -> int:
        """Freeze a worker, or kill one. Answers 1 if a running job was killed with it."""
        workers = self._workers
        for victim in self._chance.sample(workers.running, len(workers.running)):
            workers.signal(victim, signal.SIGSTOP)  # so that what we count is what is killed
            if not await ask(self._dsn, RUNNING_ON, str(victim)):  # hardly begun: let it live
                workers.signal(victim, signal.SIGCONT)
                continue
            if freeze:
                workers.freeze(victim)
                return 0
            workers.kill(victim)
            return 1
        return 0


class More:
    """What the long form has besides."""

    def __init__(
        self,
        dsn: str,
        workers: WorkerProcesses,
        proxy: SilentProxy,
        sink: ScriptedReceiver,
        *,
        living: UUID,
        chance: random.Random,
    ) -> None:
        self._dsn = dsn
        self._workers = workers
        self._proxy = proxy
        self._sink = sink
        self._living = living
        self._chance = chance
        self._silence_at = time.monotonic() + SILENCE_EVERY
        self.stubborn = 0

    async def stir(self, turn: int) -> None:
        await ask(self._dsn, "SELECT handfast_engine.emit('chaos.turned', 'chaos', '{}')")
        if turn % STUBBORN_EVERY == 0:
            self.stubborn += 1
            await ask(self._dsn, ENQUEUE, "chaos.stubborn", self.stubborn, self.stubborn)
        if turn % LEAVE_EVERY == 0 and self._workers.running:
            self._workers.ask_to_leave(self._chance.choice(self._workers.running))
        self._workers.all_have_left()
        if time.monotonic() > self._silence_at:
            self._silence_at = time.monotonic() + SILENCE_EVERY
            self._proxy.cut_silent()
            self._proxy.go_silent(server_is_gone=self._chance.random() < 0.5)

    async def die_down(self) -> None:
        """Until no handler is left that cannot be stopped by asking, and the living receiver has
        all, also what a person has to put back. Nobody fights any more, so who stays is held up by
        what was done to him before."""
        self._proxy.cut_silent()
        stubborn = "SELECT count(*) FROM handfast_engine.live WHERE kind = 'chaos.stubborn'"
        async with asyncio.timeout(120):
            while await ask(self._dsn, stubborn):
                await asyncio.sleep(2)
                await self.all_leave()
                self._workers.fill()
        try:
            await eventually_async(self._has_all, within=180)
        except AssertionError as error:
            left = await ask(self._dsn, LEFT, str(self._living))
            raise AssertionError(f"not all was delivered: {left}") from error

    async def check(self) -> None:
        await self.all_leave()
        assert self._workers.overstayed == [], "every process ends within its grace period"
        assert self.stubborn > 0
        await _each_once(self._dsn, "chaos.stubborn", self.stubborn)
        assert await ask(self._dsn, "SELECT count(*) FROM effects WHERE number < 0") == (
            self.stubborn
        )
        events = await ask(self._dsn, TOLD, str(self._living))
        assert await ask(self._dsn, DELIVERED) == len(events) > 0, "each is noted once"
        assert {got.headers["webhook-id"] for got in self._sink.received} == set(events)

    async def all_leave(self) -> None:
        for pid in list(self._workers.running):
            self._workers.ask_to_leave(pid)
        await eventually_async(self._all_have_left, within=60)

    async def _all_have_left(self) -> bool:
        return self._workers.all_have_left()

    async def _has_all(self) -> bool:
        # One that was killed waits for its next attempt as the policy has it, up to hours; and it
        # may be found out only now, when its lease ends.
        await ask(self._dsn, BROUGHT_FORWARD, str(self._living))
        await ask(self._dsn, REQUEUED, str(self._living))
        events = await ask(self._dsn, TOLD, str(self._living))
        return bool(await ask(self._dsn, DELIVERED) >= len(events))


@pytest.mark.long
@pytest.mark.timeout(0)  # it bounds itself; --chaos-seconds may be long
async def test_exactly_once_under_fire(
    own: EmbeddedServer, chance: random.Random, request: pytest.FixtureRequest
) -> None:
    dsn = own.dsn()
    seconds = request.config.getoption("--chaos-seconds")
    async with AsyncExitStack() as stack:
        if seconds is None:
            workers, more = stack.enter_context(open_worker_processes(dsn, WORKERS, chance)), None
        else:
            workers, more = await _with_more(stack, own, chance)
        workers.fill()
        fire = Fire(own, workers, seconds, chance, more)
        await fire.burn()
        await fire.die_down()
        if more is not None:
            await more.check()
    sys.stdout.write(
        f"{fire.enqueued:,} jobs of each of two kinds, {fire.hits:,} kills that hit running ones, "
        f"{fire.refused:,} late completions refused\n"
    )
    assert fire.hits >= KILLS_MIN, "too few kills hit running jobs: nothing is proved"
    assert fire.refused >= REFUSALS_MIN, "too few late completions: nothing is proved"
    await _each_once(dsn, "chaos.effect", fire.enqueued)
    await _each_once(dsn, "chaos.plain", fire.enqueued)
    assert await ask(dsn, "SELECT count(*) FROM effects WHERE number > 0") == fire.enqueued
    assert await ask(dsn, "SELECT count(*) = count(DISTINCT number) FROM effects")


async def _each_once(dsn: str, kind: str, many: int) -> None:
    finished = "SELECT count(*) FROM handfast_engine.jobs WHERE kind = $1 AND state = 'succeeded'"
    assert await ask(dsn, finished, kind) == many
    assert await ask(dsn, "SELECT count(*) FROM handfast_engine.jobs WHERE kind = $1", kind) == many
    successes = (
        "SELECT count(*) FROM handfast_engine.attempts WHERE outcome = 'succeeded' AND kind = $1"
    )
    assert await ask(dsn, successes, kind) == many


async def _with_more(
    stack: AsyncExitStack, server: EmbeddedServer, chance: random.Random
) -> tuple[WorkerProcesses, More]:
    address = server.address
    proxy = await stack.enter_async_context(SilentProxy(address.host, address.port))
    living, dead = [await stack.enter_async_context(open_receiver()) for _ in range(2)]
    dead.reply = "hang"
    async with await Database.open(Target(server.dsn())) as database:
        desk = WebhooksHarness(database)
        here = (await desk.add(living.url)).endpoint.id
        for n in range(DEAD_RECEIVERS):
            await desk.add(f"{dead.url}/{n}")
    workers = stack.enter_context(
        open_worker_processes(proxy.dsn(), WORKERS, chance, webhooks=True)
    )
    return workers, More(server.dsn(), workers, proxy, living, living=here, chance=chance)


async def test_a_job_that_kills_its_process_ends_as_a_dead_letter(
    own: EmbeddedServer, chance: random.Random
) -> None:
    dsn = own.dsn()
    await ask(dsn, "SELECT id FROM handfast_engine.enqueue('chaos.killer', 'k')")
    await ask(dsn, ENQUEUE, "chaos.effect", 1, 40)

    async def over() -> bool:
        workers.fill()
        return bool(await ask(dsn, "SELECT count(*) = 0 FROM handfast_engine.live"))

    with open_worker_processes(dsn, 2, chance) as workers:
        await eventually_async(over, within=180)
    assert (
        await ask(dsn, "SELECT state::text FROM handfast_engine.jobs WHERE kind = 'chaos.killer'")
        == "dead"
    )
    assert (
        await ask(
            dsn,
            "SELECT count(*) FROM handfast_engine.attempts WHERE kind = 'chaos.killer' AND"
            " outcome = 'lost'",
        )
        == 4
    )
    assert (
        await ask(dsn, "SELECT error FROM handfast_engine.dead")
        == "the worker that ran it stopped answering"
    )
    assert (
        await ask(dsn, "SELECT count(*) FROM handfast_engine.events WHERE type = 'job.dead'") == 1
    )
    assert (
        await ask(dsn, "SELECT count(*) FROM handfast_engine.jobs WHERE state = 'succeeded'") == 40
    )
    assert await ask(dsn, "SELECT count(*) FROM effects") == 40
