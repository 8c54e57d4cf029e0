"""A program of whichever Handfast is first on its path: ``python -P upgrade_worker.py DSN``.

It says "working" and works until SIGTERM. Imports nothing of the tests: those know one version.
"""

import asyncio
import signal
import sys

import handfast
from handfast import Context, Handfast, WorkerOptions

hf = Handfast(database_url=sys.argv[1], capabilities=["webhooks"])
_SEEN = """
INSERT INTO effects (number, version, seen)
SELECT $1, $2, to_jsonb(l) ->> 'of_the_next_version' FROM handfast_engine.live AS l WHERE l.id = $3
"""


@hf.job("upgrade.effect")
async def effect(ctx: Context, number: int) -> None:
    """Its effect, an event and its end are one transaction."""
    await asyncio.sleep(0.005)
    async with ctx.completing(result=number) as tx:
        await tx.execute(_SEEN, number, handfast.__version__, ctx.job_id)
        await hf.emit(tx, "upgrade.done", f"number:{number}", {"number": number})


@hf.job("upgrade.plain")
async def plain(ctx: Context, number: int) -> int:
    return number * 2


async def main() -> None:
    async with hf:
        worker = await hf.worker(WorkerOptions(concurrency=8))
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, worker.stop)
        sys.stdout.write("working\n")
        sys.stdout.flush()
        await worker.run()


if __name__ == "__main__":
    asyncio.run(main())
