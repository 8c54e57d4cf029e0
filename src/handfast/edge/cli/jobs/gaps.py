"""``handfast gaps``: what a program expects and does not find."""

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from handfast.edge.cli.jobs.jobs import on_system, when
from handfast.edge.cli.processes.program import load_program
from handfast.edge.cli.speaking.changes import cli_actor
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.options import AppName, DataDir, Json, Limit
from handfast.edge.cli.speaking.output import OUT, print_json
from handfast.engine.gaps.listing import GapReport, list_gaps
from handfast.engine.gaps.repair import RepairReport, repair_gaps
from handfast.engine.system import System
from handfast.facade import Handfast
from handfast.wiring import load_settings

app = App(name="gaps", help="What is expected and not found: list it, repair it.")

Name = Annotated[str | None, Parameter(help="Only this expectation.")]


@app.command(name="list")
def list_(
    *,
    app: AppName = None,
    name: Name = None,
    limit: Limit = 20,
    data_dir: DataDir = None,
    json: Json = False,
) -> int:
    """List gaps: counts of each expectation, and the first of its gaps; exit with 1 if the query of
    one fails."""
    program = _program(data_dir, app)

    async def work(system: System) -> list[GapReport]:
        expected = program.expected_in(system)
        return await list_gaps(system.database, expected, name=name, limit=limit)

    reports = on_system(work, data_dir=data_dir, app=app)
    failed = 1 if any(report.error for report in reports) else 0
    if json:
        print_json({"expectations": reports})
        return failed
    kinds = ("missing", "result_missing", "stale", "dead_transient", "dead")
    table = Listing("expectation", "kind", "expected", *(k.replace("_", " ") for k in kinds))
    for report in (one for one in reports if not one.error):
        table.add_row(
            report.name,
            report.kind,
            str(report.expected),
            str(report.missing),
            *(str(getattr(report, kind) or "") for kind in kinds[1:]),
        )
    OUT.print(table)
    for report in reports:
        for gap in report.gaps:
            OUT.print(
                f"  {report.name}  {gap.gap}  {gap.key}  {when(gap.due_at)}  {gap.error or ''}",
                markup=False,
            )
        if report.error:
            OUT.print(f"  {report.name}: {report.error}", markup=False)
    return failed


@app.command
def repair(
    *, app: AppName = None, name: Name = None, data_dir: DataDir = None, json: Json = False
) -> int:
    """Repair now what the hourly repair would; exit with 1 if an expectation could not be."""
    program = _program(data_dir, app)

    async def work(system: System) -> list[RepairReport]:
        expected = program.expected_in(system)
        return await repair_gaps(
            system.database, expected, program.kinds, name=name, by=cli_actor()
        )

    reports = on_system(work, data_dir=data_dir, app=app)
    if json:
        print_json({"expectations": reports})
    for report in reports if not json else []:
        done = f"{report.enqueued} enqueued, {report.revived} revived, {report.requeued} requeued"
        left = f"{report.waiting} wait for prerequisites, {report.dead} need a person"
        OUT.print(f"{report.name}: {report.error or f'{done}; {left}'}", markup=False)
    return 1 if any(report.error for report in reports) else 0


def _program(data_dir: Path | None, app: str | None) -> Handfast:
    """The program that is named, or one that expects nothing of its own."""
    named = load_settings(data_dir=data_dir, app=app).app
    return Handfast() if named is None else load_program(named)
