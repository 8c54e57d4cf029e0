"""How long somebody will wait, from how long others at the same stake did. Pure.

Who expired or was cancelled had waited so long *at least*: leaving them out would promise too
much, and counting them as found, too. So it is the product-limit estimate (Kaplan and Meier), whose
quantile is the first wait by which so many would have been found.
"""

from collections.abc import Iterator, Sequence

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
    for seconds, found in _found(waits):
        if found >= share - 1e-9:
            return max(0.0, seconds)
    return None


def coverage(waits: Sequence[PastWait], bound: float | None) -> float | None:
    """Which share was found within the bound: what a quantile is checked by. Who left before counts
    as in the estimate, or it would always seem to have promised too little."""
    if bound is None or not any(wait.matched for wait in waits):
        return None
    return max((found for seconds, found in _found(waits) if seconds <= bound), default=0.0)


def _found(waits: Sequence[PastWait]) -> Iterator[tuple[float, float]]:
    """Each wait after which somebody was found, and the share that is found by then."""
    at_risk, unfound = len(waits), 1.0
    # At the same instant those who were found come first: whoever left then was still there.
    for wait in sorted(waits, key=lambda one: (one.seconds, not one.matched)):
        if wait.matched:
            unfound *= 1 - 1 / at_risk
            yield wait.seconds, 1 - unfound
        at_risk -= 1
