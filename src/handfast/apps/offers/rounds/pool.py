"""The people of a snapshot as arrays, in the order of their ids.

Everything is an integer: what is computed from it is the same on every machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from uuid import UUID

from handfast.apps.offers.rules.chords import SQUARED_CHORDS
from handfast.apps.offers.rules.eligibility import ADULT, GENDERS, INTENTS, intents_fit
from handfast.apps.offers.rules.person import UNANSWERED, Person, age_on
from handfast.base.extras import extra

with extra("offers"):
    import numpy as np
    import numpy.typing as npt

EVERYONE = (1 << len(GENDERS)) - 1
INTENT_FITS = np.array(
    [sum(intents_fit(one, other) << at for at, other in enumerate(INTENTS)) for one in INTENTS]
)

_COLUMNS = ("age", "gender", "seeking", "intent", "min_age", "max_age", "reach", "place", "room")


@dataclass(frozen=True, eq=False)
class Pool:
    age: "npt.NDArray[np.int64]"
    gender: "npt.NDArray[np.int64]"  # a bit
    seeking: "npt.NDArray[np.int64]"  # bits
    intent: "npt.NDArray[np.int64]"
    min_age: "npt.NDArray[np.int64]"
    max_age: "npt.NDArray[np.int64]"
    reach: "npt.NDArray[np.int64]"  # squared chord
    place: "npt.NDArray[np.int64]"  # x, y, z
    room: "npt.NDArray[np.int64]"
    answers: "npt.NDArray[np.uint8]"  # a row of packed answers for each
    ids: Sequence[UUID] = field(default=())  # none in a shard: it has the arrays only

    def __len__(self) -> int:
        return len(self.age)

    def taking_part(self) -> "npt.NDArray[np.bool_]":
        """The rules that are about one person alone."""
        return (self.room > 0) & (self.age >= ADULT)

    def eligible(
        self, one: "npt.NDArray[np.int64]", other: "npt.NDArray[np.int64]"
    ) -> "npt.NDArray[np.bool_]":
        """Of each of these with each of those, as ``rules.eligibility`` has it."""
        a, b = one[:, None], other[None, :]
        apart = ((self.place[a] - self.place[b]) ** 2).sum(axis=2)
        part = self.taking_part()
        found: npt.NDArray[np.bool_] = (
            (a != b)
            & part[a]
            & part[b]
            & (self.seeking[a] & self.gender[b] > 0)
            & (self.seeking[b] & self.gender[a] > 0)
            & (self.min_age[a] <= self.age[b])
            & (self.age[b] <= self.max_age[a])
            & (self.min_age[b] <= self.age[a])
            & (self.age[a] <= self.max_age[b])
            & (INTENT_FITS[self.intent[a]] >> self.intent[b] & 1 > 0)
            & (apart <= np.minimum(self.reach[a], self.reach[b]))
        )
        return found

    def take(self, who: "npt.NDArray[np.int64]") -> "Pool":
        """Some of them, in the same order."""
        return Pool(*(getattr(self, name)[who] for name in (*_COLUMNS, "answers")))


def pool_of(people: Sequence[Person], day: date) -> Pool:
    """Nothing of a person stays but numbers and the id: as objects a million are a gigabyte."""
    ordered = sorted(people, key=lambda one: one.id)

    def column(values: Sequence[int]) -> "npt.NDArray[np.int64]":
        return np.array(values, dtype=np.int64)

    return Pool(
        age=column([age_on(one.birth_date, day) for one in ordered]),
        gender=column([1 << GENDERS.index(one.gender) for one in ordered]),
        seeking=column(
            [sum(1 << GENDERS.index(g) for g in one.seeking) or EVERYONE for one in ordered]
        ),
        intent=column([INTENTS.index(one.intent) for one in ordered]),
        min_age=column([one.min_age for one in ordered]),
        max_age=column([one.max_age for one in ordered]),
        reach=column([SQUARED_CHORDS[one.max_distance_km] for one in ordered]),
        place=np.array([(one.x, one.y, one.z) for one in ordered], np.int64).reshape(-1, 3),
        room=column([one.places for one in ordered]),
        answers=_answers([one.answers for one in ordered]),
        ids=[one.id for one in ordered],
    )


def _answers(packed: Sequence[bytes]) -> "npt.NDArray[np.uint8]":
    """Who has answered nothing has no bytes."""
    width = max(map(len, packed), default=0)
    whole = b"".join(one.ljust(width, bytes([UNANSWERED])) for one in packed)
    return np.frombuffer(whole, np.uint8).reshape(len(packed), width)
