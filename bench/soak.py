"""Ten minutes of steady work, with a transaction held open by somebody from minute 3 to 7.

A worker process drains what a producer enqueues at half the rate that was measured just before.
The held transaction keeps vacuum from removing anything, so the tables and their indexes fill with
what is dead. The bars: while it is held, claim p99 is at most 3 times what it was before; two
minutes after its release it is within 1.2 times, and the size has stopped growing. Bytes per job
are printed.

    python bench/soak.py                       # 10 minutes
    python bench/soak.py --minutes 1           # the same shape, shorter: does it run?
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import asyncpg
import uvloop

from handfast import Context, Handfast
from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from handfast.engine.work import lease

HOLD_FROM, HOLD_TO, CALM_AGAIN = 0.3, 0.7, 0.9  # shares of the whole time
MEASURED_JOBS = 50_000

# All of it grows with every job, as a history must; what must stop growing is the live table.
SIZE = """
    SELECT sum(pg_total_relation_size(c.oid))::bigint,
           pg_total_relation_size('handfast_engine.live')
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = 'handfast_engine' AND c.relkind = 'r'
"""


class Claims:
    """How long each claim took, seen from the worker."""

    def __init__(self) -> None:
        self.taken: list[tuple[float, float]] = []
        claim = lease.claim

        async def timed(*args: object, **given: object) -> object:
            started = time.monotonic()
            jobs = await claim(*args, **given)  # type: ignore[arg-type]
            if jobs:
                self.taken.append((started, time.monotonic() - started))
            return jobs

        lease.claim = timed  # type: ignore[assignment]

    def p99(self, begin: float, end: float) -> float:
        spans = sorted(took for at, took in self.taken if begin <= at < end)
        return spans[int(len(spans) * 0.99)] if spans else float("nan")

    def p50(self, begin: float, end: float) -> float:
        return statistics.median(took for at, took in self.taken if begin <= at < end)


async def drain_rate(hf: Handfast) -> float:
    """Jobs a second with one worker, nothing else going on."""
    async with hf.transaction() as tx:
        await hf.enqueue_many(
            tx, "soak.noop", [(f"measure-{n}", {"n": n}) for n in range(MEASURED_JOBS)]
        )
    worker = await hf.worker()
    started = time.monotonic()
    working = asyncio.create_task(worker.run())
    await until_empty(hf)
    rate = MEASURED_JOBS / (time.monotonic() - started)
    worker.stop()
    await working
    return rate


async def until_empty(hf: Handfast) -> None:
    database = await hf.database()
    while True:
        async with database.connection() as connection:
            if not await connection.fetchval("SELECT EXISTS (SELECT 1 FROM handfast_engine.live)"):
                return
        await asyncio.sleep(0.05)


async def produce(hf: Handfast, rate: float, end: float) -> int:
    """Enqueue ``rate`` jobs a second in small bulks until ``end``; answers how many."""
    made, started = 0, time.monotonic()
    while (now := time.monotonic()) < end:
        wanted = int((now - started) * rate) - made
        if wanted > 0:
            wanted = min(wanted, 5000)
            async with hf.transaction() as tx:
                await hf.enqueue_many(
                    tx, "soak.noop", [(f"soak-{made + n}", {"n": n}) for n in range(wanted)]
                )
            made += wanted
        await asyncio.sleep(0.05)
    return made


async def hold(dsn: str, begin: float, end: float) -> None:
    """Somebody's forgotten transaction: it has a snapshot and never looks at our tables."""
    await asyncio.sleep(begin - time.monotonic())
    connection = await asyncpg.connect(dsn)
    async with connection.transaction(isolation="repeatable_read"):
        await connection.fetchval("SELECT count(*) FROM pg_class")
        await asyncio.sleep(end - time.monotonic())
    await connection.close()


async def watch_size(dsn: str, end: float, seen: list[tuple[float, int, int]]) -> None:
    connection = await asyncpg.connect(dsn)
    while time.monotonic() < end:
        whole, live = (await connection.fetch(SIZE))[0]
        seen.append((time.monotonic(), whole, live))
        await asyncio.sleep(1)
    await connection.close()


async def soak(dsn: str, minutes: float) -> dict[str, float]:
    async with await Database.open(Target(dsn)) as database:
        await migrate(database)
    hf = Handfast(database_url=dsn)

    @hf.job("soak.noop")
    async def noop(_ctx: Context, n: int) -> None: ...

    rate = await drain_rate(hf) / 2
    seconds = minutes * 60
    print(f"half the drain rate: {rate:,.0f} jobs a second, for {minutes:g} minutes", flush=True)
    claims, sizes = Claims(), list[tuple[float, int, int]]()
    start = time.monotonic()
    at = {share: start + seconds * share for share in (0.05, HOLD_FROM, HOLD_TO, CALM_AGAIN, 1)}
    worker = await hf.worker()
    working = asyncio.create_task(worker.run())
    _, _, made = await asyncio.gather(
        hold(dsn, at[HOLD_FROM], at[HOLD_TO]),
        watch_size(dsn, at[1], sizes),
        produce(hf, rate, at[1]),
    )
    await until_empty(hf)
    worker.stop()
    await working
    await hf.close()

    def live_at(moment: float) -> float:
        return min(sizes, key=lambda seen: abs(seen[0] - moment))[2] / 1e6

    return {
        "rate": rate,
        "jobs": made,
        "claim p50 before (ms)": claims.p50(at[0.05], at[HOLD_FROM]) * 1e3,
        "claim p99 before (ms)": claims.p99(at[0.05], at[HOLD_FROM]) * 1e3,
        "claim p99 while held (ms)": claims.p99(at[HOLD_FROM], at[HOLD_TO]) * 1e3,
        "claim p99 after (ms)": claims.p99(at[CALM_AGAIN], at[1]) * 1e3,
        "live MB before": live_at(at[HOLD_FROM]),
        "live MB when released": live_at(at[HOLD_TO]),
        "live MB two minutes later": live_at(at[CALM_AGAIN]),
        "live MB at the end": live_at(at[1]),
        "bytes per job, history and all": sizes[-1][1] / (made + MEASURED_JOBS),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--json", type=Path, default=Path("bench/results/soak.json"))
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="handfast-soak-") as folder,
        EmbeddedServer(Path(folder), settings={"max_wal_size": "4GB"}) as server,
    ):
        figures = uvloop.run(soak(server.dsn(), options.minutes))
        server.stop(wait=True)
    for name, figure in figures.items():
        print(f"{name:36} {figure:12,.2f}")
    before = figures["claim p99 before (ms)"]
    bars = {
        "claim p99 while held": (figures["claim p99 while held (ms)"] / before, 3.0),
        "claim p99 after release": (figures["claim p99 after (ms)"] / before, 1.2),
        "live size, two minutes later to the end": (
            figures["live MB at the end"] / figures["live MB two minutes later"],
            1.1,
        ),
    }
    for name, (ratio, bound) in bars.items():
        verdict = "met" if ratio <= bound else "MISSED"
        print(f"{name:36} {ratio:12.2f} times; at most {bound}: {verdict}")
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(figures, indent=2))
    sys.exit(any(ratio > bound for ratio, bound in bars.values()) * 2)


if __name__ == "__main__":
    main()
