"""Reports and appeals: for users, and for operators, who decide. Blocks are with people. Viewers
see none of it."""

from typing import Annotated, Any
from uuid import UUID

from litestar import Request, Router, get, post
from litestar.datastructures import State
from litestar.params import JSONBody, PathParameter, QueryParameter

from handfast.apps.safety.appeals import Appeal, AppealReceipt, decide_appeal, submit_appeal
from handfast.apps.safety.decisions import EnforcementAction, decide_report
from handfast.apps.safety.reports import NewReport, ReportReceipt, submit_report
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
from handfast.base.pages import CURSOR_LENGTH_MAX, CURSOR_PATTERN
from handfast.edge.api.safety import (
    AppealDecision,
    NewNote,
    ReportDecision,
    SentAppeal,
    SentReport,
)
from handfast.edge.http.changes import actor_of, changing
from handfast.edge.http.policies import KIB, OPERATOR, OPTIONAL, REQUIRED, USER, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import INVALID, NO_SUCH_PLACE, Limit
from handfast.edge.http.signed_in import signed_in
from handfast.engine.system import System
from handfast.services.idempotency import transaction

BODY = 32 * KIB  # 2,000 characters of four bytes, escaped, and fifty ids
NOT_THERE = {404: problem_spec("What you report is not there, or you cannot see it")}
REPORTED = {409: problem_spec("You have reported that within the last hour")}
NOT_REPORTABLE = {422: problem_spec("Nobody reports themselves")}
NO_SUCH_ACTION = {404: problem_spec("There is no such action about you")}
APPEALED = {409: problem_spec("There is an appeal against that action already")}
NO_SUCH_REPORT = {404: problem_spec("There is no such report")}
NO_SUCH_APPEAL = {404: problem_spec("There is no such appeal")}
DECIDED = {409: problem_spec("It is decided, or the user is suspended already")}
NOT_FOR_THIS = {422: problem_spec("The decision does not fit the report")}

ReportId = Annotated[UUID, PathParameter(description="The report's id.")]
AppealId = Annotated[UUID, PathParameter(description="The appeal's id.")]
After = Annotated[
    str | None,
    QueryParameter(
        max_length=CURSOR_LENGTH_MAX,
        pattern=CURSOR_PATTERN,
        description="The `next` of the page before.",
    ),
]
WhichReports = Annotated[ReportStatus, QueryParameter(description="Only these.")]
WhichAppeals = Annotated[AppealStatus, QueryParameter(description="Only these.")]
About = Annotated[UUID | None, QueryParameter(name="userId", description="Only about this user.")]


@policy(USER, key=REQUIRED, body=BODY)
@post(
    "/safety/report",
    summary="Report a user, a message or a match",
    operation_id="report",
    responses=INVALID | NOT_THERE | REPORTED | NOT_REPORTABLE,
)
async def report(
    request: Request[Any, Any, State], state: State, data: JSONBody[SentReport]
) -> ReportReceipt:
    """You are not offered to each other any more. The same subject and category again within an
    hour: 409, with the id of the report that is there."""
    system: System = state.system
    sent = NewReport(
        data.type,
        data.subject_id,
        data.category,
        data.severity,
        data.description,
        data.evidence,
    )
    async with transaction(request) as tx:
        return await submit_report(tx, system, signed_in(request).user_id, sent)


@policy(USER, key=REQUIRED, body=BODY, suspended=True)
@post(
    "/safety/appeal",
    summary="Appeal against what was decided about you",
    operation_id="appeal",
    responses=INVALID | NO_SUCH_ACTION | APPEALED,
)
async def appeal(request: Request[Any, Any, State], data: JSONBody[SentAppeal]) -> AppealReceipt:
    """Also while you are suspended. Once for each action."""
    async with transaction(request) as tx:
        user = signed_in(request).user_id
        return await submit_appeal(tx, user, data.action_id, data.reason)


@policy(OPERATOR)
@get(
    "/admin/reports",
    summary="Reports that wait, or were decided",
    operation_id="adminReports",
    responses=INVALID | NO_SUCH_PLACE,
)
async def reports(
    state: State,
    *,
    status: WhichReports = ReportStatus.OPEN,
    user_id: About = None,
    after: After = None,
    limit: Limit = 50,
) -> ReportPage:
    """Those about people who are paused first, then by severity, then by age."""
    system: System = state.system
    async with system.database.connection() as connection:
        return await list_reports(
            connection, status=status, user_id=user_id, after=after, limit=limit
        )


@policy(OPERATOR)
@get(
    "/admin/reports/{report_id:uuid}",
    summary="A report, with all that one needs to decide it",
    operation_id="adminReport",
    responses=INVALID | NO_SUCH_REPORT,
)
async def detail(state: State, report_id: ReportId) -> ReportDetail:
    """The evidence, what happened around whom it is about, and what operators wrote down."""
    system: System = state.system
    async with system.database.connection() as connection:
        return await show_report(connection, report_id)


@policy(OPERATOR, key=OPTIONAL, audit="report.decide", body=BODY)
@post(
    "/admin/reports/{report_id:uuid}/decide",
    summary="Decide a report",
    operation_id="adminReportDecide",
    status_code=200,
    responses=INVALID | NO_SUCH_REPORT | DECIDED | NOT_FOR_THIS,
)
async def decide(
    request: Request[Any, Any, State],
    state: State,
    report_id: ReportId,
    data: JSONBody[ReportDecision],
) -> EnforcementAction:
    """Once. The answer's `actionId` is what an appeal names."""
    system: System = state.system
    async with changing(request, f"report:{report_id}", reason=data.note) as change:
        return await decide_report(
            change.tx,
            system.hooks,
            report_id,
            data.decision,
            actor=actor_of(request).name,
            note=data.note,
            days=data.days,
        )


@policy(OPERATOR, key=OPTIONAL, audit="report.note", body=BODY)
@post(
    "/admin/reports/{report_id:uuid}/notes",
    summary="Write a note on a report",
    operation_id="adminReportNote",
    responses=INVALID | NO_SUCH_REPORT,
)
async def note(
    request: Request[Any, Any, State], report_id: ReportId, data: JSONBody[NewNote]
) -> ReportNote:
    """For other operators; also on one that is decided."""
    async with changing(request, f"report:{report_id}", reason=data.note) as change:
        return await write_note(change.tx, report_id, actor_of(request).name, data.note)


@policy(OPERATOR)
@get(
    "/admin/appeals",
    summary="Appeals that wait, or were decided",
    operation_id="adminAppeals",
    responses=INVALID | NO_SUCH_PLACE,
)
async def appeals(
    state: State,
    *,
    status: WhichAppeals = AppealStatus.OPEN,
    after: After = None,
    limit: Limit = 50,
) -> AppealPage:
    """The oldest first."""
    system: System = state.system
    async with system.database.connection() as connection:
        return await list_appeals(connection, status=status, after=after, limit=limit)


@policy(OPERATOR, key=OPTIONAL, audit="appeal.decide", body=BODY)
@post(
    "/admin/appeals/{appeal_id:uuid}/decide",
    summary="Decide an appeal",
    operation_id="adminAppealDecide",
    status_code=200,
    responses=INVALID | NO_SUCH_APPEAL | DECIDED,
)
async def settle(
    request: Request[Any, Any, State],
    state: State,
    appeal_id: AppealId,
    data: JSONBody[AppealDecision],
) -> Appeal:
    """Once. `overturned` ends the suspension that the action was; what was removed stays so."""
    system: System = state.system
    async with changing(request, f"appeal:{appeal_id}", reason=data.note) as change:
        return await decide_appeal(
            change.tx,
            system.hooks,
            appeal_id,
            data.outcome,
            actor=actor_of(request).name,
            note=data.note,
        )


router: Any = Router(
    path="/",
    route_handlers=[report, appeal, reports, detail, decide, note, appeals, settle],
    tags=["safety"],
)
