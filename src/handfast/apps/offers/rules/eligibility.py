"""Who may be offered to whom. Both ways: what one side refuses is refused.

``rounds/pool.py`` computes the same for many pairs at once; this is what it is compared with, and
what explains a single pair.
"""

from datetime import date
from enum import StrEnum

from handfast.apps.offers.rules.chords import SQUARED_CHORDS
from handfast.apps.offers.rules.person import Person, age_on

ADULT = 18
GENDERS = ("male", "female", "non_binary", "prefer_not_to_say")
INTENTS = ("casual", "serious", "marriage", "unsure")


class Refusal(StrEnum):
    """Why two people are not offered to each other."""

    ONESELF = "oneself"
    NO_PLACE = "no_place"  # one of them has as many active matches as are allowed
    UNDERAGE = "underage"
    GENDER = "gender"
    AGE = "age"
    INTENT = "intent"
    DISTANCE = "distance"


def refusal(one: Person, other: Person, day: date) -> Refusal | None:
    """The first rule that keeps them apart; None if they may be offered to each other."""
    ages = age_on(one.birth_date, day), age_on(other.birth_date, day)
    rules = (
        (Refusal.ONESELF, one.id == other.id),
        (Refusal.NO_PLACE, min(one.places, other.places) <= 0),
        (Refusal.UNDERAGE, min(ages) < ADULT),
        (Refusal.GENDER, not (_seeks(one, other) and _seeks(other, one))),
        (Refusal.AGE, not (_age_fits(one, ages[1]) and _age_fits(other, ages[0]))),
        (Refusal.INTENT, not intents_fit(one.intent, other.intent)),
        (Refusal.DISTANCE, not _near(one, other)),
    )
    return next((reason for reason, is_so in rules if is_so), None)


def intents_fit(one: str, other: str) -> bool:
    return one == other or "unsure" in (one, other) or {one, other} == {"serious", "marriage"}


def _seeks(one: Person, other: Person) -> bool:
    """Who names no gender seeks any."""
    return not one.seeking or other.gender in one.seeking


def _age_fits(one: Person, age: int) -> bool:
    return one.min_age <= age <= one.max_age


def _near(one: Person, other: Person) -> bool:
    chord = (one.x - other.x) ** 2 + (one.y - other.y) ** 2 + (one.z - other.z) ** 2
    return chord <= SQUARED_CHORDS[min(one.max_distance_km, other.max_distance_km)]
