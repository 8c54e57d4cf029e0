"""The two loops that numpy cannot do well, compiled by numba: a block into the lists, the greedy.

numba comes with the extra ``fast``. Without it numpy does the same, bit for bit, which the tests
compare; it takes several times as long.

A block is read in two passes for each row. The first is branchless over the columns: rules, and
whether the score can be high enough for the one list or the other, in float32 with a margin that is
far wider than its rounding. The second is exact, in integers, for the few that are left.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from handfast.base.errors import ExtraMissing
from handfast.base.extras import extra

with extra("offers"):
    import numpy as np

try:
    with extra("fast"):
        import numba
    _njit: Any = numba.njit
except ExtraMissing:
    _njit = None

F = TypeVar("F", bound=Callable[..., Any])

_WHOLE = np.float32(20_000)
_MARGIN = np.float32(1.00001)
_UNPACKED = np.float32(1 / 128)
_TOP = 10_000


def there() -> bool:
    return _njit is not None


def _compiled(function: F) -> F:
    """Kept on disk, so that only the first process of all compiles. Where nothing can be kept, each
    does."""
    if _njit is None:
        return function
    try:
        made: F = _njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no folder that could be written to
        made = _njit(nogil=True)(function)
    return made


@_compiled
def greedy(keys: Any, room: Any, taken: Any) -> None:
    """``rounds.greedy`` has what it does; changes ``room`` and ``taken``."""
    for at in range(len(keys)):
        low, high = (keys[at] >> 24) & 0xFFFFFF, keys[at] & 0xFFFFFF
        if room[low] > 0 and room[high] > 0:
            room[low] -= 1
            room[high] -= 1
            taken[at] = True


@_compiled
def greedy_one_sided(users: Any, candidates: Any, room: Any, shows: Any, taken: Any) -> None:
    for at in range(len(users)):
        user, candidate = users[at], candidates[at]
        if room[user] > 0 and shows[candidate] > 0:
            room[user] -= 1
            shows[candidate] -= 1
            taken[at] = True


@_compiled
def _select(keys: Any, k: int) -> None:
    """The smallest ``k`` to the front, the largest of them at ``k - 1``."""
    low, high = 0, len(keys) - 1
    while low < high:
        pivot = keys[(low + high) >> 1]
        i, j = low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            return


@_compiled
def _put(key: int, who: int, k: int, keys: Any, filled: Any, cut: Any) -> None:
    """Into a list with room for twice as many as are wanted; when it is full, half of it goes."""
    at = filled[who]
    keys[who, at] = key
    at += 1
    if at == 2 * k:
        _select(keys[who], k)
        cut[who] = keys[who, k - 1]
        at = k
    filled[who] = at


@_compiled
def _kept_apart(one: int, other: int, score: int, starts: Any, others: Any, least: Any) -> bool:
    low, high = starts[one], starts[one + 1]
    while low < high:
        middle = (low + high) >> 1
        if others[middle] < other:
            low = middle + 1
        else:
            high = middle
    return bool(low < starts[one + 1] and others[low] == other and score < least[low])


@_compiled
def _may_score(sides: Any, floor: Any, floors: Any, mask: Any) -> None:
    """Whose fit may be good enough, for the one list or the other. Few arrays for each loop: with
    more, a compiler does not find out that it may take several columns at a time."""
    reached, back, packed, packed_back = sides
    for j in range(len(mask)):
        possible = np.floor(packed[j] * _UNPACKED)
        possible_back = np.floor(packed_back[j] * _UNPACKED)
        divisor = reached[j] * possible_back + back[j] * possible
        fit = _WHOLE * reached[j] * back[j] * _MARGIN
        mask[j] = (fit >= floor * divisor) | (fit >= floors[j] * divisor)


@_compiled
def _may_meet(person: Any, column: Any, eligible: Any) -> None:
    age, least, most, fits = person
    ages, leasts, mosts, intents = column
    for j in range(len(eligible)):
        eligible[j] = (
            (least <= ages[j])
            & (ages[j] <= most)
            & (leasts[j] <= age)
            & (age <= mosts[j])
            & ((fits & intents[j]) != 0)
        )


@_compiled
def _are_near(place: Any, places: Any, eligible: Any) -> None:
    x, y, z, reach = place
    xs, ys, zs, reaches = places
    for j in range(len(eligible)):
        dx, dy, dz = x - xs[j], y - ys[j], z - zs[j]
        apart = dx * dx + dy * dy + dz * dz
        eligible[j] &= (apart <= reach) & (apart <= reaches[j])


@_compiled
def _count(eligible: Any) -> int:
    count = 0
    for j in range(len(eligible)):
        count += eligible[j]
    return count


@_compiled
def _floor(cut: int, counts: int, needed: Any) -> Any:
    """The fit without which a score cannot be below a cut, for who has so many answers that count:
    with fewer shared ones it takes more."""
    return np.float32(needed[counts, min(max(_TOP - (cut >> 32), 0), _TOP)])


@_compiled
def _score(reached: int, back: int, packed: int, packed_back: int, table: Any) -> int:
    """Exact; -1 where there is none."""
    possible, possible_back = packed >> 7, packed_back >> 7
    if possible == 0 or possible_back == 0:
        return -1
    divisor = reached * possible_back + back * possible
    mean = 20_000 * reached * back // divisor if divisor > 0 else 0
    return int(table[min(packed & 127, packed_back & 127), mean])


@_compiled
def scan(  # noqa: C901  # in one piece it is compiled as one
    rows: Any,
    columns: Any,
    diagonal: bool,
    is_far: bool,
    sides: Any,
    people: Any,
    places: Any,
    tables: Any,
    bounds: Any,
    apart: Any,
    k: int,
    lists: Any,
) -> int:
    """A block into the lists. Answers how many of its pairs are eligible, whatever their score."""
    age, least, most, intent, fits, counts = people
    table, fit_needed = tables
    x, y, z, reach = places
    lower, upper = bounds
    starts, others, needed = apart
    keys, filled, cut = lists
    reached, back, packed, packed_back = sides
    column = age[columns], least[columns], most[columns], intent[columns]
    where = x[columns], y[columns], z[columns], reach[columns]
    floors = np.empty(len(columns), np.float32)
    for j in range(len(columns)):
        floors[j] = _floor(cut[columns[j]], counts[columns[j]], fit_needed)
    mask = np.zeros(len(columns), np.bool_)
    may = np.zeros(len(columns), np.bool_)
    eligible = 0
    for i in range(len(rows)):
        a = rows[i]
        start = i + 1 if diagonal else 0
        person = age[a], least[a], most[a], fits[a]
        rest = column[0][start:], column[1][start:], column[2][start:], column[3][start:]
        _may_meet(person, rest, may[start:])
        if is_far:
            far = where[0][start:], where[1][start:], where[2][start:], where[3][start:]
            _are_near((x[a], y[a], z[a], reach[a]), far, may[start:])
        eligible += _count(may[start:])
        row = reached[i, start:], back[i, start:], packed[i, start:], packed_back[i, start:]
        _may_score(row, _floor(cut[a], counts[a], fit_needed), floors[start:], mask[start:])
        for j in range(start, len(columns)):
            if not (mask[j] & may[j]):
                continue
            b = columns[j]
            score = _score(
                int(reached[i, j]),
                int(back[i, j]),
                int(packed[i, j]),
                int(packed_back[i, j]),
                table,
            )
            mine, theirs = ((_TOP - score) << 32) | b, ((_TOP - score) << 32) | a
            if score < 0 or (mine >= cut[a] and theirs >= cut[b]):
                continue
            if mine < lower[a] or mine >= upper[a] or theirs < lower[b] or theirs >= upper[b]:
                continue
            if _kept_apart(a, b, score, starts, others, needed):
                continue
            if mine < cut[a]:
                _put(mine, a, k, keys, filled, cut)
            if theirs < cut[b]:
                _put(theirs, b, k, keys, filled, cut)
                floors[j] = _floor(cut[b], counts[b], fit_needed)
    return eligible


@_compiled
def finish(k: int, keys: Any, filled: Any, found: Any) -> None:
    """Each list in its order, cut to ``k``."""
    for who in range(len(filled)):
        count = filled[who]
        if count == 0:
            continue
        ordered = np.sort(keys[who, :count])
        for at in range(min(k, count)):
            found[who, at] = ordered[at]
