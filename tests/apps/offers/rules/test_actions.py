"""The whole table of states and actions."""

import pytest

from handfast.apps.offers.rules.actions import OfferAction, OfferStatus, moved

TABLE = """
             accept     pass     not_now
    offered  accepted   passed   not_now
    not_now  accepted   passed   not_now
    accepted accepted   -        -
    matched  matched    -        -
    passed   -          passed   -
    expired  -          -        -
    closed   -          -        -
"""
HEAD, *ROWS = (line.split() for line in TABLE.strip().splitlines())
CASES = [
    (row[0], action, None if to == "-" else to)
    for row in ROWS
    for action, to in zip(HEAD, row[1:], strict=True)
]


@pytest.mark.parametrize(("status", "action", "to"), CASES)
def test_every_state_and_action(status: str, action: str, to: str | None) -> None:
    assert moved(OfferStatus(status), OfferAction(action)) == to


def test_the_table_is_whole() -> None:
    assert {row[0] for row in ROWS} == set(OfferStatus)
    assert set(HEAD) == set(OfferAction)
