"""Why an investor suits a startup, in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handfast.apps.runs.explain import (
    ExplainedInvestor,
    ExplainedStartup,
    Parts,
    Signal,
    dollars,
    explain,
    listed,
)
from handfast.apps.runs.matches import MatchPlace

ACME = ExplainedStartup("Acme", "seed", "DE", 1_500_000, ["fintech", "payments", "b2b"])
OAK = ExplainedInvestor(
    "Oak", ["seed", "a"], ["DE", "FR"], ["payments", "fintech"], 500_000, 2_000_000, 23
)


def test_a_good_match() -> None:
    assert explain(Parts(90, 100, 100, 100, 80, 68), ACME, OAK) == [
        Signal("sector", 90, "both work in fintech and payments"),
        Signal("stage", 100, "invests at seed"),
        Signal("geography", 100, "invests in DE"),
        Signal("cheque", 100, "a cheque of $500k to $2M fits a round of $1.5M"),
        Signal("thesis", 80, "the pitch is what the thesis asks for"),
        Signal("activity", 68, "has backed 23 companies"),
    ]


def test_the_weights_are_shown() -> None:
    """Those that the corpus was scored with; they are handed in with it."""
    signals = explain(Parts(90, 100, 100, 100, 80, 68), ACME, OAK, {"sector": 35, "activity": 20})
    assert [signal.weight for signal in signals] == [35, 0, 0, 0, 0, 20]


def test_a_bad_match() -> None:
    far = ExplainedInvestor("Far", ["b", "c"], ["US"], ["games"], 10_000_000, 10_000_000, 0)
    assert [signal.says for signal in explain(Parts(0, 0, 0, 0, 0, 0), ACME, far)] == [
        "games, not fintech, payments and b2b",
        "invests at b and c, not at seed",
        "invests in US, not in DE",
        "a cheque of $10M does not fit a round of $1.5M",
        "the pitch is not in the thesis",
        "has backed no company yet",
    ]


def test_what_is_near() -> None:
    near = ExplainedInvestor("Near", ["a"], ["AT"], ["banking"], None, 1_000_000, 1)
    assert [signal.says for signal in explain(Parts(75, 50, 70, 30, 40, 15), ACME, near)] == [
        "banking is close to fintech, payments and b2b",
        "invests at a, next to seed",
        "invests near DE",
        "a cheque of $1M partly fits a round of $1.5M",
        "the pitch touches the thesis",
        "has backed 1 company",
    ]


def test_who_says_nothing() -> None:
    signals = explain(
        Parts(-1, -1, -1, -1, -1, -1), ExplainedStartup("Quiet"), ExplainedInvestor("Silent")
    )
    assert [signal.agrees for signal in signals] == [None] * 6
    assert all(signal.says.startswith("one side says nothing of") for signal in signals)


parts = st.integers(-1, 100)
words = st.lists(st.text(max_size=5), max_size=6)
amounts = st.none() | st.integers(0, 2**62)


@given(
    st.builds(Parts, parts, parts, parts, parts, parts, parts),
    st.builds(
        ExplainedStartup, st.text(), st.none() | st.text(), st.none() | st.text(), amounts, words
    ),
    st.builds(ExplainedInvestor, st.text(), words, words, words, amounts, amounts, amounts),
)
def test_whatever_the_corpus_holds(
    found: Parts, startup: ExplainedStartup, investor: ExplainedInvestor
) -> None:
    signals = explain(found, startup, investor)
    names = ["sector", "stage", "geography", "cheque", "thesis", "activity"]
    assert [s.signal for s in signals] == names
    assert all(s.says for s in signals)
    assert all(s.agrees is None or 0 <= s.agrees <= 100 for s in signals)


@pytest.mark.parametrize(
    ("amount", "said"),
    [(0, "$0"), (999, "$999"), (1000, "$1k"), (1_250_000, "$1.25M"), (3 * 10**9, "$3B")],
)
def test_amounts(amount: int, said: str) -> None:
    assert dollars(amount) == said


def test_long_lists_are_cut() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"


@given(
    st.integers(1, 2**31 - 1),
    st.integers(0, 1000),
    st.text(min_size=1).filter(lambda t: "\0" not in t),
)
def test_a_cursor_comes_back_as_it_was(rank: int, score: int, investor: str) -> None:
    place = MatchPlace(rank, score, investor)
    assert MatchPlace.read(place.cursor()) == place
    assert not place.cursor().startswith("-"), "on a command line it would be an option"
