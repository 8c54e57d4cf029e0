"""Made-up people as a snapshot has them, and the questions that they answered."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import msgspec

from handfast.apps.offers.rules.person import Person, ScoredQuestion
from handfast.apps.people.generator.people import made_up
from handfast.apps.people.questions.packed import pack
from handfast.apps.people.questions.responses import QUESTIONS

DAY = date(2026, 3, 2)
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)

SCORED: list[ScoredQuestion] = [
    ScoredQuestion(one.id, one.construct, one.type, one.steps or len(one.options))
    for one in QUESTIONS.scored
]


def people(count: int, *, seed: int = 1, places: int = 3, one_town: bool = True) -> list[Person]:
    """Some of them have answered a part only. In one town everybody may meet everybody."""
    return [
        Person(
            one.id,
            one.birth_date,
            one.gender,
            one.seeking,
            one.min_age,
            one.max_age,
            one.distance_km,
            one.intent,
            *((450_000, 450_000, number) if one_town else (one.place.x, one.place.y, one.place.z)),
            places,
            pack(QUESTIONS, one.packed()),
        )
        for number, one in enumerate(made_up(count, seed=seed, now=NOW))
    ]


def changed(one: Person, **fields: Any) -> Person:
    return msgspec.structs.replace(one, **fields)


def by_id(found: Sequence[Person]) -> dict[UUID, Person]:
    return {one.id: one for one in found}
