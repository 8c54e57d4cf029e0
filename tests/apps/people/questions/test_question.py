"""A set of questions that offers could not score is refused when it is loaded."""

from collections import Counter
from dataclasses import replace

import pytest

from handfast.apps.people.questions.first_set import FIRST_SET
from handfast.apps.people.questions.question import (
    Construct,
    Option,
    Question,
    QuestionSet,
    QuestionType,
    Rule,
    why_unusable,
)

SLIDER = FIRST_SET.by_id["time_alone"]
CHOICE = FIRST_SET.by_id["children"]
RANKING = FIRST_SET.by_id["what_counts"]
WORDS = FIRST_SET.by_id["good_evening"]


def options(count: int) -> tuple[Option, ...]:
    return tuple(Option(f"o{number}", "x") for number in range(count))


def test_the_set_has_every_kind_and_every_construct() -> None:
    assert len(FIRST_SET.questions) == 26
    assert len(FIRST_SET.scored) == 24
    assert {one.type for one in FIRST_SET.questions} == set(QuestionType)
    assert {one.rule for one in FIRST_SET.questions} == set(Rule)
    assert set(Counter(one.construct for one in FIRST_SET.questions)) == set(Construct)
    assert min(Counter(one.construct for one in FIRST_SET.questions).values()) >= 3


def test_what_is_stored_with_answers_never_changes() -> None:
    """Codes are places: another order of questions or options is another version."""
    pinned = {one.id: tuple(one.places) for one in FIRST_SET.scored}
    assert list(pinned)[:3] == ["after_a_quarrel", "saying_it_straight", "messages_a_day"]
    assert pinned["children"] == ("want", "have_more", "have_enough", "none", "open")
    assert pinned["what_counts"] == ("honesty", "kindness", "ambition", "freedom")


@pytest.mark.parametrize(
    ("question", "why"),
    [
        (replace(SLIDER, rule=Rule.SHARE), "cannot be scored by the rule share"),
        (replace(WORDS, rule=Rule.SAME), "cannot be scored by the rule same"),
        (replace(SLIDER, step=4), "whole steps"),
        (replace(SLIDER, step=0), "whole steps"),
        (replace(SLIDER, max=1000), "whole steps"),
        (replace(SLIDER, min=None), "whole steps"),
        (replace(SLIDER, options=options(2)), "options that nobody can choose"),
        (replace(CHOICE, options=options(17)), "needs 2 to 16 options"),
        (replace(CHOICE, options=options(1)), "needs 2 to 16 options"),
        (replace(CHOICE, options=options(2) * 2), "names an option twice"),
        (replace(CHOICE, min=1), "bounds without a slider"),
        (replace(RANKING, options=options(5)), "ranks other than 4"),
        (replace(CHOICE, weight=5), "weight outside"),
        (replace(CHOICE, id="Children!"), "an id that is none"),
        (replace(CHOICE, prompt=""), "asks nothing"),
    ],
)
def test_questions_that_are_refused(question: Question, why: str) -> None:
    assert why in (why_unusable(question) or "")
    with pytest.raises(ValueError, match=why.split(maxsplit=1)[0]):
        QuestionSet(7, (question,))


def test_sets_that_are_refused() -> None:
    with pytest.raises(ValueError, match="one id"):
        QuestionSet(7, (SLIDER, SLIDER))
    many = tuple(replace(SLIDER, id=f"q{number}") for number in range(65))
    with pytest.raises(ValueError, match="64"):
        QuestionSet(7, many)
    QuestionSet(7, many[:64])
