"""A process that pairs until it is killed.

    python -m tests.support.stakes_process DSN NAME
    python -m tests.support.stakes_process DSN NAME REDIS_URL [patient|compare]

Each pair that was committed is a line on standard output: how many there were in its round. With a
Redis it pairs as a matchmaker does, also with one that is slow if it is ``patient``; with
``compare`` it only tells Redis who is in line, and says how many were missing.
"""

import asyncio
import sys

from handfast.apps.stakes.fast.lines import RedisLines
from handfast.apps.stakes.fast.mirror import compare
from handfast.apps.stakes.fast.path import FastPath
from handfast.apps.stakes.matching.loop import Matchmaker
from handfast.apps.stakes.matching.pairing import pair
from handfast.apps.stakes.terms import StakeTerms
from handfast.db.connect import Target
from handfast.db.outage import PASSING
from handfast.db.pool import Database
from handfast.db.redis import CALL_SECONDS, GuardedRedis

TERMS = StakeTerms()
PATIENT_SECONDS = 30.0  # of a machine on which everything is slow


async def through_the_database(database: Database, name: str) -> None:
    while True:
        try:
            async with database.transaction() as tx:
                done = await pair(tx, name, TERMS, pairs=3)
                await asyncio.sleep(0.005)  # the pair is made and not committed: killed here
        except PASSING:
            continue
        if done.pairs:
            print(done.pairs, flush=True)  # noqa: T201  # what it is for


async def through_redis(database: Database, name: str, url: str, call_seconds: float) -> None:
    async with GuardedRedis(url, call_seconds=call_seconds, rest_seconds=0.05) as redis:
        fast = FastPath(database, RedisLines(redis, TERMS.amounts), TERMS, rest_seconds=0.05)
        maker = Matchmaker(database, TERMS, name, fast)
        while True:
            made = await maker.round()
            if made:
                print(made, "redis" if fast.in_use else "database", flush=True)  # noqa: T201
            await asyncio.sleep(0.001)


async def main(dsn: str, name: str, url: str = "", what: str = "") -> None:
    async with await Database.open(Target(dsn), pool_size=2, application="stakes") as database:
        if what == "compare":
            async with GuardedRedis(url, call_seconds=PATIENT_SECONDS) as redis:
                drift = await compare(database, RedisLines(redis, TERMS.amounts))
                print(drift.added, drift.removed, flush=True)  # noqa: T201
        elif url:
            patience = PATIENT_SECONDS if what == "patient" else CALL_SECONDS
            await through_redis(database, name, url, patience)
        else:
            await through_the_database(database, name)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
