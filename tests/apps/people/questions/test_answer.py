"""Answers and wishes, and their codes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handfast.apps.people.errors import AnswerInvalid
from handfast.apps.people.questions.answer import ORDERS, checked, checked_wish, code, wish_code
from handfast.apps.people.questions.first_set import FIRST_SET
from handfast.apps.people.questions.packed import BYTES, DTYPE, ScoredAnswer, pack, unpack
from handfast.apps.people.questions.question import IMPORTANCE_MAX

SINGLE, SLIDER, LISTEN, SEVERAL, RANKING, WORDS = (
    FIRST_SET.by_id[one]
    for one in ("children", "time_alone", "listening", "causes", "what_counts", "good_evening")
)
ORDER = ["kindness", "honesty", "freedom", "ambition"]


@pytest.mark.parametrize(
    ("question", "sent", "stored", "coded", "wished"),
    [
        (SINGLE, "none", "none", 3, 1 << 3),
        (SLIDER, 1, 1, 0, 0),
        (SLIDER, 7.0, 7, 6, 6),
        (LISTEN, 2, 2, 1, 6),  # more: the upper end is wanted, whoever answers
        (SEVERAL, ["nature", "animals"], ["animals", "nature"], 0b101, 0b101),
        (RANKING, ORDER, ORDER, ORDERS.index((1, 0, 3, 2)), ORDERS.index((1, 0, 3, 2))),
    ],
)
def test_codes(question: Any, sent: Any, stored: Any, coded: int, wished: int) -> None:
    assert checked(question, sent) == stored
    assert code(question, stored) == coded
    assert wish_code(question, stored) == wished


@pytest.mark.parametrize(
    ("question", "wish", "stored", "wished"),
    [
        (SINGLE, "open", ["open"], 1 << 4),
        (SINGLE, ["open", "want"], ["want", "open"], 0b10001),
        (SLIDER, 4, 4, 3),
        (LISTEN, 1, 1, 0),
        (SEVERAL, ["faith"], ["faith"], 1 << 5),
    ],
)
def test_wishes(question: Any, wish: Any, stored: Any, wished: int) -> None:
    assert checked_wish(question, wish) == stored
    own = {SINGLE: "want", SLIDER: 2, LISTEN: 2, SEVERAL: ["animals"]}[question]
    assert wish_code(question, own, stored) == wished


@pytest.mark.parametrize(
    ("question", "sent"),
    [
        (SINGLE, "many"),
        (SINGLE, ["none"]),
        (SINGLE, 1),
        (SLIDER, 0),
        (SLIDER, 8),
        (SLIDER, 1.5),
        (SLIDER, float("nan")),
        (SLIDER, float("inf")),
        (SLIDER, "3"),
        (SEVERAL, []),
        (SEVERAL, ["animals", "animals"]),
        (SEVERAL, ["nobody"]),
        (SEVERAL, "animals"),
        (RANKING, ORDER[:3]),
        (RANKING, [*ORDER[:3], ORDER[0]]),
        (RANKING, [*ORDER, "x"]),
        (WORDS, ""),
        (WORDS, "x" * 1001),
        (WORDS, "a\x00b"),
        (WORDS, 7),
        (WORDS, ["x"]),
    ],
)
def test_what_is_no_answer(question: Any, sent: Any) -> None:
    with pytest.raises(AnswerInvalid, match=question.id):
        checked(question, sent)


@pytest.mark.parametrize(
    ("question", "wish"), [(WORDS, "x"), (SINGLE, 4), (SINGLE, []), (SLIDER, 9)]
)
def test_what_is_no_wish(question: Any, wish: Any) -> None:
    with pytest.raises(AnswerInvalid):
        checked_wish(question, wish)


scored = st.builds(
    ScoredAnswer, st.integers(0, IMPORTANCE_MAX), st.integers(0, 65535), st.integers(0, 65535)
)


@given(st.dictionaries(st.sampled_from([one.id for one in FIRST_SET.scored]), scored))
def test_a_packed_row_is_read_as_it_was_written(answers: dict[str, ScoredAnswer]) -> None:
    row = pack(FIRST_SET, answers)
    assert len(row) == BYTES * len(FIRST_SET.scored)
    assert unpack(FIRST_SET, row) == answers


def test_numpy_reads_the_same() -> None:
    import numpy as np

    answers = {"saying_it_straight": ScoredAnswer(4, 300, 65535)}
    read = np.frombuffer(pack(FIRST_SET, answers), dtype=DTYPE)
    assert [int(one) for one in read["importance"][:3]] == [255, 4, 255]
    assert (int(read["answer"][1]), int(read["wish"][1])) == (300, 65535)
