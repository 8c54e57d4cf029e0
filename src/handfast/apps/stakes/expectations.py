"""Every dispute is resolved within seven days. One that is not is a gap, and only a person can
close it. (That every pot comes to zero in time is the ledger's own expectation, of holds.)"""

from datetime import timedelta

from handfast.db.statements import statement
from handfast.engine.gaps.expectation import Expectation, ExpectedIdentity

NAME = "stakes.disputes"
KIND = "stakes.resolve_dispute"  # no job: what a gap of this expectation is called
PAST = timedelta(days=3650)

_UNRESOLVED = statement("stakes.unresolved_disputes", row=ExpectedIdentity)


def expectations() -> list[Expectation]:
    return [Expectation(NAME, KIND, _UNRESOLVED.sql, window=timedelta(0), past=PAST, by_hand=True)]
