"""What a round has chosen, in the database: one row for each user, by COPY."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import groupby, pairwise
from typing import Any
from uuid import UUID

import msgspec

from handfast.apps.offers.rounds.arithmetic.themes import Themes
from handfast.apps.offers.rounds.picks import Picks
from handfast.apps.offers.rounds.pool import Pool
from handfast.apps.offers.rules.person import ScoredQuestion
from handfast.base.extras import extra
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Queryable, Transaction

with extra("offers"):
    import numpy as np

_COLUMNS = ("day", "user_id", "candidates", "places", "scores", "kinds", "themes")
_AT_ONCE = 10_000  # users whose picks are made into objects together

PickedRow = tuple[UUID, list[UUID], list[int], list[int], list[int], list[str]]


class StoredPick(msgspec.Struct, frozen=True):
    user_id: UUID
    candidate_id: UUID
    place: int
    score: int
    kind: int
    themes: str


_STORED = statement("offers.picks_stored", row=StoredPick, seconds=BULK_SECONDS_MAX)


async def picks_stored(on: Queryable, day: date, user_id: UUID | None = None) -> list[StoredPick]:
    """Of a round and of those who came late; of one user, if one is named."""
    return await _STORED.all(on, day, user_id)


async def put_picked(tx: Transaction, day: date, rows: Iterable[PickedRow]) -> None:
    await tx.connection.copy_records_to_table(
        "picked",
        schema_name="handfast_offers",
        columns=_COLUMNS,
        records=((day, *row) for row in rows),
        timeout=BULK_SECONDS_MAX,
    )


def by_user(picks: Iterable[StoredPick]) -> Iterator[PickedRow]:
    """Of picks that are one user's after the other's, each in the order of the set."""
    for user, group in groupby(picks, key=lambda one: one.user_id):
        columns: list[list[Any]] = [
            list(column) for column in zip(*map(msgspec.structs.astuple, group), strict=True)
        ]
        yield (user, *columns[1:])


class ExplainedPicks:
    """The picks of a round with their themes. By user, the offer of the week after the others."""

    def __init__(self, questions: Sequence[ScoredQuestion], pool: Pool, picks: Picks) -> None:
        self._ids = pool.ids
        self._rows = picks.rows
        users, candidates = (picks.rows[name].astype(np.int64) for name in ("user", "candidate"))
        self._themes = Themes(questions, pool)
        self._codes = self._themes.codes(users, candidates)
        ends = np.flatnonzero(np.diff(users)) + 1
        self._bounds = [0, *ends.tolist(), len(users)] if len(users) else []

    def rows(self) -> Iterator[PickedRow]:
        for first in range(0, len(self._bounds) - 1, _AT_ONCE):
            bounds = self._bounds[first : first + _AT_ONCE + 1]
            start = bounds[0]
            users, candidates, *rest = self._objects(slice(start, bounds[-1]))
            for begin, end in pairwise(bounds):
                mine = slice(begin - start, end - start)
                yield (users[begin - start], candidates[mine], *(column[mine] for column in rest))

    def stored(self) -> list[StoredPick]:
        """For who compares them one by one."""
        return [
            StoredPick(user, *one)
            for user, *columns in self.rows()
            for one in zip(*columns, strict=True)
        ]

    def _objects(self, part: slice) -> list[list[Any]]:
        users, candidates, *rest = (
            self._rows[name][part].tolist()
            for name in ("user", "candidate", "place", "score", "kind")
        )
        ids, codes = self._ids, self._codes[part].tolist()
        texts = [self._themes.text(code) for code in codes]
        return [[ids[one] for one in users], [ids[one] for one in candidates], *rest, texts]
