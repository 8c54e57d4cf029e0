"""Work and completion in one transaction: money moves once, whatever dies in between.

Run it with `python examples/exactly_once_transfer.py`.

`ctx.completing()` opens a transaction and finishes the job in it. If the worker has lost its lease
meanwhile, the block raises LeaseLost and its writes are undone: no unique constraint is needed on
the rows, and none is there.
"""

import asyncio
from uuid import uuid4

from handfast import Context, Enqueued, Handfast, JobState

hf = Handfast()

TABLES = """
CREATE TABLE IF NOT EXISTS example_accounts (name text PRIMARY KEY, balance bigint NOT NULL);
CREATE TABLE IF NOT EXISTS example_transfers (job text, amount bigint);
INSERT INTO example_accounts VALUES ('ada', 100), ('bob', 0) ON CONFLICT DO NOTHING;
"""


@hf.job("example.transfer")
async def transfer(ctx: Context, payer: str, payee: str, amount: int) -> None:
    async with ctx.completing(result={"moved": amount}) as tx:
        change = "UPDATE example_accounts SET balance = balance + $2 WHERE name = $1"
        await tx.execute(change, payer, -amount)
        await tx.execute(change, payee, amount)
        await tx.execute("INSERT INTO example_transfers VALUES ($1, $2)", ctx.key, amount)
    # Here everything above has been committed, the job's success among it.


async def main() -> None:
    order = str(uuid4())
    async with hf:
        async with hf.transaction() as tx:
            await tx.execute(TABLES)
        # Three workers, and ten clients that all ask for the same transfer.
        workers = [await hf.worker() for _ in range(3)]
        working = [asyncio.create_task(worker.run()) for worker in workers]

        async def ask() -> Enqueued:
            return await hf.enqueue_now(transfer, key=order, payer="ada", payee="bob", amount=1)

        asked = await asyncio.gather(*(ask() for _ in range(10)))
        print(f"asked 10 times, made {sum(job.created for job in asked)} job")
        job = asked[0]
        while job.state is not JobState.SUCCEEDED:
            await asyncio.sleep(0.02)
            job = await ask()
        for worker in workers:
            worker.stop()
        await asyncio.gather(*working)
        async with hf.transaction() as tx:
            rows = await tx.fetchval("SELECT count(*) FROM example_transfers WHERE job = $1", order)
            total = await tx.fetchval("SELECT sum(balance) FROM example_accounts")
        print(f"transfers with this key: {rows}, result: {job.result}")
        print(f"all balances together: {total}")


if __name__ == "__main__":
    asyncio.run(main())
