"""Everybody in the pool has a set for each local day, and each date a round: what is missing is a
gap, and repaired while the day lasts. A set whose round is not there waits for it."""

from datetime import datetime, timedelta

import msgspec

from handfast.apps.offers.daily import planning
from handfast.apps.offers.daily.publishing import KIND, WEEKLY_KIND
from handfast.db.statements import statement
from handfast.engine.gaps.expectation import Expectation, ExpectedIdentity

PLANS = "offers.plans"
SETS = "offers.sets"
ANCHORS = "offers.anchors"
PAST = timedelta(hours=16)  # from 09:00 until the end of the longest day
PLAN_PAST = timedelta(
    hours=50
)  # a date begins in the first zone that long before it ends in the last


class _ExpectedSet(msgspec.Struct, frozen=True):
    key: str
    payload: str
    due_at: datetime
    result_exists: bool
    requires: str | None


_PLANS = statement("offers.plans_expected", row=ExpectedIdentity)
_SETS = statement("offers.sets_expected", row=_ExpectedSet)
_ANCHORS = statement("offers.anchors_expected", row=ExpectedIdentity)


def expectations() -> list[Expectation]:
    nothing = timedelta(0)
    return [
        Expectation(PLANS, planning.KIND, _PLANS.sql, window=nothing, past=PLAN_PAST),
        Expectation(SETS, KIND, _SETS.sql, window=nothing, past=PAST, after=(PLANS,)),
        Expectation(ANCHORS, WEEKLY_KIND, _ANCHORS.sql, window=nothing, past=PAST),
    ]
