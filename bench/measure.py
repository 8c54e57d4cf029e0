"""The measurements, the same for every peer, each in a database of its own.

bulk enqueue
    jobs a second of one `Producer.bulk` call, from the call to its return, with the connection
    made before; every job is durably committed by then, in as many commits as the peer likes.
single enqueue
    jobs a second of `Producer.single` calls, one after the other on one connection, each a
    commit of its own, after a few to warm up.
drain
    the jobs are there, ANALYZE and CHECKPOINT have run, the worker processes are started and
    connected and stand at the gate, and the machine has come to rest: what was measured before has
    left files to write, and whoever comes next would pay for it. The clock runs from the `go` that
    is sent to all of them to the moment when the peer's own tables, asked by another connection,
    have no unfinished job left. They are asked only from the moment when every handler has run (the
    handlers mark a board in shared memory, which costs the database nothing), then every 5 ms. So
    what a peer buffers before it writes a completion counts, and the asking does not burden it.
    After that the tables must show every job succeeded, and the board must show every job handled;
    jobs handled twice are counted and reported.
idle pick-up latency
    one worker, idle; another process enqueues one job about every 50 ms. From just before the
    enqueueing call to the first line of the handler, so the commit of the enqueue is part of it.
"""

import asyncio
import json
import mmap
import os
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import asyncpg

ROOT = Path(__file__).resolve().parent.parent
WARM_UP = 20
PATIENCE = 600.0
SETTLE_SECONDS = 1.0


class BenchError(Exception):
    """A peer did not do its work; its figures would mean nothing."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A peer as the bench knows it: an interpreter, a module and what `describe` said."""

    name: str
    python: Path
    tune: str
    versions: dict[str, str]
    settings: dict[str, Any]
    share: float
    open_sql: str
    done_sql: str

    def environment(self) -> dict[str, str]:
        return _environment(self.tune)


def _environment(tune: str) -> dict[str, str]:
    path = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), "BENCH_TUNE": tune}


async def describe(name: str, python: Path, tune: str) -> Subject:
    """Ask a peer's module about itself."""
    answer = await _call(name, python, _environment(tune), "describe")
    return Subject(name=name, python=python, tune=tune, **answer)


async def _call(name: str, python: Path, env: dict[str, str], *arguments: str) -> Any:
    """Run a verb of a peer's module and return its answer."""
    process = await asyncio.create_subprocess_exec(
        *(str(python), "-m", f"bench.peers.{name}", *arguments),
        cwd=ROOT,
        env=env,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(), PATIENCE)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0 or not out.strip():
        raise BenchError(f"{name} {arguments[0]} failed:\n{err.decode()[-4000:]}")
    return json.loads(out.decode().splitlines()[-1])


async def settle() -> None:
    """Let what was measured before be written, so that nobody pays for another's files."""
    await asyncio.to_thread(os.sync)
    await asyncio.sleep(SETTLE_SECONDS)


class Board:
    """A file in memory in which the handlers of one worker process mark the jobs they ran."""

    def __init__(self, path: Path, jobs: int, width: int) -> None:
        path.write_bytes(bytes(jobs * width))
        self.path = path
        with path.open("rb") as file:
            self.cells = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


class Worker:
    """A worker process of a peer."""

    def __init__(self, process: asyncio.subprocess.Process, errors: Path, name: str) -> None:
        self._process = process
        self._errors = errors
        self._name = name

    async def ready(self) -> None:
        """Wait until it is connected and stands at the gate."""
        assert self._process.stdout is not None
        while True:
            line = await asyncio.wait_for(self._process.stdout.readline(), 60)
            if line.strip() == b"ready":
                return
            if not line:
                raise self.failure()

    def go(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(b"go\n")

    def check(self) -> None:
        if self._process.returncode is not None:
            raise self.failure()

    def failure(self, what: str = "ended") -> BenchError:
        return BenchError(f"a worker of {self._name} {what}:\n{self._errors.read_text()[-4000:]}")

    async def stop(self) -> None:
        if self._process.returncode is None:
            self._process.terminate()
            try:
                await asyncio.wait_for(self._process.wait(), 10)
            except TimeoutError:
                self._process.kill()
                await self._process.wait()


class Bench:
    """The server, and the measurements on it."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._number = 0

    def _dsn(self, database: str) -> str:
        return urlunsplit(urlsplit(self._server)._replace(path=f"/{database}"))

    async def facts(self) -> dict[str, str]:
        """What the server is; a bench without durable commits would compare nothing."""
        connection = await asyncpg.connect(self._server)
        shown = (
            "server_version fsync synchronous_commit full_page_writes wal_level wal_sync_method "
            "shared_buffers max_wal_size max_connections autovacuum jit"
        )
        facts = {name: str(await connection.fetchval(f"SHOW {name}")) for name in shown.split()}
        await connection.close()
        if facts["fsync"] != "on" or facts["synchronous_commit"] != "on":
            raise BenchError(f"the server does not commit durably: {facts}")
        return facts

    @asynccontextmanager
    async def _database(self, subject: Subject) -> AsyncIterator[tuple[str, Any]]:
        """A fresh database with the peer's tables, and a connection to it."""
        self._number += 1
        name = f"bench_{os.getpid()}_{subject.name}_{self._number}"
        admin = await asyncpg.connect(self._server)
        await admin.execute(f'CREATE DATABASE "{name}"')
        dsn = self._dsn(name)
        try:
            await self._ask(subject, "prepare", "--dsn", dsn)
            connection = await asyncpg.connect(dsn)
            durable = await connection.fetchval("SHOW synchronous_commit")
            if durable != "on":
                raise BenchError(f"{subject.name} turned synchronous_commit {durable}")
            await connection.execute("CHECKPOINT")
            try:
                yield dsn, connection
            finally:
                await connection.close()
        finally:
            await admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
            await admin.close()

    @asynccontextmanager
    async def _workers(
        self, subject: Subject, dsn: str, jobs: int, count: int, *, stamp: bool
    ) -> AsyncIterator[tuple[list[Worker], list[Board]]]:
        """Worker processes at the gate, each with its board."""
        workers: list[Worker] = []
        boards: list[Board] = []
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            try:
                for number in range(count):
                    board = Board(Path(folder, f"board-{number}"), jobs, 8 if stamp else 1)
                    errors = Path(folder, f"errors-{number}")
                    arguments = ["worker", "--dsn", dsn, "--board", str(board.path)]
                    with errors.open("wb") as stderr:  # noqa: ASYNC230 - nothing else runs
                        process = await asyncio.create_subprocess_exec(
                            *(str(subject.python), "-m", f"bench.peers.{subject.name}", *arguments),
                            *(["--stamp"] if stamp else []),
                            cwd=ROOT,
                            env={**subject.environment(), "BENCH_CREW": str(count)},
                            stdin=asyncio.subprocess.PIPE,
                            stdout=asyncio.subprocess.PIPE,
                            stderr=stderr,
                        )
                    workers.append(Worker(process, errors, subject.name))
                    boards.append(board)
                for worker in workers:
                    await worker.ready()
                yield workers, boards
            finally:
                for worker in workers:
                    await worker.stop()

    async def _ask(self, subject: Subject, *arguments: str) -> Any:
        return await _call(subject.name, subject.python, subject.environment(), *arguments)

    async def drain(self, subject: Subject, jobs: int, workers: int) -> dict[str, float]:
        """Enqueue in bulk, then drain: both rates."""
        async with self._database(subject) as (dsn, database):
            answer = await self._ask(subject, "bulk", "--dsn", dsn, "--jobs", str(jobs))
            there = await database.fetchval(subject.open_sql)
            if there != jobs:
                raise BenchError(f"{subject.name} enqueued {there} of {jobs} jobs")
            await database.execute("ANALYZE")
            async with self._workers(subject, dsn, jobs, workers, stamp=False) as (crew, boards):
                await database.execute("CHECKPOINT")
                await settle()
                start = time.perf_counter()
                for worker in crew:
                    worker.go()
                await self._handled(crew, boards, jobs)
                while await database.fetchval(subject.open_sql):
                    self._check(crew, start)
                    await asyncio.sleep(0.005)
                seconds = time.perf_counter() - start
                marks = sum(sum(board.cells[:]) for board in boards)
            done = await database.fetchval(subject.done_sql)
            if done != jobs:
                raise BenchError(f"{subject.name} finished {done} of {jobs} jobs")
        return {
            "bulk": jobs / answer["seconds"],
            "drain": jobs / seconds,
            "handled_again": marks - jobs,
        }

    async def _handled(self, crew: list[Worker], boards: list[Board], jobs: int) -> None:
        """Wait until every job's handler has run, looking at the boards alone."""
        start = time.perf_counter()
        while True:
            pages = [board.cells[:] for board in boards]
            missing = pages[0].count(0)
            if missing and len(pages) > 1 and sum(jobs - p.count(0) for p in pages) >= jobs:
                missing = sum(not any(marks) for marks in zip(*pages, strict=True))
            if not missing:
                return
            self._check(crew, start)
            await asyncio.sleep(0.005)

    @staticmethod
    def _check(crew: list[Worker], start: float) -> None:
        for worker in crew:
            worker.check()
        if time.perf_counter() - start > PATIENCE:
            raise crew[0].failure(f"did not finish in {PATIENCE:.0f} s")

    async def singles(self, subject: Subject, jobs: int) -> float:
        """Single enqueues a second."""
        async with self._database(subject) as (dsn, database):
            answer = await self._ask(subject, "singles", "--dsn", dsn, "--jobs", str(jobs))
            there = await database.fetchval(subject.open_sql)
            if there != jobs + min(WARM_UP, jobs):
                raise BenchError(f"{subject.name} enqueued {there} jobs singly, not {jobs}")
        return float(jobs / answer["seconds"])

    async def latency(self, subject: Subject, jobs: int) -> list[float]:
        """Milliseconds from the enqueueing call to the handler, for each job, sorted."""
        total = jobs + WARM_UP
        async with (
            self._database(subject) as (dsn, database),
            self._workers(subject, dsn, total, 1, stamp=True) as (crew, boards),
        ):
            crew[0].go()
            await asyncio.sleep(1)
            start = time.perf_counter()
            answer = await self._ask(subject, "drip", "--dsn", dsn, "--jobs", str(total))
            while await database.fetchval(subject.open_sql):
                self._check(crew, start)
                await asyncio.sleep(0.05)
            done = await database.fetchval(subject.done_sql)
            ran = memoryview(boards[0].cells[:]).cast("q").tolist()
        if done != total or not all(ran):
            raise BenchError(f"{subject.name} finished {done} of {total} jobs")
        waits = [(r - b) / 1e6 for r, b in zip(ran, answer["before"], strict=True)]
        return sorted(waits[WARM_UP:])
