"""``handfast migrate``."""

import asyncio
from typing import Annotated

from cyclopts import Parameter

from handfast.base.settings import Settings
from handfast.db.migrations.migrate import Report, status
from handfast.db.migrations.migrate import migrate as apply_migrations
from handfast.db.migrations.search_path import refuse_reaching_paths
from handfast.db.pool import Database
from handfast.edge.cli.speaking.options import DataDir, Json
from handfast.edge.cli.speaking.output import ERR, OUT, print_json
from handfast.wiring import load_settings, open_system, prepare_process

Check = Annotated[
    bool,
    Parameter(
        negative=(),
        help="Change nothing; list what is missing, and exit with 6 if anything is.",
    ),
]


def migrate(*, check: Check = False, data_dir: DataDir = None, json: Json = False) -> int:
    """Bring the database to the schema of this version.

    Safe to run twice, from many machines at once, and while old workers still run. Each file is
    applied as a whole or not at all.
    """
    settings = load_settings(data_dir=data_dir)
    prepare_process(settings)
    report = asyncio.run(_report(settings, check=check))
    if json:
        print_json(report)
    else:
        _print_report(report)
    return 6 if report.pending else 0


async def _report(settings: Settings, *, check: bool) -> Report:
    async with open_system(settings, migrated=False) as system:
        if check:
            async with system.database.connection() as connection:
                await refuse_reaching_paths(connection)
            return await status(system.database, schemas=system.capabilities.schemas)
        async with await Database.open(system.direct, pool_size=2) as direct:
            return await apply_migrations(direct, schemas=system.capabilities.schemas)


def _print_report(report: Report) -> None:
    if report.pending:
        OUT.print(f"{len(report.pending)} to apply:")
        for name in report.pending:
            OUT.print(f"  {name}", markup=False)
    elif report.applied:
        OUT.print(f"Applied: {', '.join(report.applied)}", markup=False)
        OUT.print(f"{_functions(report.functions)} up to date.")
    else:
        OUT.print(f"Nothing to apply; {_functions(report.functions)} up to date.")
    if report.for_administrator:
        ERR.print("This user may not make roles. An administrator has to run:")
        for text in report.for_administrator:
            OUT.print(text, markup=False, no_wrap=True)


def _functions(count: int) -> str:
    return "1 function is" if count == 1 else f"{count} functions are"
