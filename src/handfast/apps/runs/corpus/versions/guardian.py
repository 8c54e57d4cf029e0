"""What the guardian thinks of a version: pure functions of its figures and those of the last one.

It does not ask whether a version is good. It asks whether something went wrong while it was made:
each bound below stands between what a night usually changes and what a fault does.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from handfast.apps.runs.corpus.versions.statistics import CorpusStatistics

SHRINK_MAX = 0.20  # a night loses a few; a source that was cut off loses half
GROW_MAX = 2.0  # times as many again; a join that went wrong multiplies
SPREAD_MIN = 20  # points of 1000 between the tenth and the ninetieth of a hundred pairs
COMMONEST_MAX = 0.5  # of all pairs with the very same score: a signal that is stuck
JUDGED_FROM = 100  # pairs; of fewer, shares and spreads say nothing
UNCOVERED_MAX = 0.05  # of the startups: they would be told that nobody fits them
MEAN_DRIFT_MAX = 100  # points of 1000; another weight or another scale
OVERLAP_MIN = 0.3  # of the top ten; chance alone would share a few hundredths


class Check(msgspec.Struct, frozen=True):
    """One thing that was looked at. ``passed`` is None where there was nothing to compare with."""

    name: str
    passed: bool | None
    figure: float | None
    bound: float | None
    says: str


class GuardianVerdict(msgspec.Struct, frozen=True):
    version: int
    against: int | None
    passed: bool
    checks: list[Check]

    @property
    def failed(self) -> list[Check]:
        return [check for check in self.checks if check.passed is False]

    @property
    def summary(self) -> str:
        if self.passed:
            return f"Version {self.version} passed."
        return f"Version {self.version} was refused: " + " ".join(c.says for c in self.failed)


@dataclass(frozen=True)
class Last:
    """The version that readers have now."""

    version: int
    figures: CorpusStatistics
    overlap: float | None  # of the top ten of a sample, with the new one


def judge(version: int, new: CorpusStatistics, last: Last | None) -> GuardianVerdict:
    checks = [*_rows(new, last), *_scores(new), _coverage(new), *_drift(new, last)]
    return GuardianVerdict(
        version=version,
        against=None if last is None else last.version,
        passed=not any(check.passed is False for check in checks),
        checks=checks,
    )


def _rows(new: CorpusStatistics, last: Last | None) -> Iterator[Check]:
    for what in ("startups", "investors", "matches"):
        count = getattr(new, what)
        yield Check(f"{what}_there", count > 0, count, 1, f"There are {count:,} {what}.")
        before = 0 if last is None else getattr(last.figures, what)
        if last is None or not before:
            yield _nothing(f"{what}_count", f"There were no {what} before to compare with.")
            continue
        change = count / before - 1
        yield Check(
            f"{what}_count",
            -SHRINK_MAX <= change <= GROW_MAX,
            round(change, 4),
            -SHRINK_MAX if change < 0 else GROW_MAX,
            f"There are {count:,} {what}, {change:+.1%} of version {last.version}'s {before:,} "
            f"(allowed: {-SHRINK_MAX:.0%} to {GROW_MAX:+.0%}).",
        )


def _scores(new: CorpusStatistics) -> Iterator[Check]:
    if new.matches < JUDGED_FROM:
        few = f"{new.matches} pairs are too few to judge how their scores are spread."
        yield _nothing("score_spread", few)
        yield _nothing("score_commonest", few)
        return
    low, high = new.quantile(0.1), new.quantile(0.9)
    yield Check(
        "score_spread",
        high - low >= SPREAD_MIN,
        high - low,
        SPREAD_MIN,
        f"Eight of ten scores lie between {low} and {high} (at least {SPREAD_MIN} apart).",
    )
    yield Check(
        "score_commonest",
        new.commonest <= COMMONEST_MAX,
        round(new.commonest, 4),
        COMMONEST_MAX,
        f"{new.commonest:.0%} of the pairs have the very same score (at most {COMMONEST_MAX:.0%}).",
    )


def _coverage(new: CorpusStatistics) -> Check:
    if not new.startups:
        return _nothing("coverage", "There are no startups to be covered.")
    share = new.uncovered / new.startups
    return Check(
        "coverage",
        share <= UNCOVERED_MAX,
        round(share, 4),
        UNCOVERED_MAX,
        f"{new.uncovered:,} of {new.startups:,} startups have no match at all (at most "
        f"{UNCOVERED_MAX:.0%}).",
    )


def _drift(new: CorpusStatistics, last: Last | None) -> Iterator[Check]:
    if last is None or not last.figures.matches or not new.matches:
        yield _nothing("score_drift", "There are no two versions with matches to compare.")
        yield _nothing("top_overlap", "There are no two versions with matches to compare.")
        return
    if new.weights != last.figures.weights:
        others = f"It was scored with other weights than version {last.version}."
        yield _nothing("score_drift", others)
        yield _nothing("top_overlap", others)
        return
    drift = new.mean - last.figures.mean
    yield Check(
        "score_drift",
        abs(drift) <= MEAN_DRIFT_MAX,
        round(drift, 2),
        MEAN_DRIFT_MAX,
        f"The mean score went from {last.figures.mean:.0f} to {new.mean:.0f} (by at most "
        f"{MEAN_DRIFT_MAX}).",
    )
    if last.overlap is None:
        yield _nothing("top_overlap", "No startup with matches is in both versions.")
        return
    yield Check(
        "top_overlap",
        last.overlap >= OVERLAP_MIN,
        round(last.overlap, 4),
        OVERLAP_MIN,
        f"{last.overlap:.0%} of the ten best investors of a startup are still among them (at "
        f"least {OVERLAP_MIN:.0%}).",
    )


def _nothing(name: str, why: str) -> Check:
    return Check(name, None, None, None, why)
