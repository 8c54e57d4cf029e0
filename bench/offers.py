"""What a round costs, part by part, beside the floors that it stands on, in the same run.

    python bench/offers.py [--people N] [--per-place N] [--threads N] [--no-database] [--quick]

People live in places of --per-place, half men and half women, and everybody of the other gender is
eligible: every scored pair is one of two people who may be offered to each other.

mutual, top   a whole round: regions, shards, lists, selection, figures; wall and processor time
lists         each person's best 16 candidates, of four places, one after the other
selection     the greedy over all eligible pairs, out of those lists
sgemm         the floor of the lists: products of the same shapes, and nothing else
growth        a place of twice the people has four times the pairs: what a pair costs in both
ids           the UUIDv5 of each offer
COPY          the offers of the round into the table of offers with its indexes
bare COPY     its floor: the same rows into a table without any

What a place costs grows with its pairs. So a metropolis of a million people in mutual reach is
computed, not measured: 500,000 times 500,000 pairs at the measured cost of one.

Processor time is what to compare when something else runs beside; --threads tells the rounds only.
Not measured here: reading the snapshot, themes, jobs of the engine (``bench/batches.py``).
"""

import argparse
import asyncio
import os
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from uuid import UUID

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import asyncpg
import numpy as np

from bench.jobs import machine, server
from bench.offers_pools import SCORED, generated_pool
from handfast.apps.offers.daily.ids import offer_id
from handfast.apps.offers.rounds.arithmetic import compiled
from handfast.apps.offers.rounds.arithmetic.best import kept_apart_pairs, one_blas_thread
from handfast.apps.offers.rounds.arithmetic.kernel import ScoreV1
from handfast.apps.offers.rounds.making import MadeRound, RoundInputs, make_round
from handfast.apps.offers.rounds.market import BLOCK, Effort, Market, RoundRules
from handfast.apps.offers.rounds.selections import mutual
from handfast.apps.offers.rounds.shards import InThreads
from handfast.db.connect import Target
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database

DAY = date(2026, 3, 2)
SAMPLE = 4  # places whose parts are measured
COLUMNS = (
    *("id", "user_id", "candidate_id", "offered_at", "expires_at", "day", "place", "score"),
    "themes",
)
BARE = """
CREATE TABLE public.bare (id uuid, user_id uuid, candidate_id uuid, offered_at timestamptz,
    expires_at timestamptz, day date, place smallint, score smallint, themes text[])
"""


class Took:
    """Of a part: seconds on the clock, seconds of processors."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0

    @contextmanager
    def measuring(self) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu


def show(part: str, took: Took, count: int, what: str) -> None:
    print(
        f"{part:22} {took.wall:8.1f} s wall {took.cpu:8.1f} s cpu "
        f"{1e9 * took.cpu / max(count, 1):10.1f} ns cpu a {what}"
    )


def whole_round(inputs: RoundInputs, threads: int) -> MadeRound:
    took = Took()
    with took.measuring():
        made = make_round(inputs, InThreads(threads))
    show(inputs.selection, took, made.figures.pairs, "pair")
    print(" " * 23, made.figures)
    return made


def parts(per_place: int, places: int) -> float:
    """Lists and selection of places of their own. Answers what a pair costs, in ns."""
    lists, selection, pairs = Took(), Took(), 0
    with one_blas_thread():
        for seed in range(places):
            market = one_place(per_place, seed)
            with lists.measuring():
                assert len(market.best) == per_place
            with selection.measuring():
                mutual(market)
            pairs += market.eligible
        show(f"lists of {per_place}", lists, pairs, "pair")
        show(f"selection of {per_place}", selection, pairs, "pair")
        products(pairs)
    return 1e9 * (lists.cpu + selection.cpu) / pairs


def one_place(people: int, seed: int) -> Market:
    pool = generated_pool(people, people, seed=seed)
    nobody = np.empty(0, np.int64)
    apart = kept_apart_pairs(people, nobody, nobody, nobody)
    return Market(pool, ScoreV1(SCORED, pool), apart, RoundRules(), effort=Effort())


def products(pairs: int) -> None:
    """As many pairs, in blocks as the lists have them."""
    some = generated_pool(BLOCK, BLOCK, seed=1)
    features = ScoreV1(SCORED, some).features(np.arange(BLOCK))
    took, blocks = Took(), max(pairs // BLOCK**2, 1)
    with took.measuring():
        for _ in range(blocks):
            ScoreV1.sides(features, features)
    show("sgemm", took, blocks * BLOCK**2, "pair")


Row = tuple[object, ...]


def offers_of(made: MadeRound) -> list[Row]:
    at = datetime(2026, 3, 2, 8, tzinfo=UTC)
    took, rows = Took(), list[Row]()
    daily = made.picks.daily
    with took.measuring():
        for pick, place in zip(daily, daily.rows["place"].tolist(), strict=True):
            user, candidate = UUID(int=pick.user + 1), UUID(int=pick.candidate + 1)
            key = offer_id(DAY, user, candidate)
            until = at + timedelta(days=6)
            rows.append((key, user, candidate, at, until, DAY, place, pick.score, ["values"]))
    show("ids", took, len(rows), "offer")
    return rows


async def copied(rows: list[Row]) -> None:
    async with server(None) as dsn:
        async with await Database.open(Target(dsn), pool_size=2) as database:
            await migrate(database)
        connection = await asyncpg.connect(dsn)
        await connection.execute(BARE)
        for part, schema, table in (
            ("COPY", "handfast_offers", "match_offers"),
            ("bare COPY", "public", "bare"),
        ):
            took = Took()
            with took.measuring():
                await connection.copy_records_to_table(
                    table, schema_name=schema, records=rows, columns=COLUMNS
                )
            show(part, took, len(rows), "offer")
        await connection.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--per-place", type=int, default=5_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--no-database", action="store_true")
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    if args.quick:
        args.people, args.per_place = 2_000, 500
    print(machine(), "load", os.getloadavg(), "numba" if compiled.there() else "numpy only")
    one_place(200, 1).best.sum()  # compiled before anything is measured
    mutual(one_place(200, 1))
    cost = parts(args.per_place, SAMPLE)
    twice = parts(2 * args.per_place, 1)
    print(f"growth: a pair costs {twice / cost:.2f} times as much in a place of twice the people")
    print(
        f"a metropolis of a million in mutual reach: {cost * 0.25e12 / 3.6e12:.1f} h cpu, computed"
    )
    pool = generated_pool(args.people, args.per_place, seed=1)
    for selection in ("top", "mutual"):
        made = whole_round(
            RoundInputs(pool, SCORED, RoundRules(), selection=selection), args.threads
        )
    print(f"memory at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")
    rows = offers_of(made)
    if not args.no_database:
        asyncio.run(copied(rows))


if __name__ == "__main__":
    main()
