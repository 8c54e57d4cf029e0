"""What doctor finds out about identity."""

from handfast.db.statements import statement
from handfast.edge.cli.database.findings import Finding, FindingLevel
from handfast.engine.system import System
from handfast.services.identity.deletion import BANS_BACK, lost_bans

_SAYS = statement("identity.says_secrets_of_bans", row=bool)


async def check_identity(system: System) -> Finding | None:
    """Is every banned phone still known? Nothing is said unless there is something to say."""
    async with system.database.connection() as connection:
        if not await _SAYS.one(connection):
            return None
        lost = await lost_bans(connection, system.settings)
    if not lost:
        return None
    return Finding(
        "identity",
        FindingLevel.BAD,
        f"{lost} banned {'phone is' if lost == 1 else 'phones are'} not known, because "
        "HANDFAST_IDENTITY_SECRET has no longer the secret they were hashed under: "
        "whoever was banned can sign in anew",
        BANS_BACK,
    )
