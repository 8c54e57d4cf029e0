"""How many matches the selections make: simulated people who accept and pass, over six days.

    python bench/offers_quality.py [--people N] [--seeds 1,2,3] [--svg FILE]

Everybody lives in one town, is 20 to 59 and seeks the other gender within an age range. Markets are
50:50 and 60:40. Whether somebody accepts whom they are shown is drawn once for each two people and
direction: the likelier, the better the other's answers fit the own wishes, the more attractive the
other is to everybody, and by taste that no answer tells. Nobody knows any of that but the answers.
Offers stay open for the six days; two who have both accepted are a match.

top               each user's best, every day others
mutual            pairs that both see
fill              mutual, and one-sided offers for places that are left
fill and returns  the same, and whoever accepted one takes a place in the other's next set

Printed for each market and selection, over all seeds: matches, people with a match, people who were
never shown, the Gini coefficient of how often people were shown, the mean score of the offers.
"""

import argparse
import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import msgspec
import numpy as np
import numpy.typing as npt

from bench.offers_pools import SCORED, generated_pool
from handfast.apps.offers.rounds.arithmetic.kernel import PACKED, ScoreV1
from handfast.apps.offers.rounds.figures import gini
from handfast.apps.offers.rounds.making import NEVER, RoundInputs, make_round
from handfast.apps.offers.rounds.market import RoundRules
from handfast.apps.offers.rounds.pool import Pool

DAYS = 6
PER_DAY = 3
ACTIVE_MATCHES = 5
MARKETS = {"50:50": 0.5, "60:40": 0.6}
WAYS = ("top", "mutual", "fill", "fill and returns")


class Quality(msgspec.Struct, frozen=True):
    matches: float
    matched: float
    never_shown: float
    gini: float
    score: float


@dataclass
class Town:
    """What has happened so far. Rows are users, columns are candidates."""

    pool: Pool
    likes: npt.NDArray[np.bool_]
    shown: npt.NDArray[np.bool_] = field(init=False)
    matched: npt.NDArray[np.bool_] = field(init=False)
    scores: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.shown = np.zeros_like(self.likes)
        self.matched = np.zeros_like(self.likes)

    def live(self, way: str) -> None:
        """One day."""
        room = np.minimum(PER_DAY, ACTIVE_MATCHES - self.matched.sum(axis=1))
        pool = with_room(self.pool, room)
        accepted = self.shown & self.likes
        one_sided = self.shown & ~self.shown.T
        inputs = RoundInputs(
            pool,
            SCORED,
            RoundRules(one_sided=way.startswith("fill"), exposure=2 * PER_DAY, reserve=0),
            selection="top" if way == "top" else "mutual",
            apart=_apart(self.matched if way == "top" else self.shown),
            shown=np.argwhere(self.shown) if way == "top" else np.empty((0, 2), np.int64),
            returns=(
                np.argwhere((accepted & one_sided).T)
                if way == "fill and returns"
                else np.empty((0, 2), np.int64)
            ),
        )
        daily = make_round(inputs).picks.daily.rows
        self.shown[daily["user"], daily["candidate"]] = True
        self.scores += daily["score"].tolist()
        accepted = self.shown & self.likes
        self.matched = accepted & accepted.T

    def quality(self) -> Quality:
        return Quality(
            int(self.matched.sum()) // 2,
            int(self.matched.any(axis=1).sum()),
            int((~self.shown.any(axis=0)).sum()),
            gini(self.shown.sum(axis=0)) / 10_000,
            statistics.mean(self.scores) / 100,
        )


def with_room(pool: Pool, room: npt.NDArray[np.int64]) -> Pool:
    changed = pool.take(np.arange(len(pool)))
    object.__setattr__(changed, "room", room)
    return changed


def _apart(between: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    pairs = np.argwhere(np.triu(between | between.T))
    return np.column_stack([pairs, np.full(len(pairs), NEVER)])


def likes_of(pool: Pool, seed: int) -> npt.NDArray[np.bool_]:
    """Who would accept whom: some three in ten of those who are offered."""
    chance = np.random.default_rng(seed + 1000)
    everybody = np.arange(len(pool))
    scores = ScoreV1(SCORED, pool)
    features = scores.features(everybody)
    sides = scores.sides(features, features)
    fit = sides.reached / np.maximum(sides.possible // PACKED, 1)
    wanted = (fit - fit.mean()) / fit.std()
    attractive = chance.normal(0, 0.7, len(pool))
    taste = chance.normal(0, 1, fit.shape)
    leaning = -2.2 + 0.8 * wanted + attractive[None, :] + taste
    found: npt.NDArray[np.bool_] = chance.random(fit.shape) < 1 / (1 + np.exp(-leaning))
    return found


def simulate(people: int, men: float, way: str, seed: int) -> Quality:
    pool = generated_pool(people, people, seed=seed, men=men, room=PER_DAY, open_ages=False)
    town = Town(pool, likes_of(pool, seed))
    for _ in range(DAYS):
        town.live(way)
    return town.quality()


def averaged(found: list[Quality]) -> Quality:
    columns = zip(*(msgspec.structs.astuple(one) for one in found), strict=True)
    return Quality(*(statistics.mean(column) for column in columns))


def table(found: dict[tuple[str, str], Quality]) -> str:
    lines = [
        "| market | selection | matches | with a match | never shown | Gini | mean score |",
        "|---|---|---|---|---|---|---|",
    ]
    for (market, way), one in found.items():
        lines.append(
            f"| {market} | {way} | {one.matches:.0f} | {one.matched:.0f} | {one.never_shown:.0f} "
            f"| {one.gini:.2f} | {one.score:.1f} |"
        )
    return "\n".join(lines)


def plot(found: dict[tuple[str, str], Quality], people: int) -> str:
    """Bars: matches, in both markets."""
    most = max(one.matches for one in found.values())
    parts = []
    for at, ((market, way), one) in enumerate(found.items()):
        y = 34 + 24 * at + 16 * (at // len(WAYS))
        width = 330 * one.matches / most
        tone = "#9aa5b1" if way == "top" else "#3f7cac"
        parts.append(
            f'<text x="150" y="{y + 13}" text-anchor="end">{market} {way}</text>'
            f'<rect x="158" y="{y}" width="{width:.0f}" height="18" fill="{tone}"/>'
            f'<text x="{164 + width:.0f}" y="{y + 13}">{one.matches:.0f}</text>'
        )
    height = 34 + 24 * len(found) + 24
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 560 {height}" '
        'font-family="sans-serif" font-size="12">'
        "<title>Matches after six days</title>"
        "<desc>Bars: how many matches each selection made, in a market of 50:50 and one of 60:40."
        "</desc><style>text { fill: #57606a } "
        "@media (prefers-color-scheme: dark) { text { fill: #c9d1d9 } }</style>"
        f'<text x="158" y="20">matches after six days among {people} people</text>'
        f"{''.join(parts)}</svg>\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--people", type=int, default=600)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--svg", type=Path)
    args = parser.parse_args()
    seeds = [int(one) for one in args.seeds.split(",")]
    found = {
        (market, way): averaged([simulate(args.people, men, way, seed) for seed in seeds])
        for market, men in MARKETS.items()
        for way in WAYS
    }
    print(f"{args.people} people, {DAYS} days, seeds {args.seeds}, means over the seeds\n")
    print(table(found))
    if args.svg:
        args.svg.write_text(plot(found, args.people))


if __name__ == "__main__":
    main()
