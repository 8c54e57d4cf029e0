"""Carries out bulk actions in a process of its own; killed within its Nth page, if told so.

python -m tests.support.bulk_process ROWS [PAGE]    with DATABASE_URL
"""

import asyncio
import os
import signal
import sys
from dataclasses import replace
from datetime import timedelta
from typing import Any

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.db.transaction import Transaction
from handfast.engine.gaps.expectation import Expectations
from handfast.engine.host import Host, HostOptions
from handfast.engine.jobs.kinds import Kinds
from handfast.engine.operating.bulk import work


class DyingWork(work.BulkWork):
    """Kills its process when a page is done and not committed: the Nth by what is committed, since
    one that was undone, because its process stood still and lost its lease, comes once more."""

    dies_in = 0

    async def _page(self, tx: Transaction, bulk: int) -> Any:
        done = await super()._page(tx, bulk)
        before, _ = done
        if before is not None and before.changed == (self.dies_in - 1) * self._rows:
            os.kill(os.getpid(), signal.SIGKILL)
        return done


async def main(rows: int, dies_in: int) -> None:
    work.PAGE_ROWS = rows
    DyingWork.dies_in = dies_in
    DyingWork.__init__.__kwdefaults__ = {"rows": rows}
    work.BulkWork = DyingWork  # type: ignore[misc]
    target = Target(os.environ["DATABASE_URL"])
    async with await Database.open(target) as database:
        crew = work.operating_crew(database, Expectations(), Kinds())
        crew = replace(crew, options=replace(crew.options, lease=timedelta(seconds=3)))
        await Host(database, target, [crew], HostOptions(poll=0.1)).run()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
