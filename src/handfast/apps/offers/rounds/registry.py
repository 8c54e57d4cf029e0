"""Scores and selections by name. A plan pins both names; a program registers its own beside ours,
before its worker starts."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from handfast.apps.offers.errors import AlgorithmUnknown
from handfast.apps.offers.rounds.arithmetic.best import PairScores
from handfast.apps.offers.rounds.arithmetic.kernel import ScoreV1
from handfast.apps.offers.rounds.market import Market
from handfast.apps.offers.rounds.picks import Picks
from handfast.apps.offers.rounds.pool import Pool
from handfast.apps.offers.rounds.selections import mutual, top
from handfast.apps.offers.rules.person import ScoredQuestion

T = TypeVar("T")

MakeScores = Callable[[Sequence[ScoredQuestion], Pool], PairScores]
Select = Callable[[Market], Picks]

SCORES: dict[str, MakeScores] = {"v1": ScoreV1}
SELECTIONS: dict[str, Select] = {"mutual": mutual, "top": top}
DIRECTED = {"top"}


def register_score(name: str, make: MakeScores) -> None:
    """A name means one thing for ever: change the name with the arithmetic."""
    if SCORES.setdefault(name, make) is not make:
        raise ValueError(f"the score {name!r} is registered already")


def register_selection(name: str, select: Select, *, directed: bool = False) -> None:
    """``directed``: it offers to one side at a time, and heeds ``market.shown``. So a live offer
    keeps its candidate from its user only. Others choose pairs, and it keeps the two apart."""
    if SELECTIONS.setdefault(name, select) is not select:
        raise ValueError(f"the selection {name!r} is registered already")
    if directed:
        DIRECTED.add(name)


def score_named(name: str) -> MakeScores:
    return _named(SCORES, "score", name)


def selection_named(name: str) -> Select:
    return _named(SELECTIONS, "selection", name)


def _named(known: dict[str, T], what: str, name: str) -> T:
    if name not in known:
        raise AlgorithmUnknown(
            f"There is no {what} {name!r}.", hint=f"There is {', '.join(sorted(known))}."
        )
    return known[name]
