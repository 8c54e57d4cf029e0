"""A process that moves money through the gate, until it is done or killed.

    python -m tests.support.ledger_process DSN NAME HOW_MANY

Deposits of one cent for the players ``hot`` and ``NAME``, in turn, as events that are called by
NAME and a number. Each that the ledger has acknowledged is a line on standard output.
"""

import asyncio
import sys

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.services.ledger import rules
from handfast.services.ledger.facade import Ledger

AT_ONCE = 20


async def main(dsn: str, name: str, how_many: int) -> None:
    async with await Database.open(Target(dsn), pool_size=5, application="ledger") as database:
        ledger = Ledger(database)
        numbers = iter(range(how_many))

        async def deposit() -> None:
            for number in numbers:
                owner = "hot" if number % 2 else name
                await ledger.transfer(rules.deposit(f"{name}-{number}", owner, 1, "EUR"))
                print(number, flush=True)  # noqa: T201  # what it is for

        await asyncio.gather(*(deposit() for _ in range(AT_ONCE)))
        await ledger.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
