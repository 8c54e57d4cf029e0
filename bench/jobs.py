"""Measure the engine beside its peers on one durable PostgreSQL.

    python bench/jobs.py [--jobs N] [--peers floor,pgqueuer,...] [--json FILE] [--quick]

`bench/measure.py` says exactly what is measured, `bench/peers/` how each peer is set.
"""

import argparse
import asyncio
import importlib
import json
import math
import os
import platform
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import report
from bench.install import interpreter
from bench.measure import Bench, BenchError, Subject, describe

HERE = Path(__file__).resolve().parent
ORDER = ("floor", "pgqueuer", "procrastinate", "dbos", "handfast")


def available() -> list[str]:
    """The peers whose module is here, in the order of the table."""
    return [name for name in ORDER if (HERE / "peers" / f"{name}.py").exists()]


@asynccontextmanager
async def server(dsn: str | None) -> AsyncIterator[str]:
    """The server to measure on: the one that was named, or our embedded one in a new folder."""
    if dsn is not None:
        yield dsn
        return
    embedded = importlib.import_module("handfast.db.embedded")
    with tempfile.TemporaryDirectory(prefix="handfast-bench-") as folder:
        running = embedded.EmbeddedServer(Path(folder))
        running.start()
        try:
            yield str(running.dsn("postgres"))
        finally:
            running.stop(wait=True)


def quantile(ordered: list[float], share: float) -> float:
    """The nearest-rank quantile of sorted values."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


Samples = dict[str, list[float]]
Measurement = Callable[[Bench, Subject, argparse.Namespace, Samples], Awaitable[None]]


def draining(workers: int) -> Measurement:
    async def measure(
        bench: Bench, subject: Subject, args: argparse.Namespace, samples: Samples
    ) -> None:
        jobs = max(100, int(args.jobs * subject.share))
        got = await bench.drain(subject, jobs, workers)
        samples["bulk"].append(got["bulk"])
        samples[f"drain{workers}"].append(got["drain"])
        samples["handled_again"].append(got["handled_again"])
        say(subject, f"bulk enqueue: {got['bulk']:,.0f}/s")
        say(subject, f"drain with {workers} process(es): {got['drain']:,.0f}/s")

    return measure


async def singly(
    bench: Bench, subject: Subject, args: argparse.Namespace, samples: Samples
) -> None:
    samples["single"].append(await bench.singles(subject, args.singles))
    say(subject, f"single enqueue: {samples['single'][-1]:,.0f}/s")


async def idly(bench: Bench, subject: Subject, args: argparse.Namespace, samples: Samples) -> None:
    waits = await bench.latency(subject, args.latencies)
    samples["p50"].append(quantile(waits, 0.50))
    samples["p99"].append(quantile(waits, 0.99))
    say(subject, f"latency: p50 {samples['p50'][-1]:.2f} ms, p99 {samples['p99'][-1]:.2f} ms")


# One measurement after the other, each of all peers: on a machine whose speed drifts over minutes
# (a virtual one with neighbours: twice as slow ten minutes later, seen more than once), what is
# compared must have been measured within seconds of each other. And a drain lasts a second or two,
# in which the same machine may be half as quick: the one with a bar near it is made three times.
MEASUREMENTS = (draining(1), draining(2), draining(1), singly, draining(1), idly)


def in_turn(subjects: list[Subject], turn: int) -> list[Subject]:
    """Another one first in every round. The slow ones come last, not between those compared."""
    quick = [subject for subject in subjects if subject.share == 1.0]
    slow = [subject for subject in subjects if subject.share < 1.0]
    first = turn % max(1, len(quick))
    return [*quick[first:], *quick[:first], *slow]


def say(subject: Subject, what: str) -> None:
    print(f"  {subject.name:<14} {what}", flush=True)


def tunings(pairs: list[str]) -> dict[str, dict[str, Any]]:
    """`--tune peer.setting=value`, for trials: values are JSON."""
    tunes: dict[str, dict[str, Any]] = defaultdict(dict)
    for pair in pairs:
        key, _, value = pair.partition("=")
        peer, _, setting = key.partition(".")
        try:
            tunes[peer][setting] = json.loads(value)
        except json.JSONDecodeError:
            tunes[peer][setting] = value
    return tunes


def machine() -> dict[str, Any]:
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    return {
        "cores": len(os.sched_getaffinity(0)),
        "cpu": model,
        "system": platform.platform(),
        "python": platform.python_version(),
    }


async def run(args: argparse.Namespace) -> dict[str, Any]:
    """Measure all the peers, taking turns, and gather the result."""
    tunes = tunings(args.tune)
    host = machine()
    loads: list[float] = []
    subjects = [
        await describe(name, interpreter(name), json.dumps(tunes.get(name, {})))
        for name in args.peers
    ]
    samples: dict[str, dict[str, list[float]]] = {s.name: defaultdict(list) for s in subjects}
    async with server(args.server) as dsn:
        bench = Bench(dsn)
        facts = await bench.facts()
        print("PostgreSQL " + ", ".join(f"{key} {value}" for key, value in facts.items()))
        for turn in range(args.repeat):
            load = os.getloadavg()[0]
            loads.append(load)
            print(f"round {turn + 1} of {args.repeat}, the load before it {load:.1f}", flush=True)
            for measure in MEASUREMENTS:
                for subject in in_turn(subjects, turn):
                    await measure(bench, subject, args, samples[subject.name])
    result: dict[str, Any] = {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": host,
        "server": facts,
        "jobs": args.jobs,
        "singles": args.singles,
        "latencies": args.latencies,
        "repeat": args.repeat,
        "loads": loads,
        "peers": {
            s.name: {
                "versions": s.versions,
                "settings": s.settings,
                "tuned": bool(tunes.get(s.name)),
                "drained": max(100, int(args.jobs * s.share)),
                "figures": {
                    key: statistics.median(values) for key, values in samples[s.name].items()
                },
                "samples": samples[s.name],
            }
            for s in subjects
        },
    }
    result["bars"] = report.bars(result["peers"])
    return result


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--jobs", type=int, help="jobs to drain (default 100000)")
    parser.add_argument("--singles", type=int, help="single enqueues (default 2000)")
    parser.add_argument("--latencies", type=int, help="jobs to time when idle (default 300)")
    parser.add_argument("--repeat", type=int, help="rounds, of which the median counts (default 3)")
    parser.add_argument("--peers", default=",".join(available()), help="default: all")
    parser.add_argument("--server", help="DSN of a server to create databases on")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--svg", type=Path, help="where to draw the picture")
    parser.add_argument("--quick", action="store_true", help="a few hundred jobs: a smoke test")
    parser.add_argument(
        "--tune", action="append", default=[], metavar="PEER.SETTING=VALUE", help="for a trial"
    )
    args = parser.parse_args()
    args.peers = [name for name in args.peers.split(",") if name]
    if unknown := set(args.peers) - set(available()):
        parser.error(f"no such peer: {', '.join(sorted(unknown))}")
    for name, usual, quick in (
        ("jobs", 100_000, 500),
        ("singles", 2_000, 100),
        ("latencies", 300, 20),
        ("repeat", 3, 1),
    ):
        if getattr(args, name) is None:
            setattr(args, name, quick if args.quick else usual)
    results = HERE / "results"
    args.json = args.json or results / "jobs.json"
    args.svg = args.svg or args.json.with_suffix(".svg")
    return args


def main() -> int:
    args = arguments()
    try:
        result = asyncio.run(run(args))
    except BenchError as error:
        print(error, file=sys.stderr)
        return 1
    args.json.parent.mkdir(parents=True, exist_ok=True)
    args.json.write_text(json.dumps(result, indent=2) + "\n")
    args.svg.write_text(report.picture(result))
    report.show(result)
    print(f"\nfigures: {args.json}\npicture: {args.svg}")
    missed = [bar for bar in result["bars"] if not bar["met"]]
    return 2 if missed and not args.quick else 0


if __name__ == "__main__":
    sys.exit(main())
