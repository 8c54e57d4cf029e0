"""Why nobody was found yet."""

from datetime import UTC, datetime

import pytest

from handfast.apps.stakes.rules.why import StakeLine, WaitingFor, in_words, waiting_for

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def lines(**waiting: int) -> list[StakeLine]:
    return [StakeLine(int(name[1:]), "EUR", many, NOON) for name, many in waiting.items()]


@pytest.mark.parametrize(
    ("here", "met_all", "matchmakers", "reason"),
    [
        (1, False, 1, WaitingFor.PARTNER),
        (1, False, 0, WaitingFor.PARTNER),
        (2, False, 0, WaitingFor.MATCHMAKER),
        (2, True, 1, WaitingFor.ANOTHER_PARTNER),
        (2, False, 1, WaitingFor.TURN),
    ],
)
def test_what_somebody_waits_for(
    here: int, met_all: bool, matchmakers: int, reason: WaitingFor
) -> None:
    known = lines(_1000=here, _5000=3)
    found = waiting_for(1000, known, met_all=met_all, matchmakers=matchmakers)
    assert found is reason
    assert in_words(found, 1000, known).endswith(".")


def test_where_others_wait() -> None:
    said = in_words(WaitingFor.PARTNER, 1000, lines(_1000=1, _5000=3, _10000=2))
    assert said == "Nobody else waits at 1000. Elsewhere there are 3 at 5000, 2 at 10000."
    assert in_words(WaitingFor.PARTNER, 1000, lines(_1000=1)).endswith("nor at any other stake.")
