"""Everybody in the pool has a set for each local day: one that is missing is a gap, and repaired
while the day lasts."""

from datetime import timedelta

from handfast.apps.offers.daily.publishing import KIND
from handfast.db.statements import statement
from handfast.engine.gaps.expectation import Expectation, ExpectedIdentity

NAME = "offers.sets"
PAST = timedelta(hours=16)  # from 09:00 until the end of the longest day

_EXPECTED = statement("offers.sets_expected", row=ExpectedIdentity)


def expectations() -> list[Expectation]:
    return [Expectation(NAME, KIND, _EXPECTED.sql, window=timedelta(0), past=PAST)]
