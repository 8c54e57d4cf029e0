"""Reports and appeals, for people to read. What strangers wrote is shown without what would steer a
terminal."""

from handfast.apps.safety.views import AppealPage, ReportDetail, ReportPage
from handfast.base.text import printable
from handfast.edge.cli.jobs.jobs import when
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.output import OUT


def print_reports(page: ReportPage) -> None:
    if not page.reports:
        OUT.print("There is no such report.")
        return
    table = Listing("id", "severity", "category", "about", "type", "status", "since")
    for one in page.reports:
        first = "paused, " if one.restrained else ""
        table.add_row(
            str(one.id),
            f"{first}{one.severity}",
            one.category,
            str(one.user_id),
            one.type,
            one.status,
            when(one.created_at),
        )
    OUT.print(table)
    if page.next is not None:
        OUT.print(f"More: --after {page.next}", markup=False)


def print_report(detail: ReportDetail) -> None:
    report, history = detail.report, detail.history
    table = Listing("what", "value", titled=False)
    for what, value in (
        ("id", report.id),
        ("severity", report.severity),
        ("category", report.category),
        ("status", report.status),
        ("since", when(report.created_at)),
        ("about", report.user_id),
        ("by", report.reporter_id),
        ("subject", f"{report.type} {report.subject_id}"),
        ("description", report.description or "-"),
        ("paused", "yes" if report.restrained else "no"),
        ("reports about them", f"{history.reports}, {history.open_reports} open"),
        ("reporters", history.reporters),
        ("blocked by", history.blocked_by),
    ):
        table.add_row(what, printable(str(value)))
    for item in detail.evidence:
        table.add_row("evidence", printable(f"{item['senderId']}: {item.get('content') or '-'}"))
    for action in history.actions:
        reversed_ = ", reversed" if action.reversed_at else ""
        table.add_row("action", f"{action.id} {action.decision}{reversed_}")
    for note in detail.notes:
        table.add_row("note", printable(f"{note.written_by}: {note.note}"))
    OUT.print(table)


def print_appeals(page: AppealPage) -> None:
    if not page.appeals:
        OUT.print("There is no such appeal.")
        return
    table = Listing("id", "action", "decision", "by", "outcome", "since", "reason")
    for one in page.appeals:
        table.add_row(
            str(one.id),
            str(one.action_id),
            one.decision,
            str(one.user_id),
            one.outcome or "-",
            when(one.created_at),
            printable(one.reason),
        )
    OUT.print(table)
    if page.next is not None:
        OUT.print(f"More: --after {page.next}", markup=False)
