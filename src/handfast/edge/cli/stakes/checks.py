"""What doctor finds out about stakes."""

from handfast.apps.stakes.matching.matchmakers import present_matchmakers
from handfast.apps.stakes.queue.standing import queue_lines
from handfast.db.statements import statement
from handfast.edge.cli.database.findings import Finding, FindingLevel
from handfast.engine.system import System

_MADE = statement("stakes.is_made", row=bool)


async def check_matchmakers(system: System) -> Finding | None:
    """Is somebody there who pairs those who wait? Nothing is said unless there is not."""
    async with system.database.connection() as connection:
        if not await _MADE.one(connection):
            return None
        present = await present_matchmakers(connection)
        waiting = sum(line.waiting for line in await queue_lines(connection))
    if present or not waiting:
        return None
    return Finding(
        "stakes",
        FindingLevel.BAD,
        f"{waiting} wait in line, and nobody is there who pairs",
        "Run: handfast up, or handfast worker --lanes stakes.",
    )
