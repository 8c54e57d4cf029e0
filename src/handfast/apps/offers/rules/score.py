"""The score v1: how well each fits what the other wishes, in exact integers.

Written out plainly, one pair at a time. ``rounds/arithmetic/kernel.py`` computes the same for
millions of pairs and is compared with this.
"""

from collections.abc import Sequence
from itertools import combinations, permutations
from typing import NamedTuple

from handfast.apps.offers.rules.confidence import lowered
from handfast.apps.offers.rules.person import PackedAnswer, ScoredQuestion

QUESTIONS_MAX = 64  # scored ones: sums stay exact in float32
FIT_MAX = 60
WEIGHTS = (0, 1, 2, 4, 8)  # of importance 0 to 4
RANKED = 4
ORDERS = tuple(permutations(range(RANKED)))
ORDERED_PAIRS = tuple(combinations(range(RANKED), 2))
THEMES = 3  # constructs that explain a score

Answers = Sequence[PackedAnswer | None]


def fits(question: ScoredQuestion, wish: int) -> dict[int, int]:
    """What each feature of another's answer is worth to who wishes this; ``features`` has which an
    answer has. The fit is their sum."""
    size = question.size
    match question.type:
        case "single_choice":
            return {option: FIT_MAX for option in range(size) if wish >> option & 1}
        case "slider":
            return {a: FIT_MAX * (size - 1 - abs(wish - a)) // (size - 1) for a in range(size)}
        case "multiple_choice":
            wanted = [option for option in range(size) if wish >> option & 1]
            return {option: FIT_MAX // len(wanted) for option in wanted}
        case "ranking":
            return dict.fromkeys(features(question, wish), FIT_MAX // len(ORDERED_PAIRS))
    raise ValueError(f"a question of type {question.type} is not scored")


def features(question: ScoredQuestion, answer: int) -> list[int]:
    """Which features an answer has: an option, a step, several options, or for each two of a
    ranking which of them comes first."""
    match question.type:
        case "single_choice" | "slider":
            return [answer]
        case "multiple_choice":
            return [option for option in range(question.size) if answer >> option & 1]
        case "ranking":
            place = {option: at for at, option in enumerate(ORDERS[answer])}
            return [
                2 * number + (place[first] > place[second])
                for number, (first, second) in enumerate(ORDERED_PAIRS)
            ]
    raise ValueError(f"a question of type {question.type} is not scored")


def feature_count(question: ScoredQuestion) -> int:
    return 2 * len(ORDERED_PAIRS) if question.type == "ranking" else question.size


def most(question: ScoredQuestion, wish: int) -> int:
    """t: the fit of the best answer that there could be."""
    worth = fits(question, wish)
    if question.type == "slider":
        return max(worth.values(), default=0)
    if question.type == "single_choice":
        return FIT_MAX if worth else 0
    return sum(worth.values())


class OneSidedFit(NamedTuple):
    """What one sees in another, over the questions that both answered."""

    reached: int  # N
    possible: int  # D
    shared: int  # n
    by_construct: dict[str, int]


def look(questions: Sequence[ScoredQuestion], one: Answers, other: Answers) -> OneSidedFit:
    reached = possible = shared = 0
    by_construct: dict[str, int] = {}
    for question, mine, theirs in zip(questions, one, other, strict=True):
        if mine is None or theirs is None:
            continue
        weight, worth = WEIGHTS[mine.importance], fits(question, mine.wish)
        part = weight * sum(worth.get(had, 0) for had in features(question, theirs.answer))
        best = weight * most(question, mine.wish)
        reached, possible, shared = reached + part, possible + best, shared + (best > 0)
        by_construct[question.construct] = by_construct.get(question.construct, 0) + part
    return OneSidedFit(reached, possible, shared, by_construct)


def harmonic(one: OneSidedFit, other: OneSidedFit) -> int | None:
    """The harmonic mean of the two in ten-thousandths, rounded down once; None where one of them
    has nothing to go by."""
    if 0 in (one.possible, other.possible):
        return None
    divisor = one.reached * other.possible + other.reached * one.possible
    return 20_000 * one.reached * other.reached // divisor if divisor else 0


def score(questions: Sequence[ScoredQuestion], one: Answers, other: Answers) -> int | None:
    """In ten-thousandths, the same from both sides; None if the two cannot be scored."""
    mine, theirs = look(questions, one, other), look(questions, other, one)
    mean = harmonic(mine, theirs)
    if mean is None:
        return None
    return lowered(len(questions), min(mine.shared, theirs.shared))[mean]


def themes(questions: Sequence[ScoredQuestion], one: Answers, other: Answers) -> list[str]:
    """The constructs in which ``other`` fits ``one`` most, the largest part first."""
    parts = look(questions, one, other).by_construct
    ordered = sorted(parts, key=lambda construct: (-parts[construct], construct))
    return [construct for construct in ordered if parts[construct] > 0][:THEMES]


def shown(ten_thousandths: int) -> int:
    """As users see it: 0 to 100, half up."""
    return (ten_thousandths + 50) // 100
