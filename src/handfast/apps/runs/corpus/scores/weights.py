"""How much each signal counts in a score. Kept with every version that was scored, so that an
explanation names the weights that made the score and not those of today.

Sector and stage are coarse: a few names that many investors share, so agreeing there tells little.
What a thesis says and what cheque is written tell investors apart, and so does whether one invests
at all. docs/decisions/0026-activity-and-weights.md has the reasons and the figures.
"""

from collections.abc import Mapping

Weights = Mapping[str, int]

DEFAULT_WEIGHTS: Weights = {
    "sector": 20,
    "stage": 10,
    "geography": 10,
    "cheque": 20,
    "thesis": 20,
    "activity": 20,
}
SIGNALS = tuple(DEFAULT_WEIGHTS)


def weights_of(said: str | None) -> Weights:
    """From HANDFAST_MATCH_WEIGHTS, which was validated: ``sector=30,activity=0``. A signal that is
    not named keeps its usual weight."""
    named = (part.partition("=") for part in (said or "").split(",") if part.strip())
    return {**DEFAULT_WEIGHTS, **{name.strip(): int(weight) for name, _, weight in named}}
