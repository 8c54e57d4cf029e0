"""Errors of safety."""

from handfast.base.errors import Conflict, InvalidRequest


class AppealDuplicate(Conflict):
    """One for each action. ``existingId`` is the one that is there."""

    code = "APPEAL_DUPLICATE"
    title = "There is an appeal against that action already"


class AppealDecided(Conflict):
    """A decision about an appeal is the last word."""

    code = "APPEAL_DECIDED"
    title = "The appeal is decided"


class DecisionInvalid(InvalidRequest):
    code = "DECISION_INVALID"
    title = "That cannot be decided about this report"


class ReportDecided(Conflict):
    """``actionId`` is what was decided."""

    code = "REPORT_DECIDED"
    title = "The report is decided"


class ReportDuplicate(Conflict):
    """The same reporter, subject and category within an hour. ``existingId`` is the one
    that is there."""

    code = "REPORT_DUPLICATE"
    title = "You have reported that already"


class ReportInvalid(InvalidRequest):
    code = "REPORT_INVALID"
    title = "That cannot be reported"
