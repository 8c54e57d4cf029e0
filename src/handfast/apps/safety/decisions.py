"""What an operator decides about a report. Each decision is an enforcement action with an id, which
an appeal names.

Accounts are locked before the report, as whoever suspends, deletes or erases one does.
"""

from datetime import datetime, timedelta
from types import NoneType
from uuid import UUID

import msgspec

from handfast.apps.safety import metrics
from handfast.apps.safety.errors import DecisionInvalid, ReportDecided
from handfast.apps.safety.forgetting import forget_if_erased
from handfast.apps.safety.rules import SUSPENDED_DAYS, Decision, ReportType, may_be_appealed
from handfast.base.errors import NotFound
from handfast.base.ids import new_id
from handfast.db.statements import statement
from handfast.db.transaction import Transaction
from handfast.engine.events import emit
from handfast.engine.hooks import Hooks
from handfast.services.identity.accounts import Account, instant_after, lock_account
from handfast.services.identity.suspension import suspend

DECIDED = "safety.moderation_decided"


class EnforcementAction(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """`actionId` is what an appeal names."""

    action_id: UUID
    user_id: UUID
    decision: Decision
    until: datetime | None = None


class OpenReport(msgspec.Struct, frozen=True):
    """A report that is about to be decided, locked."""

    user_id: UUID
    status: str
    type: str
    subject_id: UUID
    severity: str
    age: float


_PEOPLE = statement("safety.people_of_report", row=UUID)
_LOCK = statement("safety.lock_report", row=OpenReport)
_ACTION_OF = statement("safety.action_of_report", row=UUID)
_ADD = statement("safety.add_action", row=NoneType)
_END = statement("safety.end_report", row=NoneType)
_LIFT = statement("safety.lift_restraint", row=bool)


async def decide_report(
    tx: Transaction,
    hooks: Hooks,
    report_id: UUID,
    decision: Decision,
    *,
    actor: str,
    note: str | None = None,
    days: int | None = None,
) -> EnforcementAction:
    """Once. A suspension is for ``days``, or a week."""
    report, accounts = await _locked(tx, report_id)
    _check(report, decision, days)
    until = None
    if decision is Decision.SUSPEND:
        until = await instant_after(tx, timedelta(days=days or SUSPENDED_DAYS))
    action = EnforcementAction(new_id(), report.user_id, decision, until)
    await add_action(tx, action, actor=actor, report_id=report_id, note=note)
    await _END.run(tx, report_id, "dismissed" if decision is Decision.DISMISS else "decided")
    await forget_if_erased(tx, *accounts)
    await _LIFT.one(tx, report.user_id)
    if decision is Decision.REMOVE:
        await hooks.state(
            tx,
            "content.removed",
            type=report.type,
            subject_id=report.subject_id,
            user_id=report.user_id,
        )
    if decision in (Decision.SUSPEND, Decision.BAN):
        await suspend(tx, hooks, report.user_id, until=until, action_id=action.action_id)
    await _tell(tx, action, report_id)
    metrics.DECISIONS.labels(decision).inc()
    metrics.DECISION_SECONDS.labels(report.severity).observe(max(0.0, report.age))
    return action


async def add_action(
    tx: Transaction,
    action: EnforcementAction,
    *,
    actor: str,
    report_id: UUID | None = None,
    note: str | None = None,
) -> None:
    """One that is there already stays as it is; a ban that has come back with the phone is the new
    account's from now on."""
    await _ADD.run(
        tx,
        action.action_id,
        action.user_id,
        report_id,
        action.until,
        action.decision,
        actor,
        note,
    )


async def _locked(tx: Transaction, report_id: UUID) -> tuple[OpenReport, list[Account]]:
    """With the accounts of both: whom it is about, and who reported."""
    people = await _PEOPLE.all(tx, report_id)
    if not people:
        raise no_such_report(report_id)
    accounts = [await lock_account(tx, one) for one in people]
    report = await _LOCK.one(tx, report_id)
    if report.status != "open":
        action = await _ACTION_OF.maybe(tx, report_id)
        raise ReportDecided(
            f"The report {report_id} is {report.status}, by the action {action}.",
            hint="GET /admin/reports?status=open lists those that wait.",
            **({} if action is None else {"action_id": action}),
        )
    return report, accounts


def _check(report: OpenReport, decision: Decision, days: int | None) -> None:
    if days is not None and decision is not Decision.SUSPEND:
        raise DecisionInvalid(
            f"`days` does not go with {decision}.", hint="It says how long a suspension lasts."
        )
    if decision is Decision.REMOVE and report.type == ReportType.MATCH:
        raise DecisionInvalid(
            "A match as a whole cannot be removed.",
            hint="Warn, suspend or ban; or decide a report of a single message.",
        )


async def _tell(tx: Transaction, action: EnforcementAction, report_id: UUID) -> None:
    """Whom something is done to learns it, and by which id to appeal."""
    data = {
        "actionId": action.action_id,
        "userId": action.user_id,
        "reportId": report_id,
        "decision": action.decision,
        "until": action.until,
    }
    users = [action.user_id] if may_be_appealed(action.decision) else []
    await emit(tx, DECIDED, f"user:{action.user_id}", data, users=users)


def no_such_report(report_id: UUID) -> NotFound:
    return NotFound(f"There is no report {report_id}.", hint="GET /admin/reports lists them.")
