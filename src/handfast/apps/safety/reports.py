"""Somebody reports somebody: with evidence, once an hour for the same thing.

What a report is about is always a person; a message or a match leads to the other one of the two.
Evidence is copied, because a chat goes after a while. Whoever was reported is not told.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from types import NoneType
from typing import Any
from uuid import UUID

import msgspec

from handfast.apps.safety import metrics
from handfast.apps.safety.errors import ReportDuplicate, ReportInvalid
from handfast.apps.safety.rules import (
    ANSWERED_WITHIN,
    ReportCategory,
    ReportType,
    Severity,
    severity_of,
)
from handfast.apps.safety.settings import SafetySettings
from handfast.base.errors import NotFound
from handfast.base.ids import new_id
from handfast.db.statements import statement
from handfast.db.transaction import Transaction
from handfast.engine.capability import each
from handfast.engine.events import NewEvent
from handfast.engine.system import System

SUBMITTED = "safety.report_submitted"
WINDOW = timedelta(hours=1)  # from the last one that was accepted

Evidence = list[dict[str, Any]]


class NewReport(msgspec.Struct, frozen=True):
    """What somebody reports, as it was sent."""

    type: ReportType
    subject_id: UUID
    category: ReportCategory
    severity: Severity | None = None
    description: str | None = None
    evidence: Sequence[UUID] = ()


class ReportReceipt(msgspec.Struct, frozen=True, rename="camel"):
    """`estimatedResponse` is by when somebody will have looked at it."""

    report_id: UUID
    estimated_response: datetime


_USER_EXISTS = statement("safety.user_exists", row=bool)
_PARTNER = statement("safety.partner_in", row=UUID)
_LOCK = statement("safety.lock_reports", row=NoneType)
_WITHIN = statement("safety.report_within", row=UUID)
_ADD = statement("safety.add_report", row=datetime)
_RESTRAIN = statement("safety.restrain_if_reported", row=bool)


async def submit_report(
    tx: Transaction, system: System, reporter_id: UUID, report: NewReport
) -> ReportReceipt:
    user_id, evidence = await _looked_into(tx, system, reporter_id, report)
    if user_id == reporter_id:
        raise ReportInvalid("Nobody reports themselves.", hint="Name somebody else's id.")
    await _LOCK.run(tx, reporter_id, user_id)
    await _refuse_repeated(tx, reporter_id, report)
    severity = severity_of(report.category, report.severity)
    report_id = new_id()
    created_at = await _ADD.one(
        tx,
        report_id,
        reporter_id,
        user_id,
        report.type,
        report.subject_id,
        report.category,
        severity,
        report.description,
        msgspec.json.encode(evidence).decode(),
    )
    restrained = await _restrained(tx, system, user_id)
    data = {
        "reportId": report_id,
        "userId": user_id,
        "type": report.type,
        "category": report.category,
        "severity": severity,
        "restrained": restrained,
    }
    event = NewEvent(SUBMITTED, f"user:{user_id}", data)
    # Profiles before pairs, as a deletion takes them.
    await system.hooks.state(tx, "pair.reported", event, reporter_id=reporter_id, user_id=user_id)
    metrics.REPORTS.labels(severity).inc()
    return ReportReceipt(report_id, created_at + ANSWERED_WITHIN[severity])


async def _looked_into(
    tx: Transaction, system: System, reporter_id: UUID, report: NewReport
) -> tuple[UUID, Evidence]:
    """Whom it is about, and the evidence, copied. What the reporter cannot see is not there."""
    wanted, whole_match = set(report.evidence), None
    user_id: UUID | None = None
    if report.type is ReportType.MATCH:
        user_id = await _PARTNER.maybe(tx, report.subject_id, reporter_id)
        whole_match = report.subject_id
    elif report.type is ReportType.MESSAGE:
        wanted.add(report.subject_id)
    elif await _USER_EXISTS.one(tx, report.subject_id):
        user_id = report.subject_id
    found = await _evidence(tx, system, reporter_id, sorted(wanted), whole_match)
    if report.type is ReportType.MESSAGE:
        senders = {one["messageId"]: one["senderId"] for one in found}
        user_id = senders.get(report.subject_id)
    if user_id is None:
        raise NotFound(f"There is no such {report.type}.", hint="Report what you can see.")
    _check_evidence(report, reporter_id, user_id, found)
    return user_id, found


async def _evidence(
    tx: Transaction, system: System, user_id: UUID, ids: Sequence[UUID], match_id: UUID | None
) -> Evidence:
    found: Evidence = []
    if ids or match_id is not None:
        for collect in each(system.capabilities.on, "evidence").values():
            found += await collect(tx, user_id, ids, match_id)
    return found


def _check_evidence(report: NewReport, reporter_id: UUID, user_id: UUID, found: Evidence) -> None:
    """Messages between the two, and no others."""
    both = {reporter_id, user_id}
    between = {one["messageId"] for one in found if {one["senderId"], one["recipientId"]} == both}
    missing = set(report.evidence) - between
    if missing:
        raise NotFound(
            f"There is no message {min(missing)} between you and whom you report.",
            hint="`evidence` names messages of a match that the two of you have.",
        )


async def _refuse_repeated(tx: Transaction, reporter_id: UUID, report: NewReport) -> None:
    before = await _WITHIN.maybe(tx, reporter_id, report.subject_id, report.category, WINDOW)
    if before is not None:
        raise ReportDuplicate(
            f"You have reported that within the last hour: {before}.",
            hint="It will be looked at. What is new you can report under another category.",
            existing_id=before,
        )


async def _restrained(tx: Transaction, system: System, user_id: UUID) -> bool:
    settings = system.settings.of(SafetySettings)
    if not settings.safety_restraint_reporters:
        return False
    new = await _RESTRAIN.one(
        tx, user_id, settings.safety_restraint_reporters, settings.safety_restraint_hours
    )
    metrics.RESTRAINTS.inc(int(new))
    return new
