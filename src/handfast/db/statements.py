"""SQL lives in ``sql/queries/<schema>/<part>.sql``; Python names a statement and types its rows.

    CLAIM = statement("engine.claim", row=ClaimedJob)
    jobs = await CLAIM.all(tx, lane, limit)

A row type is a ``msgspec.Struct`` whose fields are the columns, in their order, or a plain type
for a single column; ``NoneType`` when nobody reads the rows. ``tests/schema`` prepares every
statement on a real server and compares. A statement that needs a table's name is a template
(``db/templates``).
"""

import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import resources
from itertools import starmap
from operator import itemgetter
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from handfast.db.outage import OUTAGE
from handfast.db.transaction import Queryable

R = TypeVar("R")

# A statement of ours that takes longer is not believed to be answered any more: the connection may
# have gone silent, as after a failover, and nothing else would ever tell. On a machine that is very
# busy the longest of them take a tenth of it.
SECONDS_MAX = 20.0
BULK_SECONDS_MAX = 600.0  # for statements that take as many rows as somebody gives them

_NAME = re.compile(r"^-- name: (?P<name>[a-z_]+)\s*$", re.MULTILINE)

STATEMENTS: dict[str, "Statement[Any]"] = {}


class Statement(Generic[R]):
    """One named statement. Its methods say how many rows the caller expects."""

    __slots__ = ("_make", "_make_all", "name", "row", "seconds", "sql")

    def __init__(
        self, name: str, row: type[R], seconds: float = SECONDS_MAX, *, sql: str | None = None
    ) -> None:
        self.name = name
        self.seconds = seconds
        self.row = row
        self.sql = load(name) if sql is None else sql
        if issubclass(row, msgspec.Struct):
            self._make: Callable[[Any], R] = lambda record: row(*record)
            self._make_all: Callable[[Any], Iterator[R]] = partial(starmap, row)
        else:
            self._make = itemgetter(0)
            self._make_all = partial(map, self._make)

    async def all(self, on: Queryable, *args: Any) -> list[R]:
        records = await on.fetch(self.sql, *args, timeout=self.seconds)
        if OUTAGE.since is not None:
            OUTAGE.answered()
        return list(self._make_all(records))

    async def one(self, on: Queryable, *args: Any) -> R:
        found = await self.maybe(on, *args)
        if found is None:
            raise LookupError(f"statement {self.name} found no row where there must be one")
        return found

    async def maybe(self, on: Queryable, *args: Any) -> R | None:
        record = await on.fetchrow(self.sql, *args, timeout=self.seconds)
        if OUTAGE.since is not None:
            OUTAGE.answered()
        return None if record is None else self._make(record)

    async def run(self, on: Queryable, *args: Any) -> None:
        await on.execute(self.sql, *args, timeout=self.seconds)

    async def count(self, on: Queryable, *args: Any) -> int:
        """How many rows were inserted, updated or deleted."""
        done = await on.execute(self.sql, *args, timeout=self.seconds)
        return int(done.rpartition(" ")[2])


def statement(name: str, *, row: type[R], seconds: float = SECONDS_MAX) -> Statement[R]:
    """Bind ``schema.name`` to its row type. Called once per statement, at import.

    ``seconds`` is how long an answer is waited for."""
    if name in STATEMENTS:
        raise ValueError(f"statement {name!r} is bound twice")
    STATEMENTS[name] = bound = Statement(name, row, seconds)
    return bound


def load(name: str) -> str:
    """The text of ``schema.name``."""
    schema, _, local = name.partition(".")
    try:
        return texts(schema)[local]
    except KeyError:
        raise LookupError(f"there is no statement {local!r} in sql/queries/{schema}/") from None


@cache
def texts(schema: str) -> dict[str, str]:
    """All statements of one schema, by name, from whichever of its parts."""
    found: dict[str, str] = {}
    for part in sorted(queries_folder().joinpath(schema).glob("*.sql")):
        statements = parse(part.read_text())
        if twice := found.keys() & statements.keys():
            raise ValueError(f"two statements of {schema} are named {min(twice)!r}")
        found |= statements
    return found


def queries_folder() -> Path:
    return Path(str(resources.files("handfast.sql"))) / "queries"


def parse(source: str) -> dict[str, str]:
    """Split a file at its ``-- name: …`` lines."""
    marks = list(_NAME.finditer(source))
    ends = [mark.start() for mark in marks[1:]] + [len(source)]
    found: dict[str, str] = {}
    for mark, end in zip(marks, ends, strict=True):
        if mark["name"] in found:
            raise ValueError(f"two statements are named {mark['name']!r}")
        found[mark["name"]] = source[mark.end() : end].strip().removesuffix(";")
    return found
