"""Ids that follow from what they name: made again, an offer has the same one."""

from datetime import date
from enum import StrEnum
from uuid import UUID, uuid5

# uuid5(NAMESPACE_URL, "https://handfast.dev/matchmaking"): written down, so that it stays.
MATCHMAKING_NAMESPACE = UUID("1692019a-c886-5bf5-a3ad-f8addfdac39c")


class SetType(StrEnum):
    DAILY = "daily_offers"
    WEEKLY = "weekly_anchor"


def iso_week(day: date) -> str:
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02}"


def period(day: date, type_: SetType) -> str:
    """What a set is the only one of: its date, or its ISO week."""
    return str(day) if type_ is SetType.DAILY else iso_week(day)


def offer_id(day: date, user_id: UUID, candidate_id: UUID, type_: SetType = SetType.DAILY) -> UUID:
    return uuid5(MATCHMAKING_NAMESPACE, f"{period(day, type_)}:{user_id}:{candidate_id}")


def set_id(day: date, zone: str, user_id: UUID, type_: SetType = SetType.DAILY) -> UUID:
    """Of a set in ``matchmaking_jobs``: of its idempotency key."""
    return uuid5(MATCHMAKING_NAMESPACE, f"{day}:{zone}:{user_id}:{type_}")


def job_key(day: date, user_id: UUID, type_: SetType = SetType.DAILY) -> str:
    """Without the zone: who moves gets no second set (ruling R1)."""
    return f"{period(day, type_)}:{user_id}"
