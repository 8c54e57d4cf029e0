"""Who must be kept apart in a round: pairs that are blocked, matched, cooling down, or offered.

Every day that is alive adds a pair and a half for each person, so a plan of a million people has
millions of them. They are read page by page as records of bytes and kept as numbers: as rows, each
with objects of its own, six days of a million people took gigabytes.
"""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import date
from uuid import UUID

import msgspec

from handfast.apps.offers.rounds.making import NEVER
from handfast.base.extras import extra
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Queryable

with extra("offers"):
    import numpy as np
    import numpy.typing as npt

TO_LOW, TO_HIGH = 1, 2  # bits of ``KeptApart.live``
PAGE = 200_000

# As the statement packs them; at_least is -1 where no score would do.
_RECORD = np.dtype(
    [("low", "S16"), ("high", "S16"), ("at_least", ">i2"), ("live", ">i2"), ("offered", ">i2")]
)
# ``low`` and ``high`` are places in the order of ids, ``needs`` is the score that would do.
PAIR = np.dtype([("low", "i4"), ("high", "i4"), ("needs", "i4"), ("live", "i1"), ("offered", "?")])


class KeptApart(msgspec.Struct, frozen=True):
    """One such pair. ``live``: to whom the other must not be offered one-sidedly either, as
    bits."""

    low_id: UUID
    high_id: UUID
    at_least: int | None
    live: int
    reason: str

    @property
    def needs(self) -> int:
        """The score that a new pair needs."""
        return NEVER if self.at_least is None else self.at_least

    @property
    def is_offered(self) -> bool:
        """By nothing but offers that are alive, each to one of the two or both."""
        return self.reason == "offered"

    def allows(self, user: UUID, score: int) -> bool:
        """Whether the other may be offered to this one of the two, one-sidedly."""
        own = TO_LOW if user == self.low_id else TO_HIGH
        return not self.live & own and (self.is_offered or score >= self.needs)


_APART = statement("offers.kept_apart", row=bytes, seconds=BULK_SECONDS_MAX)


class Places:
    """Where people are in the order of their ids."""

    def __init__(self, ids: Iterable[UUID]) -> None:
        # Bytes of one length: that numpy drops zeros at their end changes neither order nor match.
        self._ids = np.sort(np.array([one.bytes for one in ids], "S16"))

    def of(self, ids: "npt.NDArray[np.bytes_]") -> "npt.NDArray[np.int64]":
        """-1 for who is not there."""
        if not len(self._ids):
            return np.full(len(ids), -1)
        at = np.minimum(np.searchsorted(self._ids, ids), len(self._ids) - 1)
        return np.where(self._ids[at] == ids, at, -1)

    def apart(self, records: "npt.NDArray[np.void]") -> "npt.NDArray[np.void]":
        """Those between two of these people."""
        found = np.empty(len(records), PAIR)
        found["low"], found["high"] = self.of(records["low"]), self.of(records["high"])
        found["needs"] = np.where(records["at_least"] < 0, NEVER, records["at_least"])
        found["live"], found["offered"] = records["live"], records["offered"] != 0
        return found[(found["low"] >= 0) & (found["high"] >= 0)]


async def read_apart(
    on: Queryable, day: date, ids: Sequence[UUID], page: int = PAGE
) -> "npt.NDArray[np.void]":
    """Of the plan of this day, between two of these people."""
    places = await asyncio.to_thread(Places, ids)
    found, last = [np.empty(0, PAIR)], (UUID(int=0), UUID(int=0))
    while packed := await _APART.one(on, day, *last, page):
        found.append(await asyncio.to_thread(places.apart, np.frombuffer(packed, _RECORD)))
        end = packed[-_RECORD.itemsize :]
        last = UUID(bytes=end[:16]), UUID(bytes=end[16:32])
    return np.concatenate(found)


def apart_pairs(ids: Sequence[UUID], apart: Sequence[KeptApart]) -> "npt.NDArray[np.void]":
    """Of pairs that somebody names one by one."""
    records = [
        (
            one.low_id.bytes,
            one.high_id.bytes,
            -1 if one.at_least is None else one.at_least,
            one.live,
            one.is_offered,
        )
        for one in apart
    ]
    return Places(ids).apart(np.array(records, _RECORD))


def kept_apart(pairs: "npt.NDArray[np.void]") -> "npt.NDArray[np.int64]":
    """Low, high, and the score that would do."""
    return _columns(pairs, "low", "high", "needs")


def shown(pairs: "npt.NDArray[np.void]") -> "npt.NDArray[np.int64]":
    """The user and the candidate of each live offer."""
    to_low, to_high = pairs[pairs["live"] & TO_LOW > 0], pairs[pairs["live"] & TO_HIGH > 0]
    return np.concatenate([_columns(to_low, "low", "high"), _columns(to_high, "high", "low")])


def _columns(pairs: "npt.NDArray[np.void]", *names: str) -> "npt.NDArray[np.int64]":
    return np.column_stack([pairs[name].astype(np.int64) for name in names])
