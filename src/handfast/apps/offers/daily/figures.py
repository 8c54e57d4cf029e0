"""What a round came to, in figures that are stored with it."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from handfast.apps.offers.rounds.pairs import Pairs
from handfast.apps.offers.rounds.picks import Pick, PickKind
from handfast.apps.offers.rounds.pool import Pool
from handfast.apps.offers.rounds.selections import top

PER_MILLE = 1000


class RoundFigures(msgspec.Struct, frozen=True, rename="camel"):
    """``neverShown`` had room and are offered to nobody. Shares and the Gini coefficient of how
    often people are shown are in thousandths, scores in ten-thousandths: all of it integers, so
    that the same round has the same figures."""

    people: int
    pairs: int
    offers: int
    never_shown: int
    mutual_share: int
    exposure_gini: int
    mean_score: int
    mean_score_of_top: int


def figures_of(pool: Pool, pairs: Pairs, picks: Sequence[Pick]) -> RoundFigures:
    shown = [one for one in picks if one.kind is not PickKind.RESERVE]
    room: list[int] = pool.room.tolist()
    times = Counter(pick.candidate for pick in shown)
    seen = {(pick.user, pick.candidate) for pick in shown}
    both = sum((candidate, user) in seen for user, candidate in seen)
    with_room = [times[at] for at, places in enumerate(room) if places > 0]
    return RoundFigures(
        people=len(pool.people),
        pairs=len(pairs.score),
        offers=len(shown),
        never_shown=with_room.count(0),
        mutual_share=_share(both, len(seen)),
        exposure_gini=gini(with_room),
        mean_score=_mean(shown),
        mean_score_of_top=_mean(top(pairs, room)),
    )


def gini(times: Sequence[int]) -> int:
    """0: everybody is shown as often as everybody else; near 1000: all offers show one person."""
    total, count = sum(times), len(times)
    if not total:
        return 0
    weighted = sum(place * value for place, value in enumerate(sorted(times), start=1))
    return PER_MILLE * (2 * weighted - (count + 1) * total) // (count * total)


def _share(part: int, whole: int) -> int:
    return PER_MILLE * part // whole if whole else 0


def _mean(picks: Sequence[Pick]) -> int:
    return sum(pick.score for pick in picks) // len(picks) if picks else 0
