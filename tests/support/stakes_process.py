"""A process that pairs until it is killed.

    python -m tests.support.stakes_process DSN NAME

Each pair that was committed is a line on standard output: how many there were in its round.
"""

import asyncio
import sys

from handfast.apps.stakes.matching.pairing import pair
from handfast.apps.stakes.terms import StakeTerms
from handfast.db.connect import Target
from handfast.db.outage import PASSING
from handfast.db.pool import Database


async def main(dsn: str, name: str) -> None:
    async with await Database.open(Target(dsn), pool_size=2, application="stakes") as database:
        while True:
            try:
                async with database.transaction() as tx:
                    done = await pair(tx, name, StakeTerms(), pairs=3)
                    await asyncio.sleep(0.005)  # the pair is made and not committed: killed here
            except PASSING:
                continue
            if done.pairs:
                print(done.pairs, flush=True)  # noqa: T201  # what it is for


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
