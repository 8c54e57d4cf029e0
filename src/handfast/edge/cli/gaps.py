"""``handfast gaps``: what a program expects and does not find."""

from typing import Annotated

from cyclopts import App, Parameter
from rich.table import Table

from handfast.base.settings import load_settings
from handfast.edge.cli.jobs import on_system, when
from handfast.edge.cli.options import AppName, DataDir, Json, Limit
from handfast.edge.cli.output import OUT, print_json
from handfast.edge.cli.program import load_program
from handfast.engine.gaps import GapReport, RepairReport
from handfast.wiring import System

app = App(name="gaps", help="What a program expects and does not find: list it, repair it.")

Name = Annotated[str | None, Parameter(help="Only this expectation.")]


@app.command(name="list")
def list_(
    *,
    app: AppName = None,
    name: Name = None,
    limit: Limit = 20,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List gaps: counts of each expectation, and the first of its gaps."""
    program = load_program(load_settings(data_dir=data_dir, app=app).app)

    async def work(system: System) -> list[GapReport]:
        program.use(system)
        return await program.gaps(name, limit=limit)

    reports = on_system(work, data_dir=data_dir, app=app)
    if json:
        print_json({"expectations": reports})
        return
    kinds = ("missing", "result_missing", "stale", "dead_transient", "dead")
    table = Table(
        "expectation", "kind", "expected", *(k.replace("_", " ") for k in kinds), box=None
    )
    for report in reports:
        table.add_row(
            report.name,
            report.kind,
            str(report.expected),
            *(str(getattr(report, kind) or "") for kind in kinds),
        )
    OUT.print(table if reports else "The program expects nothing.")
    for report in reports:
        for gap in report.gaps:
            OUT.print(
                f"  {report.name}  {gap.gap}  {gap.key}  {when(gap.due_at)}  {gap.error or ''}",
                markup=False,
            )


@app.command
def repair(
    *, app: AppName = None, name: Name = None, data_dir: DataDir = None, json: Json = False
) -> int:
    """Repair now what the hourly repair would; exit with 1 if an expectation could not be."""
    program = load_program(load_settings(data_dir=data_dir, app=app).app)

    async def work(system: System) -> list[RepairReport]:
        program.use(system)
        return await program.repair_gaps(name)

    reports = on_system(work, data_dir=data_dir, app=app)
    if json:
        print_json({"expectations": reports})
    for report in reports if not json else []:
        done = f"{report.enqueued} enqueued, {report.revived} revived, {report.requeued} requeued"
        left = f"{report.waiting} wait for prerequisites, {report.dead} need a person"
        OUT.print(f"{report.name}: {report.error or f'{done}; {left}'}", markup=False)
    return 1 if any(report.error for report in reports) else 0
