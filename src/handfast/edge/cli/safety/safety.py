"""``handfast safety``: the queue of reports, decisions, appeals."""

from typing import Annotated
from uuid import UUID

from cyclopts import App, Parameter, validators

from handfast.apps.safety.appeals import Appeal
from handfast.apps.safety.appeals import decide_appeal as decide_appeal_
from handfast.apps.safety.decisions import EnforcementAction, decide_report
from handfast.apps.safety.rules import DAYS_MAX, NOTE_MAX, AppealOutcome, Decision
from handfast.apps.safety.views import (
    AppealPage,
    AppealStatus,
    ReportDetail,
    ReportNote,
    ReportPage,
    ReportStatus,
    list_appeals,
    list_reports,
    show_report,
    write_note,
)
from handfast.base.errors import InvalidRequest
from handfast.edge.cli.jobs.jobs import on_system
from handfast.edge.cli.safety.printing import print_appeals, print_report, print_reports
from handfast.edge.cli.speaking.changes import changing, cli_actor
from handfast.edge.cli.speaking.options import DataDir, Json, Limit
from handfast.edge.cli.speaking.output import OUT, print_json
from handfast.engine.system import System

app = App(name="safety", help="Reports and appeals: the queue, decide, write a note.")

ReportId = Annotated[UUID, Parameter(help="The report's id.")]
AppealId = Annotated[UUID, Parameter(help="The appeal's id.")]
Note = Annotated[str | None, Parameter(help="Why; the audit has it, too.")]
After = Annotated[str | None, Parameter(help="Go on after this place (`next`).")]


@app.command
def reports(
    *,
    status: Annotated[ReportStatus, Parameter(help="Only these.")] = ReportStatus.OPEN,
    after: After = None,
    limit: Limit = 50,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """The queue: who is paused first, then by severity, then by age."""

    async def work(system: System) -> ReportPage:
        async with system.database.connection() as connection:
            return await list_reports(connection, status=status, after=after, limit=limit)

    page = on_system(work, data_dir=data_dir)
    if json:
        print_json(page)
    else:
        print_reports(page)


@app.command
def show(report: ReportId, /, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Show a report: the evidence, and what happened around whom it is about."""

    async def work(system: System) -> ReportDetail:
        async with system.database.connection() as connection:
            return await show_report(connection, report)

    detail = on_system(work, data_dir=data_dir)
    if json:
        print_json(detail)
    else:
        print_report(detail)


@app.command
def decide(
    report: ReportId,
    decision: Annotated[Decision, Parameter(help="What is done.")],
    /,
    *,
    note: Note = None,
    days: Annotated[
        int | None,
        Parameter(
            help="How long a suspension lasts; without it, a week.",
            validator=validators.Number(gte=1, lte=DAYS_MAX),
        ),
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Decide a report, once."""

    async def work(system: System) -> EnforcementAction:
        async with changing(system, "report.decide", f"report:{report}", reason=note) as change:
            return await decide_report(
                change.tx,
                system.hooks,
                report,
                decision,
                actor=cli_actor().name,
                note=_short(note),
                days=days,
            )

    action = on_system(work, data_dir=data_dir)
    if json:
        print_json(action)
    else:
        OUT.print(f"Decided: {action.decision}. An appeal names {action.action_id}.", markup=False)


@app.command
def note(
    report: ReportId,
    text: Annotated[str, Parameter(help="What other operators should know.")],
    /,
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Write a note on a report."""

    async def work(system: System) -> ReportNote:
        async with changing(system, "report.note", f"report:{report}", reason=text) as change:
            return await write_note(change.tx, report, cli_actor().name, _short(text) or "")

    written = on_system(work, data_dir=data_dir)
    if json:
        print_json(written)
    else:
        OUT.print("Written down.")


@app.command
def appeals(
    *,
    status: Annotated[AppealStatus, Parameter(help="Only these.")] = AppealStatus.OPEN,
    after: After = None,
    limit: Limit = 50,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Appeals, the oldest first."""

    async def work(system: System) -> AppealPage:
        async with system.database.connection() as connection:
            return await list_appeals(connection, status=status, after=after, limit=limit)

    page = on_system(work, data_dir=data_dir)
    if json:
        print_json(page)
    else:
        print_appeals(page)


@app.command
def decide_appeal(
    appeal: AppealId,
    outcome: Annotated[AppealOutcome, Parameter(help="Whether the action stands.")],
    /,
    *,
    note: Note = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Decide an appeal, once."""

    async def work(system: System) -> Appeal:
        async with changing(system, "appeal.decide", f"appeal:{appeal}", reason=note) as change:
            return await decide_appeal_(
                change.tx,
                system.hooks,
                appeal,
                outcome,
                actor=cli_actor().name,
                note=_short(note),
            )

    decided = on_system(work, data_dir=data_dir)
    if json:
        print_json(decided)
    else:
        OUT.print(f"The appeal is decided: {decided.outcome}.", markup=False)


def _short(text: str | None) -> str | None:
    if text is not None and not 1 <= len(text) <= NOTE_MAX:
        raise InvalidRequest(
            f"The note has {len(text)} characters.", hint=f"Allowed are 1 to {NOTE_MAX}."
        )
    return text
