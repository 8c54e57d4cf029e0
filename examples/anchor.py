"""Jobs that hang on a moment which may move: a kickoff.

Run it with `python examples/anchor.py`.
"""

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from handfast import Context, Handfast

hf = Handfast()


@hf.job("example.analysis")
async def analysis(ctx: Context, match: str) -> None: ...


@hf.job("example.lineups")
async def lineups(ctx: Context, match: str) -> None: ...


async def show(when: str, match: str) -> None:
    async with hf.transaction() as tx:
        rows = await tx.fetch(
            "SELECT kind, state, due_at FROM handfast.jobs WHERE anchor = $1 ORDER BY due_at",
            match,
        )
    times = [f"{row['kind']} {row['state']} {row['due_at']:%H:%M}" for row in rows]
    print(f"{when}: {', '.join(times) or 'nothing waits'}")


async def main() -> None:
    match = f"match:{uuid4()}"
    kickoff = datetime(2100, 5, 1, 19, 30, tzinfo=UTC)
    async with hf:
        async with hf.transaction() as tx:
            await hf.set_anchor(tx, match, kickoff)
            for job, before in ((analysis, timedelta(hours=6)), (lineups, timedelta(hours=1))):
                await hf.enqueue(tx, job, key=match, anchor=match, offset=-before, match=match)
        await show("planned", match)

        async with hf.transaction() as tx:  # an hour later: both move, in this transaction
            later = kickoff + timedelta(hours=1)
            moved = await hf.set_anchor(tx, match, later)
        await show(f"{moved} moved", match)

        async with hf.transaction() as tx:
            stopped = await hf.cancel_anchor(tx, match, reason="rain")
        await show(f"{stopped} cancelled", match)

        async with hf.transaction() as tx:  # setting it again reinstates what it had cancelled
            back = await hf.set_anchor(tx, match, kickoff)
        await show(f"reinstated {back > 0}", match)


if __name__ == "__main__":
    asyncio.run(main())
