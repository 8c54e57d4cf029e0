"""``handfast worker --port`` and ``up`` that never come as far as serving: as on a slow machine.

A program: ``python -m tests.support.slow_start worker|up``, with a job that takes long.
"""

import asyncio
import sys
from typing import Any

from handfast import Context, Handfast
from handfast.edge.cli.app import main
from handfast.edge.cli.processes import up, worker

hf = Handfast()


@hf.job("stub.slow_start")
async def slow(ctx: Context) -> None:
    await asyncio.sleep(60)


async def never(*_: Any) -> None:
    await asyncio.sleep(600)


if __name__ == "__main__":
    for module in (up, worker):
        setattr(module, "at_work", never)  # noqa: B010
    main([sys.argv[1], "--app", "tests.support.slow_start:hf", "--port", "0"])
