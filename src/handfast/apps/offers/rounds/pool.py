"""The people of a snapshot as arrays, in the order of their ids.

Everything is an integer: what is computed from it is the same on every machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from handfast.apps.offers.rules.chords import SQUARED_CHORDS
from handfast.apps.offers.rules.eligibility import ADULT, GENDERS, INTENTS, intents_fit
from handfast.apps.offers.rules.person import Person, age_on
from handfast.base.extras import extra

with extra("offers"):
    import numpy as np
    import numpy.typing as npt


_INTENTS_FIT = np.array([[intents_fit(one, other) for other in INTENTS] for one in INTENTS])


@dataclass(frozen=True)
class Pool:
    people: Sequence[Person]
    age: "npt.NDArray[np.int64]"
    gender: "npt.NDArray[np.int64]"  # a bit
    seeking: "npt.NDArray[np.int64]"  # bits
    intent: "npt.NDArray[np.int64]"
    min_age: "npt.NDArray[np.int64]"
    max_age: "npt.NDArray[np.int64]"
    reach: "npt.NDArray[np.int64]"  # squared chord
    place: "npt.NDArray[np.int64]"  # x, y, z
    room: "npt.NDArray[np.int64]"

    def eligible(
        self, one: "npt.NDArray[np.intp]", other: "npt.NDArray[np.intp]"
    ) -> "npt.NDArray[np.bool_]":
        """Of each of these with each of those, as ``rules.eligibility`` has it."""
        a, b = one[:, None], other[None, :]
        apart = ((self.place[a] - self.place[b]) ** 2).sum(axis=2)
        found: npt.NDArray[np.bool_] = (
            (a != b)
            & (self.room[a] > 0)
            & (self.room[b] > 0)
            & (np.minimum(self.age[a], self.age[b]) >= ADULT)
            & (self.seeking[a] & self.gender[b] > 0)
            & (self.seeking[b] & self.gender[a] > 0)
            & (self.min_age[a] <= self.age[b])
            & (self.age[b] <= self.max_age[a])
            & (self.min_age[b] <= self.age[a])
            & (self.age[a] <= self.max_age[b])
            & _INTENTS_FIT[self.intent[a], self.intent[b]]
            & (apart <= np.minimum(self.reach[a], self.reach[b]))
        )
        return found


def pool_of(people: Sequence[Person], day: date) -> Pool:
    ordered = sorted(people, key=lambda one: one.id)
    everyone = (1 << len(GENDERS)) - 1

    def column(values: Sequence[int]) -> "npt.NDArray[np.int64]":
        return np.array(values, dtype=np.int64)

    return Pool(
        people=ordered,
        age=column([age_on(one.birth_date, day) for one in ordered]),
        gender=column([1 << GENDERS.index(one.gender) for one in ordered]),
        seeking=column(
            [sum(1 << GENDERS.index(g) for g in one.seeking) or everyone for one in ordered]
        ),
        intent=column([INTENTS.index(one.intent) for one in ordered]),
        min_age=column([one.min_age for one in ordered]),
        max_age=column([one.max_age for one in ordered]),
        reach=column([SQUARED_CHORDS[one.max_distance_km] for one in ordered]),
        place=np.array([(one.x, one.y, one.z) for one in ordered], np.int64).reshape(-1, 3),
        room=column([one.places for one in ordered]),
    )
