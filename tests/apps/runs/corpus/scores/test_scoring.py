"""Scoring: against a second implementation in plain Python, and the same however it is cut."""

import math
import random
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handfast.apps.runs.corpus import generator
from handfast.apps.runs.corpus.scores.profiles import Investor, InvestorRow, Startup, StartupRow
from handfast.apps.runs.corpus.scores.ranking import Ranking
from handfast.apps.runs.corpus.scores.regions import REGION, region
from handfast.apps.runs.corpus.scores.rescore import pairs_of
from handfast.apps.runs.corpus.scores.scoring import (
    activity_signal,
    cheque_signal,
    near_stages,
    score,
)
from handfast.apps.runs.corpus.scores.weights import DEFAULT_WEIGHTS, SIGNALS, Weights, weights_of
from handfast.apps.runs.corpus.scores.words import buckets, normal, weights, words
from handfast.apps.runs.settings import MATCH_SIGNALS

pytestmark = pytest.mark.on_lowest


def plainly(  # noqa: C901  # as long as the table in the documentation
    startup: Startup, investor: Investor, rarity: Sequence[int]
) -> tuple[int, ...]:
    """The six signals as the documentation words them, one pair at a time."""
    sector = stage = geography = cheque = thesis = -1
    if startup.sectors and investor.sectors:
        shared = set(startup.sectors) & set(investor.sectors)
        sector = 100 * len(shared) // len(startup.sectors)
    if startup.stage and investor.stages:
        near = any(s in near_stages(startup.stage) for s in investor.stages)
        stage = 100 if startup.stage in investor.stages else 50 if near else 0
    if startup.country and investor.countries:
        here = region(startup.country)
        if (
            startup.country in investor.countries
            or "global" in investor.countries
            or here in investor.countries
        ):
            geography = 100
        elif here is not None and here in {region(c) for c in investor.countries}:
            geography = 40
        else:
            geography = 0
    if startup.raising >= 0 and (investor.cheque_min >= 0 or investor.cheque_max >= 0):
        cheque = 100
        if 0 <= investor.cheque_max < startup.raising:
            cheque = 100 * investor.cheque_max // startup.raising
        elif startup.raising < investor.cheque_min:
            cheque = 100 * startup.raising // investor.cheque_min
    if startup.words and investor.words:
        common = sum(rarity[w] for w in set(startup.words) & set(investor.words))
        least = min(sum(rarity[w] for w in t.words) for t in (startup, investor))
        thesis = min(100, 100 * common // max(24, least))
    activity = -1
    if investor.deals >= 0:
        activity = min(100, int(15 * math.log2(1 + investor.deals)))
    return sector, stage, geography, cheque, thesis, activity


def plain_score(signals: Sequence[int], counts: Weights = DEFAULT_WEIGHTS) -> int:
    total = sum(
        weight * (50 if signal < 0 else signal)
        for weight, signal in zip(counts.values(), signals, strict=True)
    )
    return total * 10 // sum(counts.values())


def plain_best(
    startups: list[Startup],
    investors: list[Investor],
    keep: int,
    counts: Weights = DEFAULT_WEIGHTS,
) -> list[tuple[object, ...]]:
    rarity = weights([list(i.words) for i in investors])
    found: list[tuple[object, ...]] = []
    for startup in startups:
        scored = []
        for investor in investors:
            signals = plainly(startup, investor, rarity)
            order = (-plain_score(signals, counts), -investor.deals, investor.id.encode())
            scored.append((order, signals, investor.id))
        found += [
            (1, -order[0], *signals, -order[1], startup.id, name)
            for order, signals, name in sorted(scored)[:keep]
        ]
    return found


def companies(startups: int, investors: int, seed: int = 5) -> tuple[list[Startup], list[Investor]]:
    return (
        [
            Startup.of(msgspec.convert(row, StartupRow))
            for row in generator.startups(startups, seed)
        ],
        [
            Investor.of(msgspec.convert(row, InvestorRow))
            for row in generator.investors(investors, seed)
        ],
    )


@pytest.mark.parametrize("at_once", [1, 7, 64, 8192])
@pytest.mark.parametrize("rows", [1, 3, 40])
def test_the_same_however_it_is_cut(
    at_once: int, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    startups, investors = companies(40, 90)
    ranking = Ranking(investors, keep=12, at_once=at_once)
    monkeypatch.setattr(ranking, "rows_at_once", lambda: rows)
    assert pairs_of(ranking, startups, 1) == plain_best(startups, investors, 12)


TEXT = st.text("abcde ", max_size=30)
COUNTRY = st.sampled_from(["de", "us", "fr", "xx", "europe", "jp"])
STARTUP = st.builds(
    Startup,
    id=st.just("s"),
    sectors=st.lists(st.sampled_from("abcd"), max_size=3, unique=True).map(tuple),
    stage=st.none() | st.sampled_from(["seed", "series-a", "growth", "odd"]),
    country=st.none() | COUNTRY,
    raising=st.integers(-1, 10**15),
    words=TEXT.map(lambda t: tuple(buckets(t))),
)
INVESTOR = st.builds(
    Investor,
    id=st.text(min_size=1, max_size=4),
    sectors=st.lists(st.sampled_from("abcd"), max_size=3, unique=True).map(tuple),
    stages=st.lists(st.sampled_from(["seed", "series-b", "odd"]), unique=True).map(tuple),
    countries=st.lists(COUNTRY | st.just("global"), unique=True, max_size=2).map(tuple),
    cheque_min=st.integers(-1, 10**15),
    cheque_max=st.integers(-1, 10**15),
    words=TEXT.map(lambda t: tuple(buckets(t))),
    deals=st.integers(-1, 5) | st.integers(0, 10**9),
)
COUNTS = st.lists(st.integers(0, 1000), min_size=6, max_size=6).filter(any)


@settings(max_examples=150)
@given(
    st.lists(STARTUP, min_size=1, max_size=4),
    st.lists(INVESTOR, min_size=1, max_size=9, unique_by=lambda i: i.id),
    st.integers(1, 5),
    st.integers(1, 9),
    COUNTS,
)
def test_as_plain_python_says(
    startups: list[Startup], investors: list[Investor], at_once: int, keep: int, counts: list[int]
) -> None:
    weigh = dict(zip(SIGNALS, counts, strict=True))
    ranking = Ranking(investors, keep=keep, at_once=at_once, weights=weigh)
    found = pairs_of(ranking, startups, 1)
    assert found == plain_best(startups, investors, keep, weigh)
    assert all(0 <= pair[1] <= 1000 for pair in found)
    assert all(-1 <= signal <= 100 for pair in found for signal in pair[2:8])


def test_nobody_to_fit() -> None:
    startups, _ = companies(3, 1)
    assert pairs_of(Ranking([], keep=5), startups, 1) == []


def test_a_least_score_is_kept_to() -> None:
    startups, investors = companies(20, 40)
    everything = pairs_of(Ranking(investors, keep=40), startups, 1)
    good = pairs_of(Ranking(investors, keep=40, least=600), startups, 1)
    assert good == [pair for pair in everything if pair[1] >= 600]
    assert 0 < len(good) < len(everything)


def test_nothing_said_is_neither_for_nor_against() -> None:
    unsaid = {name: np.array([[-1]], np.int32) for name in SIGNALS}
    half = {name: np.array([[50]], np.int32) for name in SIGNALS}
    full = {name: np.array([[100]], np.int32) for name in SIGNALS}
    assert score(unsaid).item() == score(half).item() == 500
    assert score(full).item() == 1000
    assert sum(DEFAULT_WEIGHTS.values()) == 100
    assert SIGNALS == MATCH_SIGNALS, "what the setting takes"


@pytest.mark.parametrize(
    ("deals", "signal"),
    [(-1, -1), (0, 0), (1, 15), (2, 23), (3, 30), (7, 45), (100, 99), (101, 100), (10**9, 100)],
)
def test_activity(deals: int, signal: int) -> None:
    assert activity_signal(deals) == signal


def test_of_equal_scores_the_more_active_comes_first() -> None:
    many = [Investor("a"), Investor("b", deals=200), Investor("c", deals=300), Investor("d")]
    indifferent = weights_of("activity=0")
    found = pairs_of(Ranking(many, keep=4, weights=indifferent), [Startup("s")], 1)
    assert len({pair[1] for pair in found}) == 1
    assert [pair[-1] for pair in found] == ["c", "b", "a", "d"]
    assert [pair[-3] for pair in found] == [300, 200, -1, -1]


def test_weights_that_users_set() -> None:
    assert weights_of(None) == DEFAULT_WEIGHTS
    assert weights_of("sector=70, activity = 0") == {**DEFAULT_WEIGHTS, "sector": 70, "activity": 0}


def backers(
    startups: list[Startup], investors: list[Investor], dice: random.Random
) -> dict[str, set[str]]:
    """A planted truth: who backs whom. Whoever is active sees many companies, and backs those of a
    field that it knows and can pay for, which it does not always say."""
    found: dict[str, set[str]] = {}
    for startup in startups:
        chances = [
            (1 + max(0, investor.deals))
            * (1 + 4 * bool(set(startup.sectors) & set(investor.sectors)))
            * (1 + 4 * len(set(startup.words) & set(investor.words)))
            * (1 + 9 * (investor.cheque_min <= startup.raising <= investor.cheque_max))
            for investor in investors
        ]
        found[startup.id] = {one.id for one in dice.choices(investors, chances, k=5)}
    return found


def test_real_backers_rank_above_the_popular() -> None:
    """Fit without activity loses against popularity alone; both together beat it."""
    startups, investors = companies(60, 300)
    truth = backers(startups, investors, random.Random(7))  # noqa: S311

    def mean_place(pairs: list[tuple[Any, ...]]) -> float:
        """Where backers stand, from 0 for the first to 1 for the last."""
        places: dict[str, list[str]] = {}
        for pair in pairs:
            places.setdefault(pair[-2], []).append(pair[-1])
        stand = [order.index(who) for s, order in places.items() for who in truth[s]]
        return sum(stand) / len(stand) / len(investors)

    def ranked(said: str | None) -> float:
        ranking = Ranking(investors, keep=len(investors), weights=weights_of(said))
        return mean_place(pairs_of(ranking, startups, 1))

    usual = ranked(None)
    popular = ranked(",".join(f"{name}=0" for name in SIGNALS if name != "activity"))
    fit_alone = ranked("sector=35,stage=20,geography=15,cheque=15,thesis=15,activity=0")
    assert usual < popular < fit_alone, (usual, popular, fit_alone)


@pytest.mark.parametrize(
    ("raising", "least", "most", "signal"),
    [
        (5, 1, 9, 100),
        (5, 10, 20, 50),
        (40, 10, 20, 50),
        (0, 10, 20, 0),
        (0, 0, 0, 100),
        (5, 0, 0, 0),
        (5, -1, 9, 100),
        (5, 1, -1, 100),
        (5, 10, -1, 50),
        (-1, 1, 9, -1),
        (5, -1, -1, -1),
        (10**15, 10**15, 10**15, 100),
    ],
)
def test_cheques(raising: int, least: int, most: int, signal: int) -> None:
    one = [np.array([value], np.int64) for value in (raising, least, most)]
    assert cheque_signal(*one).item() == signal


def test_words_and_names() -> None:
    assert normal(" Series A ") == normal("series_a") == normal("SERIES-A")
    assert words("The platforms FOR Clinics, and a clinic's x1") == {"platform", "clinic"}
    assert buckets("clinic") == buckets("Clinics") != buckets("bank")
    common, rare = buckets("bank")[0], buckets("clinic")[0]
    found = weights([[common]] * 63 + [[common, rare]])
    assert found[rare] > found[common] >= 1


def test_regions_name_each_country_once() -> None:
    assert region("de") == region("europe") == "europe"
    assert region("atlantis") is None
    assert len(REGION) > 190
