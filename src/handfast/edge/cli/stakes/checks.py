"""What doctor finds out about stakes."""

from handfast.apps.stakes.matching.matchmakers import present_matchmakers
from handfast.apps.stakes.queue.standing import queue_lines
from handfast.edge.cli.database.findings import Finding, FindingLevel
from handfast.engine.system import System


async def check_matchmakers(system: System) -> Finding:
    """Is somebody there who pairs those who wait?"""
    async with system.database.connection() as connection:
        present = await present_matchmakers(connection)
        waiting = sum(line.waiting for line in await queue_lines(connection))
    if present:
        return Finding(
            "stakes", FindingLevel.OK, f"{len(present)} matchmakers, and {waiting} in line"
        )
    if not waiting:
        return Finding("stakes", FindingLevel.OK, "nobody is in line, and nobody pairs")
    return Finding(
        "stakes",
        FindingLevel.BAD,
        f"{waiting} wait in line, and nobody is there who pairs",
        "Run: handfast up, or handfast worker --lanes stakes.",
    )
