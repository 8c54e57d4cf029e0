"""Ruling R16, word by word."""


def ruled(base: int, minutes: float) -> int:
    """The priority of a job whose deadline is so many minutes away."""
    if minutes <= 0:
        return 1
    for limit, boost, floor in ((30, 5, 1), (60, 3, 5), (180, 2, 10)):
        if minutes < limit:
            return min(base, max(floor, base - boost))
    return base
