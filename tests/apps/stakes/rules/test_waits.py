"""How long somebody will wait, and how good that was."""

import pytest

from handfast.apps.stakes.rules.waits import PastWait, coverage, estimate, quantile


def found(*seconds: float, same_hour: bool = True) -> list[PastWait]:
    return [PastWait(one, True, same_hour) for one in seconds]


def left(*seconds: float) -> list[PastWait]:
    return [PastWait(one, False, True) for one in seconds]


def test_a_quantile_of_those_who_were_found() -> None:
    waits = found(*range(1, 11))
    assert [quantile(waits, share) for share in (0.1, 0.5, 0.9, 1.0)] == [1, 5, 9, 10]


def test_too_few_say_nothing() -> None:
    assert quantile(found(1, 2, 3, 4), 0.5) is None


def test_who_left_waited_at_least_so_long() -> None:
    """Leaving them out would promise 2 seconds, counting them as found 60."""
    waits = found(1, 2, 3) + left(60, 60, 60)
    assert quantile(waits, 0.5) == 3
    assert quantile(waits, 0.9) is None, "so many never were"


def test_who_left_early_says_little() -> None:
    assert quantile(left(0, 0, 0, 0) + found(5, 6, 7, 8), 0.5) == 6


def test_those_of_the_same_hour_if_there_are_enough() -> None:
    others = found(*[100.0] * 20, same_hour=False)
    assert estimate(found(1, 1, 1, 1, 1) + others).most == 1
    assert estimate(found(1, 1, 1, 1) + others).most == 100


@pytest.mark.parametrize(("bound", "share"), [(0, 0.0), (1, 0.25), (2.5, 0.5), (9, 1.0)])
def test_which_share_was_found_in_time(bound: float, share: float) -> None:
    assert coverage(found(1, 2, 3, 4), bound) == pytest.approx(share)


def test_who_left_counts_as_in_the_estimate() -> None:
    waits = found(1, 2) + left(50, 50)
    assert coverage(waits, 10) == pytest.approx(0.5), "not all, though all who were found were"
    assert coverage(waits, None) is None, "nothing was promised"
    assert coverage(left(1, 2), 10) is None, "nobody was found"


def test_an_estimate_is_right_about_what_it_was_made_from() -> None:
    waits = found(*range(1, 100)) + left(*range(1, 100, 3))
    for share in (0.5, 0.9):
        assert coverage(waits, quantile(waits, share)) == pytest.approx(share, abs=0.03)
