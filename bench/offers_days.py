"""Days of offers end to end on a durable server: from pinning to the last set, part by part.

    python bench/offers_days.py [--people N[,N...]] [--past N] [--days N]
                                [--selection mutual[,top]] [--workers N]
                                [--folder FOLDER] [--json FILE] [--quick]

People live in places of 5,000, as in ``bench/offers.py``, whose zones are all due. Each day goes
the way of the product: the plan is pinned, its snapshot read, the round chosen and stored; then the
workers' processes fan out and publish, with their own jobs, until no job is left. Figures are of
the first day, on empty tables, and of the last, with those before it in them.

The floors, in the same run: products of the same shapes as the round's (sgemm, two threads); COPY
of the rows that the last day wrote (members, picked, sets, offers, events) into tables without
indexes; enqueue and drain of as many jobs that do nothing, by as many processes.

With --past the people begin with offers of as many days before, all alive, put there by COPY.
Several sizes or selections are measured one after the other, each on a server of its
own, and the table at the end has a column for each, with what a scored pair has cost and how that
has grown.

With --folder the server, its people and the days that were made stay there, and the next run goes
on from them: a million people are made in one run (--days 0) and measured in the next, and each run
more has a day more in the tables.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import resource
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import msgspec
import structlog
import uvloop

from bench.jobs import machine
from bench.offers_people import FIRST_DAY, ZONES, move_in, past_days
from bench.offers_pools import SCORED, generated_pool, product_seconds
from bench.server import fresh_server
from handfast.apps.offers.daily import planning
from handfast.apps.offers.daily.fan_out import enqueue_fan_outs
from handfast.apps.offers.settings import OfferRules
from handfast.apps.offers.work import offers_crew
from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from handfast.engine.crew import Crew, WorkerOptions
from handfast.engine.host import Host, HostOptions
from handfast.engine.jobs.enqueue import enqueue_many
from handfast.engine.jobs.kinds import Kind, Kinds
from handfast.engine.work.context import Context

SERVER = {"max_wal_size": "16GB", "shared_buffers": "2GB", "maintenance_work_mem": "512MB"}
NOOP, NOOP_LANE, SLICE = "bench.noop", "bench", 5_000
METROPOLIS = 500_000 * 500_000  # pairs of a million in mutual reach, half of them for the others

WRITTEN = {
    "round_members": "SELECT * FROM handfast_offers.round_members WHERE day = $1",
    "picked": "SELECT * FROM handfast_offers.picked WHERE day = $1",
    "sets": "SELECT * FROM handfast_offers.sets WHERE day = $1",
    "match_offers": "SELECT * FROM handfast_offers.match_offers WHERE day = $1",
}
UNFINISHED = """
SELECT EXISTS (SELECT 1 FROM handfast_engine.live WHERE lane = $1 AND due_at <= handfast_db.now()),
       pg_sleep(0.1)"""
EVENTS = "SELECT * FROM handfast_engine.events WHERE ordinal > $1"


class Nothing(msgspec.Struct):
    pass


class Parts:
    """Seconds on the clock, in the order in which they went by."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - began
        print(f"    {name:<28}{self.seconds[name]:>8.1f} s", flush=True)

    @property
    def total(self) -> float:
        return sum(self.seconds.values())


# --- a day ----------------------------------------------------------------------------------------


async def one_day(
    database: Database, dsn: str, day: date, rules: OfferRules, workers: int
) -> tuple[Parts, dict[str, Any]]:
    now, parts = datetime.now(UTC), Parts()
    async with database.connection() as connection:
        for zone in ZONES:
            await connection.execute(
                "INSERT INTO handfast_offers.days (zone, day, due_at, ends_at, expires_at)"
                " VALUES ($1, $2, $3::timestamptz, $3 + interval '2 days', $3 + interval '6 days')",
                *(zone, day, now),
            )
        await connection.execute("CHECKPOINT")
    async with processes(workers, publish_for_ever, dsn):
        with parts.part("pin the plan"):
            async with database.transaction() as tx:
                await planning.pin(tx, day, rules)
        with parts.part("read the snapshot"):
            async with database.connection() as connection:
                snapshot = await planning.snapshot_of(connection, day)
        spent = time.process_time()
        with parts.part("choose"):
            made = await asyncio.to_thread(planning.round_from, snapshot, rules)
        spent = time.process_time() - spent
        with parts.part("store what was chosen"):
            async with database.transaction() as tx:
                await planning.choose(tx, day, made)
                await enqueue_fan_outs(tx, day)
        figures = {**msgspec.structs.asdict(made.figures), "chosen by": spent}
        del made, snapshot
        with parts.part("fan out and publish"):
            await _drained(database, "offers")
    return parts, figures


def publish_for_ever(dsn: str, ready: Any) -> None:
    def crews(database: Database) -> list[Crew]:
        crew = offers_crew(database, OfferRules(anchor_day=7))
        return [Crew(crew.kinds, crew.options)]

    _work(dsn, crews, ready)


def do_nothing_for_ever(dsn: str, ready: Any) -> None:
    async def noop(ctx: Context) -> None:
        pass

    def crews(_: Database) -> list[Crew]:
        kinds = Kinds()
        kinds.add(Kind(name=NOOP, handler=noop, payload=Nothing, lane=NOOP_LANE))
        return [Crew(kinds, WorkerOptions(lanes=(NOOP_LANE,)))]

    _work(dsn, crews, ready)


def _work(dsn: str, crews: Callable[[Database], list[Crew]], ready: Any) -> None:
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())

    async def main() -> None:
        async with await Database.open(Target(dsn), pool_size=6) as database:
            host = Host(database, Target(dsn), crews(database), HostOptions(poll=0.2))
            ready.set()
            await host.run()

    uvloop.run(main())


@asynccontextmanager
async def processes(count: int, work: Callable[[str, Any], None], dsn: str) -> AsyncIterator[None]:
    """As many, started before and ended after."""
    context = multiprocessing.get_context("spawn")
    ready = [context.Event() for _ in range(count)]
    begun = [context.Process(target=work, args=(dsn, one), daemon=True) for one in ready]
    for one in begun:
        one.start()
    for event in ready:
        await asyncio.to_thread(event.wait)
    try:
        yield
    finally:
        for one in begun:
            one.terminate()
            await asyncio.to_thread(one.join)
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"    processor time of workers so far {spent.ru_utime + spent.ru_stime:.1f} s")


async def _drained(database: Database, lane: str) -> None:
    async with database.connection() as connection:
        while await connection.fetchval(UNFINISHED, lane):
            pass


# --- floors ---------------------------------------------------------------------------------------


async def floors(
    database: Database, dsn: str, day: date, *, before: int, pairs: int, people: int, workers: int
) -> Parts:
    parts = Parts()
    print("  floors", flush=True)
    with parts.part("sgemm"):
        await asyncio.to_thread(product_seconds, pairs, 2)
    copied = Parts()
    for table, (sql, argument) in {
        **{name: (sql, day) for name, sql in WRITTEN.items()},
        "events": (EVENTS, before),
    }.items():
        await _copied(database, table, sql, argument, copied)
    parts.seconds["COPY"] = copied.total
    async with processes(workers, do_nothing_for_ever, dsn):
        with parts.part("enqueue and drain no-ops"):
            for first in range(0, people, SLICE):
                keys: list[tuple[str, dict[str, Any]]] = [
                    (f"{day}:{at}", {}) for at in range(first, min(first + SLICE, people))
                ]
                async with database.transaction() as tx:
                    await enqueue_many(tx, NOOP, keys)
            await _drained(database, NOOP_LANE)
    return parts


async def _copied(database: Database, table: str, sql: str, argument: object, parts: Parts) -> None:
    """The rows as they are, out and in again: only in is measured."""
    held = bytearray()

    async def take(data: bytes) -> None:
        held.extend(data)

    async def give() -> AsyncIterator[bytes]:
        for at in range(0, len(held), 1 << 18):
            yield bytes(held[at : at + (1 << 18)])

    async with database.transaction() as tx:
        connection = tx.connection
        await connection.execute(
            f"CREATE TEMP TABLE shape ON COMMIT DROP AS {sql} LIMIT 0".replace("$1", "NULL")
        )
        await connection.execute("DROP TABLE IF EXISTS public.floor")
        await connection.execute("CREATE TABLE public.floor (LIKE shape)")
        await connection.copy_from_query(sql, argument, output=take, format="binary")
    with parts.part(f"COPY {table}, {len(held) / 2**20:,.0f} MiB"):
        async with database.transaction() as tx:
            await tx.connection.copy_to_table(
                "floor", schema_name="public", source=give(), format="binary"
            )


# --- all of it ------------------------------------------------------------------------------------


async def measure(
    dsn: str, people: int, selection: str, *, past: int, days: int, workers: int
) -> dict[str, Any]:
    """The first and the last of these days, with the floors of the last."""
    result: dict[str, Any] = {"people": people, "selection": selection}
    async with await Database.open(Target(dsn), pool_size=8) as database:
        await migrate(database)
        async with database.connection() as connection:
            there = await connection.fetchval("SELECT count(*) FROM handfast_people.users")
            made = await connection.fetchval("SELECT count(*) FROM handfast_offers.plans")
        if not there:
            began = time.perf_counter()
            await move_in(database, people)
            if past:
                await past_days(database, people, past)
            print(f"  {people:,} people moved in, {time.perf_counter() - began:.0f} s", flush=True)
        async with database.connection() as connection:
            before_all = await connection.fetchval(
                "SELECT count(DISTINCT day) FROM handfast_offers.days"
            )
        rules = OfferRules(anchor_day=7, selection=selection)
        # What is compiled is compiled once for each process, and before the clock runs.
        few = generated_pool(400, 200, seed=3)
        await asyncio.to_thread(planning.made_round, rules, FIRST_DAY, SCORED, few)
        for number in range(days):
            day = FIRST_DAY + timedelta(days=made + number)
            async with database.connection() as connection:
                before = await connection.fetchval(
                    "SELECT coalesce(max(ordinal), 0) FROM handfast_engine.events"
                )
            load = os.getloadavg()[0]
            before_it = before_all + number
            print(f"  {people:,} people, {selection}, {before_it} days before", flush=True)
            parts, figures = await one_day(database, dsn, day, rules, workers)
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            print(f"    {'in all':<28}{parts.total:>8.1f} s, {memory:.2f} GiB", flush=True)
            last = number + 1 == days
            if last or number == 0:
                found = {
                    "before": before_it,
                    "load": load,
                    "memory": memory,
                    "parts": parts.seconds,
                }
                result["last" if last else "first"] = {**found, "figures": figures}
            if last:
                ground = await floors(
                    *(database, dsn, day),
                    before=before,
                    pairs=figures["pairs"],
                    people=people,
                    workers=workers,
                )
                result["floors"] = ground.seconds
    return result


def table(results: Sequence[dict[str, Any]]) -> str:
    """A column for each day that was measured."""
    columns = [(one, one[day]) for one in results for day in ("first", "last") if day in one]
    if not columns:
        return ""

    def row(name: str, value: Callable[[dict[str, Any], dict[str, Any]], str]) -> str:
        return f"{name:<34}" + "".join(f"{value(run, day):>14}" for run, day in columns)

    def whole(day: dict[str, Any]) -> float:
        return float(sum(day["parts"].values()))

    def per_pair(day: dict[str, Any]) -> float:
        return float(day["figures"]["chosen by"] / max(day["figures"]["pairs"], 1) * 1e9)

    def ratio(run: dict[str, Any], day: dict[str, Any]) -> str:
        if day is not run["last"]:
            return ""
        return f"{whole(day) / sum(run['floors'].values()):.2f}"

    def floor(name: str) -> Callable[[dict[str, Any], dict[str, Any]], str]:
        return lambda run, day: f"{run['floors'][name]:.1f}" if day is run["last"] else ""

    rows = [
        row("people", lambda run, _: f"{run['people']:,}"),
        row("selection", lambda run, _: run["selection"]),
        row("days in the table before", lambda _, day: str(day["before"])),
        row("load when it began", lambda _, day: f"{day['load']:.1f}"),
        *(
            row(name, lambda _, day, name=name: f"{day['parts'][name]:.1f}")  # type: ignore[misc]
            for name in columns[0][1]["parts"]
        ),
        row("in all, s", lambda _, day: f"{whole(day):.1f}"),
        row(
            "  microseconds for each person",
            lambda run, day: f"{whole(day) / run['people'] * 1e6:.0f}",
        ),
        row("most memory of the plan, GiB", lambda _, day: f"{day['memory']:.2f}"),
        *(row(f"floor: {name}", floor(name)) for name in results[0]["floors"]),
        row("in all / sum of the floors", ratio),
        row("scored pairs, millions", lambda _, day: f"{day['figures']['pairs'] / 1e6:,.0f}"),
        row("processor ns for each pair", lambda _, day: f"{per_pair(day):.1f}"),
    ]
    cost = [per_pair(day) for _, day in columns]
    hours = cost[-1] * METROPOLIS / 1e9 / 3600
    return "\n".join(
        [
            *rows,
            f"largest / smallest cost of a pair: {max(cost) / min(cost):.2f}",
            f"A million in mutual reach are {METROPOLIS / 1e9:.0f} thousand million pairs:",
            f"{hours:.1f} hours of one processor, computed by the last column and not measured.",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--people", default="100000", help="one number, or several with commas")
    parser.add_argument("--days", type=int, default=1)
    parser.add_argument("--past", type=int, default=0, help="days whose offers are there before")
    parser.add_argument("--selection", default="mutual", help="mutual, top, or both with a comma")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    if args.quick:
        args.people, args.days = "2000", 2
    runs = [
        (int(people), selection)
        for people in args.people.split(",")
        for selection in args.selection.split(",")
    ]
    if args.folder and len(runs) > 1:
        parser.error("a folder holds the people of one size: name one, and one selection")
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    results = []
    for people, selection in runs:
        with kept_server(args.folder) if args.folder else fresh_server(SERVER) as server:
            how = {"past": args.past, "days": args.days, "workers": args.workers}
            results.append(uvloop.run(measure(server.dsn(), people, selection, **how)))
    print(table(results))
    if args.json:
        found = {"machine": machine(), "runs": results}
        args.json.write_text(json.dumps(found, indent=1, default=str))


@contextmanager
def kept_server(folder: Path) -> Iterator[EmbeddedServer]:
    folder.mkdir(parents=True, exist_ok=True)
    server = EmbeddedServer(folder, settings=SERVER)
    try:
        server.start()
        yield server
    finally:
        server.stop(wait=True)


if __name__ == "__main__":
    main()
