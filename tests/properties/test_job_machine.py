"""The whole job machine against a model, with a clock that we move.

Hypothesis chooses what happens; after each step the tables must say what a few lines of Python
say, and what always holds must hold.
"""

import asyncio
from collections.abc import Coroutine, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import asyncpg
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

T = TypeVar("T")

START = datetime(2026, 6, 1, 12, tzinfo=UTC)
KEYS = st.sampled_from("abcdef")
LEASE = timedelta(minutes=5)
WAITS = (30, 120, 300)
EVERYTHING = (
    *("live", "dead", "prerequisites", "attempts", "jobs"),
    *("anchored_ends", "anchors", "events", "aggregates"),
)
LIVE = ("scheduled", "ready", "running", "blocked")


class Model:
    """One job as we think of it."""

    def __init__(self, key: str, due: datetime, needs: "Model | None", offset: int | None) -> None:
        self.key = key
        self.due = due
        self.counts_from = due  # the moment its tries are for: moves with its anchor
        self.needs = needs
        self.offset = offset  # seconds from the anchor, for those that hang on it
        self.state = "new"
        self.token = self.failures = 0
        self.lease: datetime | None = None
        self.cancelling = False
        self.met = False  # its prerequisite has succeeded at some time
        self.with_anchor = False  # was cancelled with its anchor

    def counts_anew_from(self, at: datetime) -> None:
        """Failures before its anchor moved were another time's: its tries begin anew."""
        if self.counts_from != at:
            self.counts_from, self.failures = at, 0

    def wait(self, now: datetime) -> None:
        self.lease = None
        if self.needs is not None and not self.met:
            self.state = "blocked"
        else:
            self.state = "scheduled" if self.due > now else "ready"


class JobMachine(RuleBasedStateMachine):
    dsn = ""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.jobs: dict[str, Model] = {}
        self.ids: dict[str, int] = {}
        self.now = START
        self.anchor = START + timedelta(hours=1)
        self.anchor_cancelled = False
        self.connection: asyncpg.Connection = self.wait(asyncpg.connect(self.dsn))
        self.claimed: list[tuple[str, int]] = []  # every token ever given, for zombies

    def wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(coroutine)

    def ask(self, sql: str, *args: Any) -> Any:
        return self.wait(self.connection.fetchval(sql, *args))

    def teardown(self) -> None:
        self.wait(self.connection.close())
        self.loop.close()

    @initialize()
    def empty(self) -> None:
        # Not TRUNCATE: it makes and syncs a new file for each table and index, every time.
        for table in EVERYTHING:
            self.ask(f"DELETE FROM handfast_engine.{table}")
        self.tick(0)
        self.ask("SELECT handfast_engine.set_anchor('a', $1)", self.anchor)

    # --- what can happen ----------------------------------------------------------------------

    @rule(seconds=st.sampled_from([1, 29, 31, 121, 301, 3600]))
    def tick(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)
        self.ask("SELECT set_config('handfast.now', $1, false)", self.now.isoformat())

    @rule(key=KEYS, delay=st.sampled_from([0, 60]), needs=st.none() | KEYS, hangs=st.booleans())
    def enqueue(self, key: str, delay: int, needs: str | None, hangs: bool) -> None:
        options = "{}"
        due: datetime | None = self.now + timedelta(seconds=delay)
        required = self.jobs.get(needs) if needs and needs != key else None
        if required is not None:
            options = f'{{"requires": [["m.job", "{required.key}"]]}}'
        elif hangs:
            options, due = '{"anchor": "a", "offset": "-60 seconds"}', None
        row = self.wait(
            self.connection.fetchrow(
                "SELECT id, created, state::text AS state "
                "FROM handfast_engine.enqueue('m.job', $1, '{}', $2, $3::jsonb)",
                key,
                due,
                options,
            )
        )
        assert row is not None
        if key in self.jobs:
            assert not row["created"]
            assert row["id"] == self.ids[key]
            assert row["state"] == self.jobs[key].state
            return
        assert row["created"]
        assert row["id"] not in self.ids.values()
        self.ids[key] = row["id"]
        at = self.anchor - timedelta(seconds=60) if due is None else due
        job = self.jobs[key] = Model(key, at, required, -60 if due is None else None)
        job.met = required is not None and required.state == "succeeded"
        if due is None and self.anchor_cancelled:
            job.state, job.with_anchor = "cancelled", True
        else:
            job.wait(self.now)
        assert row["state"] == job.state

    @rule(
        count=st.integers(1, 3),
        known=st.none() | st.lists(st.sampled_from(["m.job", "m.other"]), unique=True),
    )
    def claim(self, count: int, known: list[str] | None = None) -> None:
        rows = self.wait(
            self.connection.fetch(
                "SELECT key, token FROM handfast_engine.claim(NULL, '{default}', $1, $2,"
                " p_kinds => $3)",
                count,
                LEASE,
                known,
            )
        )
        is_known = known is None or "m.job" in known
        ready = sorted(
            (job for job in self.jobs.values() if job.state == "ready" and is_known),
            key=lambda job: (job.due, self.ids[job.key]),
        )
        rows.sort(key=lambda row: str(row["key"]))  # the answer has no order
        assert [row["key"] for row in rows] == sorted(job.key for job in ready[:count])
        for row in rows:
            job = self.jobs[row["key"]]
            assert row["token"] > job.token, "a token only grows"
            job.token, job.state, job.lease = row["token"], "running", self.now + LEASE
            self.claimed.append((job.key, job.token))

    def _holder(self, pick: int) -> tuple[Model, int, bool] | None:
        """Somebody who claimed once: the right one, or a zombie."""
        if not self.claimed:
            return None
        key, token = self.claimed[pick % len(self.claimed)]
        job = self.jobs[key]
        return job, token, job.state == "running" and job.token == token

    @rule(pick=st.integers(0, 50))
    def finish(self, pick: int) -> None:
        if (held := self._holder(pick)) is None:
            return
        job, token, ours = held
        accepted = self.ask(
            "SELECT handfast_engine.finish(ARRAY[$1::bigint], ARRAY[$2::bigint])",
            self.ids[job.key],
            token,
        )
        assert accepted == ([self.ids[job.key]] if ours else [])
        if ours:
            job.state, job.lease = "succeeded", None
            for other in self.jobs.values():
                if other.needs is job and not other.met:
                    other.met = True
                    if other.state == "blocked":
                        other.wait(self.now)

    @rule(pick=st.integers(0, 50), failure=st.sampled_from(["transient", "logic", "batch"]))
    def fail(self, pick: int, failure: str) -> None:
        if (held := self._holder(pick)) is None:
            return
        job, token, ours = held
        state = self.ask(
            "SELECT handfast_engine.fail($1, $2, $3, 'x')::text", self.ids[job.key], token, failure
        )
        if ours:
            self._failed(job, failure)
        assert state == (job.state if ours else None)

    def _failed(self, job: Model, failure: str) -> None:
        if job.cancelling:
            self._end(job, "cancelled")
        elif failure == "logic" or (failure != "batch" and job.failures >= len(WAITS)):
            job.failures += 1
            self._end(job, "dead")
        else:
            if failure == "transient":
                job.due = self.now + timedelta(seconds=WAITS[job.failures])
            if failure != "batch":
                job.failures += 1
            self._wait_again(job)

    def _wait_again(self, job: Model) -> None:
        if job.offset is not None:
            at = self.anchor + timedelta(seconds=job.offset)
            job.due = max(job.due, at)
            job.counts_anew_from(at)
            if self.anchor_cancelled:
                self._end(job, "cancelled")
                job.with_anchor = True
                return
        job.wait(self.now)

    def _end(self, job: Model, state: str) -> None:
        job.state, job.lease, job.cancelling = state, None, False

    @rule(pick=st.integers(0, 50))
    def hand_back(self, pick: int) -> None:
        if (held := self._holder(pick)) is None:
            return
        job, token, ours = held
        back = self.ask(
            "SELECT handfast_engine.hand_back(ARRAY[$1::bigint], ARRAY[$2::bigint])",
            self.ids[job.key],
            token,
        )
        assert back == ([self.ids[job.key]] if ours else [])
        if ours and job.cancelling:
            self._end(job, "cancelled")
        elif ours:
            self._wait_again(job)

    @rule()
    def rescue(self) -> None:
        late = [job for job in self.jobs.values() if job.lease and job.lease < self.now]
        assert self.ask("SELECT handfast_engine.rescue(100)") == len(late)
        for job in late:
            self._failed(job, "lost")

    @rule()
    def promote(self) -> None:
        due = [j for j in self.jobs.values() if j.state == "scheduled" and j.due <= self.now]
        assert self.ask("SELECT promoted FROM handfast_engine.promote(100)") == len(due)
        for job in due:
            job.state = "ready"

    @rule(key=KEYS)
    def cancel(self, key: str) -> None:
        state = self.ask("SELECT handfast_engine.cancel($1, 'x')::text", self.ids.get(key, 0))
        job = self.jobs.get(key)
        if job is None:
            assert state is None
            return
        if job.state == "running":
            job.cancelling = True
        elif job.state in LIVE:
            self._end(job, "cancelled")
        assert state == job.state

    @rule(key=KEYS)
    def skip(self, key: str) -> None:
        done = self.ask(
            "SELECT handfast_engine.withdraw($1, 'skipped', 'late')", self.ids.get(key, 0)
        )
        job = self.jobs.get(key)
        can = job is not None and job.state in ("scheduled", "ready", "blocked")
        assert done is can
        if can and job is not None:
            self._end(job, "skipped")

    @rule(pick=st.integers(0, 50))
    def acknowledge(self, pick: int) -> None:
        if (held := self._holder(pick)) is None:
            return
        job, token, ours = held
        done = self.ask(
            "SELECT handfast_engine.acknowledge_cancel($1, $2)", self.ids[job.key], token
        )
        assert done is (ours and job.cancelling)
        if done:
            self._end(job, "cancelled")

    @rule(key=KEYS)
    def requeue(self, key: str) -> None:
        back = self.ask("SELECT handfast_engine.requeue(ARRAY[$1::bigint])", self.ids.get(key, 0))
        job = self.jobs.get(key)
        if job is None or job.state != "dead":
            assert back == []
            return
        assert back == [self.ids[key]]
        job.state, job.failures, job.due = "ready", 0, self.now
        hangs = job.offset is not None
        job.counts_from = self.anchor + timedelta(seconds=job.offset or 0) if hangs else self.now

    @rule(key=KEYS)
    def revive(self, key: str) -> None:
        done = self.ask("SELECT handfast_engine.revive($1)", self.ids.get(key, 0))
        job = self.jobs.get(key)
        if job is None or job.state not in ("cancelled", "skipped", "succeeded"):
            assert not done
            return
        assert done
        job.failures, job.due, job.counts_from, job.offset = 0, self.now, self.now, None
        job.wait(self.now)

    @rule(hours=st.sampled_from([0, 1, 5]))
    def move_anchor(self, hours: int) -> None:
        at = self.now + timedelta(hours=hours)
        was_cancelled, self.anchor_cancelled = self.anchor_cancelled, False
        same = at == self.anchor and not was_cancelled
        self.anchor = at
        self.ask("SELECT handfast_engine.set_anchor('a', $1)", at)
        for job in self.jobs.values():
            comes_back = was_cancelled and job.with_anchor and job.state == "cancelled"
            if was_cancelled:
                job.with_anchor = False
            if comes_back:
                job.failures, job.offset = 0, -60
            elif same or job.offset is None or job.state not in ("scheduled", "ready", "blocked"):
                continue
            job.due = at - timedelta(seconds=60)
            job.counts_anew_from(job.due)
            job.wait(self.now)

    @rule()
    def cancel_anchor(self) -> None:
        self.ask("SELECT handfast_engine.cancel_anchor('a', 'x')")
        self.anchor_cancelled = True
        for job in self.jobs.values():
            if job.offset is not None and job.state in ("scheduled", "ready", "blocked"):
                self._end(job, "cancelled")
                job.with_anchor = True

    # --- what always holds --------------------------------------------------------------------

    @invariant()
    def agree(self) -> None:
        rows = self.wait(
            self.connection.fetch(
                "SELECT j.key, j.state::text AS ended, l.state::text AS live, l.id IS NOT NULL "
                "AS is_live, greatest(l.token, j.token) AS token, l.due_at, l.failures "
                "FROM handfast_engine.jobs AS j LEFT JOIN handfast_engine.live AS l ON l.id = j.id"
            )
        )
        assert len(rows) == len(self.jobs), "each identity once"
        for row in rows:
            job = self.jobs[row["key"]]
            assert row["is_live"] is (row["ended"] is None), "live if and only if not ended"
            assert (row["ended"] or row["live"]) == job.state
            assert row["token"] == job.token
            if row["is_live"]:
                assert row["due_at"] == job.due
                assert row["failures"] == job.failures
        orphans = (
            "SELECT count(*) FROM handfast_engine.live"
            " WHERE id NOT IN (SELECT id FROM handfast_engine.jobs)"
        )
        assert self.ask(orphans) == 0
        dead = "SELECT count(*) FROM handfast_engine.dead"
        assert self.ask(dead) == sum(job.state == "dead" for job in self.jobs.values())


@pytest.mark.hypothesis
def test_the_machine_does_what_the_model_says(machine_dsn: str) -> None:
    JobMachine.dsn = machine_dsn
    run_state_machine_as_test(
        JobMachine,
        settings=settings(
            max_examples=40,
            stateful_step_count=40,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.fixture
def machine(machine_dsn: str) -> Iterator[JobMachine]:
    """Driven by hand, for what chance finds one time in many."""
    JobMachine.dsn = machine_dsn
    machine = JobMachine()
    machine.empty()
    yield machine
    machine.teardown()


def test_an_anchor_that_moves_starts_the_tries_anew(machine: JobMachine) -> None:
    for moved_while in ("waiting", "running"):
        machine.enqueue(moved_while, 0, None, hangs=True)
    machine.tick(3600)
    machine.promote()
    for holder in (0, 1):
        machine.claim(1)
        machine.fail(holder, "transient")
    machine.tick(31)
    machine.promote()
    machine.claim(1)
    assert [job.failures for job in machine.jobs.values()] == [1, 1]
    machine.move_anchor(1)
    machine.agree()
    machine.fail(2, "transient")
    machine.agree()
    assert [job.failures for job in machine.jobs.values()] == [0, 0]


def test_an_anchor_that_comes_back_leaves_alone_what_was_revived_meanwhile(
    machine: JobMachine,
) -> None:
    machine.enqueue("a", 0, None, hangs=True)
    machine.cancel_anchor()
    machine.revive("a")
    machine.claim(1)
    machine.finish(0)
    machine.move_anchor(5)
    machine.agree()
    assert machine.jobs["a"].state == "succeeded"
