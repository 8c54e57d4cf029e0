"""Why nobody was found yet. Pure."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

import msgspec


class StakeLine(msgspec.Struct, frozen=True, rename="camel"):
    """How many wait at one stake, and since when the first of them does."""

    amount: int
    currency: str
    waiting: int
    oldest_at: datetime


class WaitingFor(StrEnum):
    PARTNER = "partner"  # nobody else is at this stake
    ANOTHER_PARTNER = "another_partner"  # all others have just played this player
    TURN = "turn"  # the pair is about to be made
    MATCHMAKER = "matchmaker"  # nobody pairs: no worker of the lane runs


def waiting_for(
    amount: int, lines: Sequence[StakeLine], *, met_all: bool, matchmakers: int
) -> WaitingFor:
    others = next((line.waiting for line in lines if line.amount == amount), 1) - 1
    if others <= 0:
        return WaitingFor.PARTNER
    if not matchmakers:
        return WaitingFor.MATCHMAKER
    return WaitingFor.ANOTHER_PARTNER if met_all else WaitingFor.TURN


def in_words(reason: WaitingFor, amount: int, lines: Sequence[StakeLine]) -> str:
    elsewhere = [line for line in lines if line.amount != amount and line.waiting]
    match reason:
        case WaitingFor.PARTNER if elsewhere:
            counts = ", ".join(f"{line.waiting} at {line.amount}" for line in elsewhere)
            return f"Nobody else waits at {amount}. Elsewhere there are {counts}."
        case WaitingFor.PARTNER:
            return f"Nobody else waits at {amount}, nor at any other stake."
        case WaitingFor.ANOTHER_PARTNER:
            return f"Those who wait at {amount} have just played you."
        case WaitingFor.MATCHMAKER:
            return "Somebody waits at this stake, but nobody is there who pairs."
        case WaitingFor.TURN:
            return "Somebody waits at this stake: the pair is about to be made."
