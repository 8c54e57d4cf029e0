"""Tests that take long are begun first, and none is lost by it."""

import pytest

from tests.support.order import spread


@pytest.mark.parametrize("parts", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("long", [0, 1, 3, 9])
def test_each_part_begins_with_its_share(parts: int, long: int) -> None:
    first, then = [f"long{n}" for n in range(long)], [f"short{n}" for n in range(50)]
    ordered = spread(first, then, parts)
    assert sorted(ordered) == sorted([*first, *then])
    assert [one for one in ordered if one in then] == then, "in the order in which they were"
    at, left = 0, len(ordered)
    for part in range(parts):
        share = first[part::parts]
        assert ordered[at : at + len(share)] == share
        size = left // (parts - part)
        at, left = at + size, left - size
