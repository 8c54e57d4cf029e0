"""What the model has to be better than: how matches end at large, and an Elo rating alone."""

import math

import numpy as np
import numpy.typing as npt

from handfast.apps.fixtures.rules.outcome import MatchOutcome

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

USUAL = (4.5, 2.6, 2.9)  # ten matches in the whole of football, so that the first have an answer
FIRST_FIT = 30  # results; before, the usual line below
USUAL_LINE = (0.7, -1.2, -0.1)
NEWTON_STEPS = 4  # from where the day before ended, which is near


class Frequencies:
    """How the results of the competition that are known so far have ended."""

    def __init__(self) -> None:
        self._ended: dict[str, list[float]] = {}

    def predict(self, competition: str) -> MatchOutcome:
        ended = self._ended.get(competition, USUAL)
        home, draw, away = (count / sum(ended) for count in ended)
        return MatchOutcome(home, draw, away)

    def learn(self, competition: str, happened: int) -> None:
        self._ended.setdefault(competition, list(USUAL))[happened] += 1


class EloLogit:
    """An ordered logit of the difference in Elo, with the home advantage in its thresholds.

    Fitted by maximum likelihood to every result of every competition so far: of one competition
    alone it was worse, having too little to learn from.
    """

    def __init__(self) -> None:
        self._differences: list[float] = []
        self._happened: list[int] = []
        self._line = np.array(USUAL_LINE)

    def predict(self, difference: float) -> MatchOutcome:
        slope, low, high = self._line
        x = slope * _scaled(difference)
        away, not_home = _logistic(low - x), _logistic(high - x)
        return MatchOutcome(float(1 - not_home), float(not_home - away), float(away))

    def learn(self, difference: float, happened: int) -> None:
        self._differences.append(_scaled(difference))
        self._happened.append(happened)

    def fit(self) -> None:
        if len(self._happened) < FIRST_FIT:
            return
        x, happened = np.array(self._differences), np.array(self._happened)
        for _ in range(NEWTON_STEPS):
            self._line = self._line + _scoring_step(self._line, x, happened)


def _scaled(difference: float) -> float:
    return difference / 400 * math.log(10)


def _logistic(x: Floats) -> Floats:
    return 1 / (1 + np.exp(-x))


def _scoring_step(line: Floats, x: Floats, happened: Ints) -> Floats:
    """One of Fisher's, towards the greatest likelihood."""
    slope, low, high = line
    away, not_home = _logistic(low - slope * x), _logistic(high - slope * x)
    at_low, at_high = away * (1 - away), not_home * (1 - not_home)
    none = np.zeros_like(x)
    probability = np.stack([1 - not_home, not_home - away, away], axis=1)
    by_line = np.stack(  # of each outcome's probability, by slope, low and high
        [
            np.stack([x * at_high, none, -at_high], axis=1),
            np.stack([x * (at_low - at_high), -at_low, at_high], axis=1),
            np.stack([-x * at_low, at_low, none], axis=1),
        ],
        axis=1,
    )
    mine = np.arange(len(x))
    gradient = (by_line[mine, happened] / probability[mine, happened][:, None]).sum(axis=0)
    information = np.einsum("nop,noq->pq", by_line / probability[:, :, None], by_line)
    step: Floats = np.linalg.solve(information + 1e-6 * np.eye(3), gradient)
    return step
