"""Few shared answers lower a score: Wilson's lower bound for a finite set, in integers.

``lowered(Q, n)[h]`` is L[n][h]: the score of a fit of ``h`` ten-thousandths over ``n`` of the ``Q``
questions that are scored. Who shares all of them keeps h.
"""

from functools import cache
from math import isqrt

WHOLE = 10_000  # ten-thousandths


@cache
def lowered(questions: int, shared: int) -> tuple[int, ...]:
    if shared >= questions:
        return tuple(range(WHOLE + 1))
    u, v = 5 * (questions - shared), 3 * shared * (questions - 1)
    return tuple(_bound(h, u, v) for h in range(WHOLE + 1))


def _bound(h: int, u: int, v: int) -> int:
    under = 4 * u * v * h * (WHOLE - h) + WHOLE**2 * u**2
    root = isqrt(under)
    root += root * root < under  # rounded up
    return max(0, (2 * h * v + WHOLE * u - root) // (2 * (u + v)))
