"""What doctor finds out about stakes."""

from handfast.apps.stakes.fast.mirror import lines_of
from handfast.apps.stakes.matching.matchmakers import present_matchmakers
from handfast.apps.stakes.queue.standing import queue_lines
from handfast.db.errors import RedisAway
from handfast.db.statements import statement
from handfast.edge.cli.database.findings import Finding, FindingLevel
from handfast.engine.system import System

_MADE = statement("stakes.is_made", row=bool)


async def check_stakes(system: System) -> Finding | None:
    """Is somebody there who pairs those who wait, and does Redis know of them? Nothing is said
    unless there is something to say."""
    return await check_matchmakers(system) or await check_redis(system)


async def check_matchmakers(system: System) -> Finding | None:
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


async def check_redis(system: System) -> Finding | None:
    """Whether Redis has as many in line as the database. Whether it answers at all is another
    finding."""
    lines = lines_of(system)
    if lines is None:
        return None
    async with system.database.connection() as connection:
        if not await _MADE.one(connection):
            return None
        waiting = sum(line.waiting for line in await queue_lines(connection))
    try:
        known = sum([await lines.length(stake) for stake in lines.stakes])
    except RedisAway as away:
        return Finding(
            "stakes",
            FindingLevel.NOTE,
            f"the lines in Redis cannot be read: {away.detail}",
            "Pairing goes on through the database. See docs/concepts/stakes.md.",
        )
    if known == waiting:
        return None
    return Finding(
        "stakes",
        FindingLevel.NOTE,
        f"{waiting} wait in line, and Redis has {known}",
        "A matchmaker repairs this within a minute; until then the database finds them.",
    )
