"""A game from two stakes to the payout, one that is disputed, and one who waits alone."""

from handfast.db.pool import Database
from tests.support.stakes_table import StakesTable, player_id

# What players write may hold anything.
REASON = "<img src=x onerror=complain('xss')> the other one left, مرحبا"


async def seed(database: Database) -> None:
    table = StakesTable(database)
    won = await table.paired("ada", "bob", 5000)
    await table.stakes.move(won.id, player_id("ada"), 1, "throw", hand="paper")
    await table.stakes.report(won.id, player_id("ada"))
    disputed = await table.paired("cleo", "dan", 10_000)
    await table.stakes.dispute(disputed.id, player_id("dan"), REASON)
    await table.rich("eve")


async def waiting(database: Database) -> None:
    """Now, and not before: who finds nobody in ten minutes waits no more."""
    await StakesTable(database).stake("eve", 50_000)
