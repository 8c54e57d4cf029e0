"""Each rule that keeps two people apart, by itself."""

from datetime import date
from uuid import UUID

import pytest

from handfast.apps.offers.rules.chords import SQUARED_CHORDS
from handfast.apps.offers.rules.eligibility import refusal
from handfast.apps.offers.rules.person import Person
from handfast.apps.people.profiles.places import point, squared_chord_of_km
from tests.support.offers import DAY, changed

ADA = Person(
    UUID(int=1), date(1990, 5, 1), "female", ["male"], 25, 45, 50, "serious",
    *(400_000, 400_000, 100_000, 3), b"",
)  # fmt: skip
BOB = changed(ADA, id=UUID(int=2), gender="male", seeking=["female"], birth_date=date(1991, 5, 1))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, None),
        ({"id": ADA.id}, "oneself"),
        ({"places": 0}, "no_place"),
        ({"birth_date": date(2008, 3, 3), "min_age": 18}, "underage"),
        ({"seeking": ["male"]}, "gender"),
        ({"gender": "non_binary"}, "gender"),
        ({"gender": "prefer_not_to_say"}, "gender"),
        ({"seeking": []}, None),
        ({"birth_date": date(1960, 1, 1)}, "age"),
        ({"min_age": 36}, "age"),
        ({"max_age": 34}, "age"),
        ({"intent": "marriage"}, None),
        ({"intent": "unsure"}, None),
        ({"intent": "casual"}, "intent"),
        ({"x": 404_999}, None),
        ({"x": 405_001}, "distance"),
        ({"x": 401_500, "max_distance_km": 10}, "distance"),
    ],
)
def test_rules(fields: dict[str, object], reason: str | None) -> None:
    other = changed(BOB, **fields)
    assert refusal(ADA, other, DAY) == reason
    assert refusal(other, ADA, DAY) == reason, "both ways"


def test_who_says_no_gender_is_shown_to_who_seeks_any() -> None:
    silent = changed(BOB, gender="prefer_not_to_say")
    assert refusal(changed(ADA, seeking=[]), silent, DAY) is None


def test_somebody_is_of_age_on_the_birthday() -> None:
    young = changed(BOB, birth_date=date(2008, 3, 2), min_age=18)
    assert refusal(changed(ADA, min_age=18), young, DAY) is None
    assert refusal(changed(ADA, min_age=18), young, date(2026, 3, 1)) == "underage"


def test_the_table_of_distances_is_that_of_people() -> None:
    assert list(SQUARED_CHORDS[1:]) == [squared_chord_of_km(km) for km in range(1, 501)]


def test_a_distance_that_can_be_looked_up() -> None:
    berlin, potsdam = point(52.52, 13.405), point(52.39, 13.065)  # 27 km
    ada = changed(ADA, x=berlin.x, y=berlin.y, z=berlin.z)
    bob = changed(BOB, x=potsdam.x, y=potsdam.y, z=potsdam.z)
    assert refusal(ada, bob, DAY) is None
    assert refusal(changed(ada, max_distance_km=30), bob, DAY) is None
    assert refusal(changed(ada, max_distance_km=25), bob, DAY) == "distance"
