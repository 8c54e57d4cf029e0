"""How long somebody will wait, from how long others at the same stake did. Pure.

Who expired or was cancelled had waited so long *at least*: leaving them out would promise too
much, and counting them as found, too. So it is the product-limit estimate (Kaplan and Meier), whose
quantile is the first wait by which so many would have been found.
"""

from collections.abc import Sequence

import msgspec

SAMPLES_MIN = 5  # fewer say nothing
SAMPLES_MAX = 2000  # of past tickets that are looked at: some days at a quiet stake


class PastWait(msgspec.Struct, frozen=True):
    """``matched`` is false of those who left before: censored."""

    seconds: float
    matched: bool
    same_hour: bool


class WaitEstimate(msgspec.Struct, frozen=True, rename="camel"):
    """In seconds: by ``half`` every second one was found, by ``most`` nine of ten. None where too
    few were. ``samples`` is how many waits it is made from."""

    half: float | None
    most: float | None
    samples: int


def estimate(waits: Sequence[PastWait]) -> WaitEstimate:
    """From those of the same hour if there are enough, else from all."""
    same = [wait for wait in waits if wait.same_hour]
    used = same if len(same) >= SAMPLES_MIN else list(waits)
    return WaitEstimate(quantile(used, 0.5), quantile(used, 0.9), len(used))


def quantile(waits: Sequence[PastWait], share: float) -> float | None:
    """The wait by which this share is found; None if so many never were."""
    if len(waits) < SAMPLES_MIN:
        return None
    at_risk, unfound = len(waits), 1.0
    # At the same instant those who were found come first: whoever left then was still there.
    for wait in sorted(waits, key=lambda one: (one.seconds, not one.matched)):
        if wait.matched:
            unfound *= 1 - 1 / at_risk
            if 1 - unfound >= share - 1e-9:
                return max(0.0, wait.seconds)
        at_risk -= 1
    return None


def coverage(waits: Sequence[PastWait], bound: float | None) -> float | None:
    """Of those who were found, which share was within the bound: what a quantile is checked by."""
    found = [wait.seconds for wait in waits if wait.matched]
    if bound is None or not found:
        return None
    return sum(seconds <= bound for seconds in found) / len(found)
