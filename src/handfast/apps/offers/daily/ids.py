"""Ids that follow from what they name: made again, an offer has the same one."""

from datetime import date
from uuid import UUID, uuid5

# uuid5(NAMESPACE_URL, "https://handfast.dev/matchmaking"): written down, so that it stays.
MATCHMAKING_NAMESPACE = UUID("1692019a-c886-5bf5-a3ad-f8addfdac39c")
DAILY = "daily_offers"


def offer_id(day: date, user_id: UUID, candidate_id: UUID) -> UUID:
    return uuid5(MATCHMAKING_NAMESPACE, f"{day}:{user_id}:{candidate_id}")


def set_id(day: date, zone: str, user_id: UUID) -> UUID:
    """Of a set in ``matchmaking_jobs``: of its idempotency key."""
    return uuid5(MATCHMAKING_NAMESPACE, f"{day}:{zone}:{user_id}:{DAILY}")


def job_key(day: date, user_id: UUID) -> str:
    """Without the zone: who moves gets no second set (ruling R1)."""
    return f"{day}:{user_id}"
