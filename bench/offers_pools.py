"""Pools of people for the benches of offers, as arrays: a million are made in seconds.

Answers are drawn, question by question, from those of made-up people. Places lie far apart, so each
is a region; within one everybody is in everybody's reach.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt

from handfast.apps.offers.rounds.arithmetic.best import one_blas_thread
from handfast.apps.offers.rounds.arithmetic.kernel import ScoreV1
from handfast.apps.offers.rounds.market import BLOCK
from handfast.apps.offers.rounds.pool import Pool
from handfast.apps.offers.rules.chords import SQUARED_CHORDS
from handfast.apps.offers.rules.person import ANSWER_BYTES, ScoredQuestion
from handfast.apps.people.generator.people import made_up
from handfast.apps.people.questions.packed import pack
from handfast.apps.people.questions.responses import QUESTIONS

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SAMPLE = 400  # people whose answers are drawn from
TOWN = 500  # across, in 10 m
REACH_KM = 50
SCORED = [
    ScoredQuestion(one.id, one.construct, one.type, one.steps or len(one.options))
    for one in QUESTIONS.scored
]


def generated_pool(
    count: int,
    per_place: int,
    *,
    seed: int,
    men: float = 0.5,
    room: int = 3,
    open_ages: bool = True,
) -> Pool:
    """Men who seek women and women who seek men; whoever is of the other gender is eligible."""
    chance = np.random.default_rng(seed)
    place = _places(chance, count, per_place)
    is_man = chance.random(count) < men
    age = chance.integers(20, 60, count)
    spread = chance.integers(3, 12, count)
    return Pool(
        age=age,
        gender=np.where(is_man, 1, 2),
        seeking=np.where(is_man, 2, 1),
        intent=np.full(count, 3),
        min_age=np.full(count, 18) if open_ages else np.maximum(18, age - spread),
        max_age=np.full(count, 120) if open_ages else age + spread,
        reach=np.full(count, SQUARED_CHORDS[REACH_KM]),
        place=place,
        room=np.full(count, room),
        answers=drawn_answers(chance, count),
    )


def drawn_answers(chance: np.random.Generator, count: int) -> npt.NDArray[np.uint8]:
    sample = [pack(QUESTIONS, one.packed()) for one in made_up(SAMPLE, seed=1, now=NOW)]
    table = np.frombuffer(b"".join(sample), np.uint8).reshape(SAMPLE, -1, ANSWER_BYTES)
    answers = np.empty((count, len(SCORED), ANSWER_BYTES), np.uint8)
    for at in range(len(SCORED)):
        answers[:, at] = table[chance.integers(0, SAMPLE, count), at]
    return answers.reshape(count, -1)


def _places(chance: np.random.Generator, count: int, per_place: int) -> npt.NDArray[np.int64]:
    """Towns on a grid around the middle of the earth's nearest cube, 200 km apart."""
    town = np.arange(count) // per_place
    across = 20_000
    corner = np.stack([town % 50, town // 50 % 50, town // 2500], axis=1) * across - 500_000
    return corner + chance.integers(0, TOWN, (count, 3))


def product_seconds(pairs: int, threads: int) -> float:
    """Products alone, of as many pairs, in blocks as the lists have them: processor time."""
    some = generated_pool(BLOCK, BLOCK, seed=1)
    features = ScoreV1(SCORED, some).features(np.arange(BLOCK))
    began, blocks = time.process_time(), max(pairs // BLOCK**2, 1)

    def one(_: int) -> None:
        ScoreV1.sides(features, features)

    with one_blas_thread(), ThreadPoolExecutor(threads) as executor:
        list(executor.map(one, range(blocks)))
    return (time.process_time() - began) * pairs / (blocks * BLOCK**2)
