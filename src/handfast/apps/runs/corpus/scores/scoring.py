"""How well a startup and an investor fit: six signals, and one score of them. Pure functions.

A signal is a whole number from 0 to 100, or -1 where one side says nothing of it. The score is a
whole number from 0 to 1000. There is no rounding anywhere, only whole division, so that every
machine, every thread and every size of block gives the same answer.

    signal      weight  100 when                             and otherwise
    sector      20      the investor is in all of the        the share of them that it is in
                        startup's sectors
    stage       10      the stage is one of the investor's   50 for the next one up or down, else 0
    geography   10      the country is one of the            40 in the same region, else 0
                        investor's, or it invests anywhere
    cheque      20      what is raised lies between the      how near it comes: half the least
                        least and the most it invests        cheque, or twice the most, is 50
    thesis      20      the words of the shorter text are    the share that the other has, rare
                        all in the other                     words counting for more
    activity    20      the investor has backed 101          15 for each time that one more than
                        companies or more                    the number has doubled: 1, 3, 7, 15, …

A signal that one side says nothing of counts as 50: neither for nor against. The weights are the
usual ones (``weights``); users may set others.
"""

from typing import Any

from handfast.apps.runs.corpus.scores.weights import DEFAULT_WEIGHTS, Weights
from handfast.base.extras import extra

with extra("runs"):
    import numpy as np
    import numpy.typing as npt

Whole = npt.NDArray[np.int32]
Large = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

UNSAID = -1
NEUTRAL = 50
NEXT_STAGE = 50
SAME_REGION = 40
FULL = 100
SCORE_MAX = 1000
THESIS_FLOOR = 24  # weight of words; one word in common must not make a thesis of one word fit

# From first to last; a stage that is not here is like itself alone.
STAGES = ("pre-seed", "seed", "series-a", "series-b", "series-c", "growth")

_DOUBLING = 15  # points of activity for twice as many deals: the hundredth is worth the first's


def sector_signal(shared: Whole, startup_has: Whole, investor_has: Whole) -> Whole:
    """``shared`` is startups by investors: how many sectors they have in common."""
    has = np.maximum(startup_has, 1)[:, None]
    return _said(FULL * shared // has, startup_has > 0, investor_has > 0)


def thesis_signal(shared: Whole, startup_weight: Whole, investor_weight: Whole) -> Whole:
    """``shared`` is startups by investors: the weight of the words that they have in common."""
    least = np.minimum(startup_weight[:, None], investor_weight[None, :])
    part = FULL * shared // np.maximum(least, THESIS_FLOOR)
    return _said(np.minimum(part, FULL), startup_weight > 0, investor_weight > 0)


def cheque_signal(raising: Large, least: Large, most: Large) -> Whole:
    """Money in whole dollars, -1 where nothing is said; an open end is no bound."""
    wanted = raising[:, None]
    below = FULL * wanted // np.maximum(least, 1)[None, :]
    above = FULL * most[None, :] // np.maximum(wanted, 1)
    fits = np.minimum(np.where(least[None, :] > 0, below, FULL), FULL)
    over = (most[None, :] >= 0) & (wanted > most[None, :])
    fits = np.where(over, above, fits)
    return _said(fits.astype(np.int32), raising >= 0, (least >= 0) | (most >= 0))


def activity_signal(deals: int) -> int:
    """Of one investor, whatever the startup; -1 where nobody knows. Whole numbers: the bits of
    (1 + deals) to the fifteenth are fifteen times the logarithm, without its rounding."""
    if deals < 0:
        return UNSAID
    power: int = (1 + deals) ** _DOUBLING
    return min(FULL, power.bit_length() - 1)


def score(signals: "dict[str, npt.NDArray[Any]]", weights: Weights = DEFAULT_WEIGHTS) -> Whole:
    """The six signals of each pair as one number."""
    total: Whole | None = None
    for name, weight in weights.items():
        signal = signals[name].astype(np.int32)
        part = np.where(signal < 0, np.int32(NEUTRAL), signal) * np.int32(weight)
        total = part if total is None else total + part
    assert total is not None  # noqa: S101  # there are weights
    return total * np.int32(SCORE_MAX // FULL) // np.int32(sum(weights.values()))


def near_stages(stage: str) -> tuple[str, ...]:
    """The stages next to a stage."""
    if stage not in STAGES:
        return ()
    at = STAGES.index(stage)
    return STAGES[max(0, at - 1) : at] + STAGES[at + 1 : at + 2]


def _said(signal: "npt.NDArray[Any]", startup: Flags, investor: Flags) -> Whole:
    found = np.where(startup[:, None] & investor[None, :], signal, UNSAID)
    return found.astype(np.int32, copy=False)
