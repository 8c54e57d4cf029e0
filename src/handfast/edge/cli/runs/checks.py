"""What doctor finds out about match runs."""

from handfast.apps.runs.login import ROLE, check_login, role_exists, spare_rights
from handfast.apps.runs.work import runs_target
from handfast.base.errors import SettingsError
from handfast.db.pool import Database
from handfast.edge.cli.database.findings import Finding, FindingLevel
from handfast.engine.system import System


async def check_runs(system: System) -> Finding:
    """Can match runs be worked on, by a login that cannot write?"""
    async with system.database.connection() as connection:
        if not await role_exists(connection):
            return Finding(
                "match runs",
                FindingLevel.NOTE,
                f"the schema {ROLE} or the role {ROLE} is not there, so nobody can work on them",
                "Run: handfast migrate (it makes the role, or prints what an administrator has to "
                "run).",
            )
    try:
        target = runs_target(system)
    except SettingsError as missing:
        return Finding("match runs", FindingLevel.NOTE, missing.detail, missing.hint)
    async with await Database.open(target, pool_size=1) as reader:
        role = await check_login(reader)
        spare = await spare_rights(reader)
    found = f"worked on as {role}, which cannot write the corpus"
    if not spare:
        return Finding("match runs", FindingLevel.OK, found)
    return Finding(
        "match runs",
        FindingLevel.NOTE,
        f"{found}, but may make temporary tables or large objects, as every role here may",
        f"If nobody else needs them, an administrator can run: {' '.join(spare)}",
    )
