"""What a round came to, in integers: shares and scores in ten-thousandths."""

import msgspec

from handfast.apps.offers.rounds.picks import PickKind, Picks
from handfast.apps.offers.rounds.pool import Pool
from handfast.base.extras import extra

with extra("offers"):
    import numpy as np
    import numpy.typing as npt

_WHOLE = 10_000


class RoundFigures(msgspec.Struct, frozen=True, rename="camel"):
    """Stored with the plan. ``never_shown`` had room and are offered to nobody; ``without_offers``
    had room, and the minimum or the rules leave them nobody."""

    people: int
    pairs: int  # eligible, whatever their score
    offers: int
    never_shown: int
    mean_score: int
    without_offers: int = 0
    one_sided: int = 0
    returns: int = 0
    anchors: int = 0
    mutual_share: int = 0  # of the offers, those where both are shown each other
    exposure_gini: int = 0  # 0: everybody is shown as often as everybody else
    top_mean_score: int = 0  # if each were offered their own best


class Totals(msgspec.Struct, frozen=True):
    """What only the region knows, once it is done."""

    pairs: int
    top_score: int
    top_offers: int


def figures_of(pool: Pool, picks: Picks, totals: list[Totals]) -> RoundFigures:
    part = pool.taking_part()
    daily = picks.daily.rows
    users, candidates = daily["user"].astype(np.int64), daily["candidate"].astype(np.int64)
    shown = np.bincount(candidates, minlength=len(pool))
    has = np.bincount(users, minlength=len(pool))
    count = {kind: int(np.count_nonzero(picks.rows["kind"] == kind)) for kind in PickKind}
    return RoundFigures(
        people=len(pool),
        pairs=sum(one.pairs for one in totals),
        offers=len(daily),
        never_shown=int(np.count_nonzero(part & (shown == 0))),
        mean_score=_mean(int(daily["score"].sum(dtype=np.int64)), len(daily)),
        without_offers=int(np.count_nonzero(part & (has == 0))),
        one_sided=count[PickKind.ONE_SIDED],
        returns=count[PickKind.RETURN],
        anchors=count[PickKind.ANCHOR],
        mutual_share=_mean(_WHOLE * _mutual(users, candidates, len(pool)), len(daily)),
        exposure_gini=gini(shown[part]),
        top_mean_score=_mean(
            sum(one.top_score for one in totals), sum(one.top_offers for one in totals)
        ),
    )


def gini(counts: "npt.NDArray[np.int64]") -> int:
    """Of how often each is shown: 0 if all are alike, towards 10,000 if one has everything."""
    ordered, count = np.sort(counts), len(counts)
    total = int(ordered.sum())
    if not total:
        return 0
    ranked = int((ordered * np.arange(1, count + 1)).sum())
    return (2 * ranked - (count + 1) * total) * _WHOLE // (count * total)


def _mutual(
    users: "npt.NDArray[np.int64]", candidates: "npt.NDArray[np.int64]", people: int
) -> int:
    one, other = np.sort(users * people + candidates), np.sort(candidates * people + users)
    return len(np.intersect1d(one, other, assume_unique=True))


def _mean(total: int, count: int) -> int:
    return total // count if count else 0
