"""Clearing: every hold is resolved by its deadline. One that is not is a gap: listed, alerted on,
and never repaired by itself, since nobody but a person knows where the money should go."""

from datetime import timedelta

from handfast.db.statements import statement
from handfast.engine.gaps.expectation import Expectation, ExpectedIdentity

NAME = "ledger.holds"
KIND = "ledger.clear_hold"  # no job: what a gap of this expectation is called
PAST = timedelta(days=3650)  # a hold is missed however long ago its deadline was

_UNCLEARED = statement("ledger.uncleared_holds", row=ExpectedIdentity)


def expectations() -> list[Expectation]:
    return [Expectation(NAME, KIND, _UNCLEARED.sql, window=timedelta(0), past=PAST, by_hand=True)]
