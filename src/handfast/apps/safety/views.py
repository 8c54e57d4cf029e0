"""The queue of operators, and a report with all that one needs to decide it. No viewer sees any of
it."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

import msgspec

from handfast.apps.safety.appeals import Appeal, AppealRow
from handfast.apps.safety.decisions import no_such_report
from handfast.apps.safety.rules import Decision, ReportCategory, ReportType, Severity
from handfast.base.ids import new_id
from handfast.base.pages import Instant, Place, bounded, cut
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction


class ReportStatus(StrEnum):
    OPEN = "open"
    DECIDED = "decided"
    DISMISSED = "dismissed"


class AppealStatus(StrEnum):
    OPEN = "open"
    DECIDED = "decided"


class ListedReport(msgspec.Struct, frozen=True, rename="camel"):
    """`restrained`: several people have reported this one lately, and they are paused."""

    id: UUID
    reporter_id: UUID
    user_id: UUID
    created_at: datetime
    decided_at: datetime | None
    type: ReportType
    subject_id: UUID
    category: ReportCategory
    severity: Severity
    status: ReportStatus
    description: str | None
    restrained: bool


class ReportPage(msgspec.Struct, frozen=True, rename="camel"):
    reports: list[ListedReport]
    next: str | None


class ActionShown(msgspec.Struct, frozen=True, rename="camel"):
    id: UUID
    report_id: UUID | None
    decided_at: datetime
    until: datetime | None
    reversed_at: datetime | None
    decision: Decision
    decided_by: str
    note: str | None


class ReportNote(msgspec.Struct, frozen=True, rename="camel"):
    id: UUID
    written_at: datetime
    written_by: str
    note: str


class SubjectHistory(msgspec.Struct, frozen=True, rename="camel"):
    """What happened around whom the report is about; `actions` are the newest."""

    reports: int
    open_reports: int
    reporters: int
    blocked_by: int
    actions: list[ActionShown]


class ReportDetail(msgspec.Struct, frozen=True, rename="camel"):
    report: ListedReport
    evidence: list[dict[str, Any]]
    history: SubjectHistory
    notes: list[ReportNote]


class AppealPage(msgspec.Struct, frozen=True, rename="camel"):
    appeals: list[Appeal]
    next: str | None


class QueuePlace(Place, frozen=True):
    restrained: bool
    rank: Annotated[int, msgspec.Meta(ge=1, le=len(Severity))]
    created_at: Instant
    id: UUID


class AppealPlace(Place, frozen=True):
    created_at: Instant
    id: UUID


class _QueuedReport(msgspec.Struct, frozen=True):
    id: UUID
    reporter_id: UUID
    user_id: UUID
    created_at: datetime
    decided_at: datetime | None
    type: str
    subject_id: UUID
    category: str
    severity: str
    status: str
    description: str | None
    restrained: bool
    rank: int


class _StoredReport(msgspec.Struct, frozen=True):
    id: UUID
    reporter_id: UUID
    user_id: UUID
    created_at: datetime
    decided_at: datetime | None
    type: str
    subject_id: UUID
    category: str
    severity: str
    status: str
    description: str | None
    evidence: str
    restrained: bool


class _ActionRow(msgspec.Struct, frozen=True):
    id: UUID
    report_id: UUID | None
    decided_at: datetime
    until: datetime | None
    reversed_at: datetime | None
    decision: str
    decided_by: str
    note: str | None


class _Counts(msgspec.Struct, frozen=True):
    reports: int
    open_reports: int
    reporters: int
    blocked_by: int


_REPORTS = statement("safety.reports", row=_QueuedReport)
_REPORT = statement("safety.report", row=_StoredReport)
_HISTORY = statement("safety.history", row=_Counts)
_ACTIONS = statement("safety.actions_of", row=_ActionRow)
_NOTES = statement("safety.notes", row=ReportNote)
_ADD_NOTE = statement("safety.add_note", row=datetime)
_APPEALS = statement("safety.appeals", row=AppealRow)


async def list_reports(
    on: Queryable,
    *,
    status: ReportStatus | None = ReportStatus.OPEN,
    user_id: UUID | None = None,
    after: str | None = None,
    limit: int = 50,
) -> ReportPage:
    """Those about people who are paused first, then by severity, then by age."""
    limit = bounded(limit)
    place = (None,) * 4 if after is None else msgspec.structs.astuple(QueuePlace.read(after))
    found = await _REPORTS.all(on, status, user_id, *place, limit + 1)
    shown, last = cut(found, limit)
    rest = None
    if last is not None:
        rest = QueuePlace(last.restrained, last.rank, last.created_at, last.id).cursor()
    return ReportPage([_listed(row) for row in shown], rest)


async def show_report(on: Queryable, report_id: UUID) -> ReportDetail:
    found = await _REPORT.maybe(on, report_id)
    if found is None:
        raise no_such_report(report_id)
    counts = await _HISTORY.one(on, found.user_id)
    actions = [
        msgspec.convert(row, ActionShown, from_attributes=True)
        for row in await _ACTIONS.all(on, found.user_id)
    ]
    return ReportDetail(
        _listed(found),
        msgspec.json.decode(found.evidence),
        SubjectHistory(
            counts.reports, counts.open_reports, counts.reporters, counts.blocked_by, actions
        ),
        await _NOTES.all(on, report_id),
    )


async def write_note(tx: Transaction, report_id: UUID, actor: str, note: str) -> ReportNote:
    note_id = new_id()
    written_at = await _ADD_NOTE.maybe(tx, note_id, report_id, actor, note)
    if written_at is None:
        raise no_such_report(report_id)
    return ReportNote(note_id, written_at, actor, note)


async def list_appeals(
    on: Queryable,
    *,
    status: AppealStatus | None = AppealStatus.OPEN,
    after: str | None = None,
    limit: int = 50,
) -> AppealPage:
    """The oldest first."""
    limit = bounded(limit)
    place = None if after is None else AppealPlace.read(after)
    decided = None if status is None else status is AppealStatus.DECIDED
    found = await _APPEALS.all(
        on, decided, place and place.created_at, place and place.id, limit + 1
    )
    shown, last = cut(found, limit)
    rest = None if last is None else AppealPlace(last.created_at, last.id).cursor()
    return AppealPage([row.shown() for row in shown], rest)


def _listed(row: _QueuedReport | _StoredReport) -> ListedReport:
    return msgspec.convert(row, ListedReport, from_attributes=True)
