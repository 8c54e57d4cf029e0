"""What every peer provides, and the small program that runs a peer in its own interpreter.

A peer is a module of this package that ends in ``main(Peer())``. The bench never imports it: it
runs ``python -m bench.peers.<name> <verb>`` with the interpreter of the peer's own virtual
environment, so this file needs the standard library alone. The timed code is here, not in the
peers, so that it is the same for all of them:

``describe``
    prints the peer's versions, settings and the two queries that count its jobs;
``prepare``
    creates the peer's tables in a fresh database;
``bulk``
    connects, then times one ``Producer.bulk`` of all the jobs;
``singles``
    connects, then times ``Producer.single`` once for every job, one after the other;
``drip``
    enqueues one job about every 50 ms, and prints the monotonic clock before and after each;
``worker``
    connects, says ``ready``, waits for ``go`` and works until it is ended.

A handler does nothing but mark that it ran, in a file mapped into memory: a byte for each job,
or in the latency measurement the monotonic clock, which all processes of one host share.
"""

import argparse
import asyncio
import json
import mmap
import os
import random
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol

Mark = Callable[[int], None]
Gate = Callable[[], Awaitable[None]]


class Producer(Protocol):
    """A connected enqueuer."""

    async def bulk(self, numbers: range) -> None:
        """Enqueue a job for each number by the fastest documented way."""

    async def single(self, number: int) -> None:
        """Enqueue one job and return when it is durably committed."""


class Peer(Protocol):
    """An engine that is measured."""

    packages: tuple[str, ...]
    """The distributions whose versions are recorded."""

    settings: Mapping[str, Any]
    """What was set, and is printed beside the figures."""

    share: float
    """The share of ``--jobs`` that this peer drains: less than 1 only for the slow ones."""

    open_sql: str
    """A query for the number of jobs that are not finished, cheap when there are none."""

    done_sql: str
    """A query for the number of jobs that finished successfully."""

    async def prepare(self, dsn: str) -> None:
        """Create the tables in an empty database."""

    async def producer(self, dsn: str) -> Producer:
        """Connect an enqueuer."""

    async def work(self, dsn: str, mark: Mark, gate: Gate) -> None:
        """Connect, await ``gate()`` once, then run a worker whose handler calls ``mark(n)``."""


def tuned(defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, with what ``--tune`` changes for a trial."""
    return {**defaults, **json.loads(os.environ.get("BENCH_TUNE", "{}"))}


def crew() -> int:
    """How many worker processes there are, for a peer that is best set differently for each."""
    return int(os.environ.get("BENCH_CREW", "1"))


def marker(board: Path, *, stamp: bool) -> Mark:
    """A handler's whole work: note in the board that job ``n`` ran, or when."""
    with board.open("r+b") as file:
        cells = memoryview(mmap.mmap(file.fileno(), 0))
    if stamp:
        clock = cells.cast("q")
        now = time.monotonic_ns

        def note(number: int) -> None:
            clock[number] = now()

    else:

        def note(number: int) -> None:
            cells[number] += 1

    return note


def chunks(numbers: range, size: int) -> Iterable[range]:
    """The numbers, in ranges of at most ``size``."""
    return (numbers[i : i + size] for i in range(0, len(numbers), size))


async def _bulk(peer: Peer, dsn: str, jobs: int) -> dict[str, Any]:
    producer = await peer.producer(dsn)
    start = time.perf_counter()
    await producer.bulk(range(jobs))
    return {"seconds": time.perf_counter() - start}


async def _singles(peer: Peer, dsn: str, jobs: int) -> dict[str, Any]:
    producer = await peer.producer(dsn)
    warm_up = min(20, jobs)
    for number in range(warm_up):
        await producer.single(number)
    start = time.perf_counter()
    for number in range(warm_up, warm_up + jobs):
        await producer.single(number)
    return {"seconds": time.perf_counter() - start}


async def _drip(peer: Peer, dsn: str, jobs: int) -> dict[str, Any]:
    producer = await peer.producer(dsn)
    jitter = random.Random(jobs)  # noqa: S311 - not a secret: only to leave no rhythm to lock on
    before, after = [], []
    for number in range(jobs):
        await asyncio.sleep(jitter.uniform(0.04, 0.06))
        before.append(time.monotonic_ns())
        await producer.single(number)
        after.append(time.monotonic_ns())
    return {"before": before, "after": after}


async def _worker(peer: Peer, dsn: str, mark: Mark) -> None:
    loop = asyncio.get_running_loop()
    go = asyncio.Event()

    def listen() -> None:
        for line in sys.stdin:
            if line.strip() == "go":
                loop.call_soon_threadsafe(go.set)
        os._exit(0)  # the bench is gone

    async def gate() -> None:
        print("ready", flush=True)
        await go.wait()

    threading.Thread(target=listen, daemon=True).start()
    await peer.work(dsn, mark, gate)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:  # Handfast, run from its own checkout
        return str(import_module(name).__version__)


def _describe(peer: Peer) -> dict[str, Any]:
    return {
        "versions": {name: _version(name) for name in peer.packages},
        "settings": dict(peer.settings),
        "share": peer.share,
        "open_sql": peer.open_sql,
        "done_sql": peer.done_sql,
    }


def _run(main: Coroutine[Any, Any, Any], *, fast: bool) -> Any:
    """Run on uvloop, except for a peer that says `uvloop: False` among its settings."""
    if not fast:
        return asyncio.run(main)
    import uvloop  # noqa: PLC0415 - a peer may do without it

    return uvloop.run(main)


def main(peer: Peer) -> None:
    """The program of a peer's module."""
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "verb", choices=["describe", "prepare", "bulk", "singles", "drip", "worker"]
    )
    parser.add_argument("--dsn", default="")
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--board", type=Path)
    parser.add_argument("--stamp", action="store_true")
    args = parser.parse_args()
    fast = bool(peer.settings.get("uvloop", True))
    answer: Any = None
    match args.verb:
        case "describe":
            answer = _describe(peer)
        case "prepare":
            _run(peer.prepare(args.dsn), fast=fast)
        case "worker":
            mark = marker(args.board, stamp=args.stamp)
            _run(_worker(peer, args.dsn, mark), fast=fast)
        case verb:
            timed = {"bulk": _bulk, "singles": _singles, "drip": _drip}[verb]
            answer = _run(timed(peer, args.dsn, args.jobs), fast=fast)
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
    os._exit(0)  # whatever threads and pools the peer has open, the answer is out
