"""Reading one row of a file into a record of the corpus, or saying why not."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from handfast.apps.runs.corpus.intake.fields import (
    DEALS_MAX,
    MONEY_MAX,
    NAME_LENGTH_MAX,
    TEXT_LENGTH_MAX,
    URL_LENGTH_MAX,
    BadValue,
    identity,
    names,
    needed,
    text,
    whole,
)
from handfast.apps.runs.corpus.scores.weights import SIGNALS
from handfast.apps.runs.corpus.versions.parts import CorpusPart
from handfast.apps.runs.urls import canonical_url
from handfast.base.errors import HandfastError

SCORE_MAX = 1000
PART_MAX = 100
UNSAID = -1

Record = tuple[Any, ...]
Row = Mapping[str, Any]


def _of(row: Row, column: str, read: Callable[..., Any], *limits: Any) -> Any:
    try:
        return read(row.get(column), *limits)
    except BadValue as bad:
        raise BadValue(f"{column} {bad}") from None


@dataclass
class Startups:
    """Reads startups; remembers ids and addresses, since each may be there once."""

    version: int
    _ids: dict[str, int] = field(default_factory=dict)
    _addresses: dict[str, str] = field(default_factory=dict)

    def read(self, row: Row, line: int) -> Record:
        startup_id = _of(row, "startup_id", identity)
        if startup_id in self._ids:
            raise BadValue(f"startup_id {startup_id!r} is in line {self._ids[startup_id]} already")
        url = _of(row, "url", needed, URL_LENGTH_MAX)
        try:
            canonical = str(canonical_url(url))
        except HandfastError as refused:
            raise BadValue(f"url {url[:80]!r} cannot be used: {refused.detail}") from None
        if canonical in self._addresses:
            other = self._addresses[canonical]
            raise BadValue(f"url {url[:80]!r} is the address of startup {other!r} already")
        record = (
            self.version,
            _of(row, "raising", whole, 0, MONEY_MAX),
            startup_id,
            _of(row, "name", needed, NAME_LENGTH_MAX),
            url,
            canonical,
            _of(row, "stage", text, NAME_LENGTH_MAX) or None,
            _of(row, "country", text, NAME_LENGTH_MAX) or None,
            _of(row, "sectors", names),
            _of(row, "pitch", text, TEXT_LENGTH_MAX),
        )
        self._ids[startup_id] = line
        self._addresses[canonical] = startup_id
        return record


@dataclass
class Investors:
    """Reads investors; remembers ids, since each may be there once."""

    version: int
    _ids: dict[str, int] = field(default_factory=dict)

    def read(self, row: Row, line: int) -> Record:
        investor_id = _of(row, "investor_id", identity)
        if investor_id in self._ids:
            raise BadValue(
                f"investor_id {investor_id!r} is in line {self._ids[investor_id]} already"
            )
        least = _of(row, "cheque_min", whole, 0, MONEY_MAX)
        most = _of(row, "cheque_max", whole, 0, MONEY_MAX)
        if least is not None and most is not None and least > most:
            raise BadValue(f"cheque_min {least} is more than cheque_max {most}")
        record = (
            self.version,
            least,
            most,
            investor_id,
            _of(row, "name", needed, NAME_LENGTH_MAX),
            _of(row, "url", text, URL_LENGTH_MAX) or None,
            _of(row, "stages", names),
            _of(row, "countries", names),
            _of(row, "sectors", names),
            _of(row, "thesis", text, TEXT_LENGTH_MAX),
            _of(row, "deals", whole, 0, DEALS_MAX),
        )
        self._ids[investor_id] = line
        return record


@dataclass
class Matches:
    """Reads pairs of startups and investors that the version has; investors with their deals."""

    version: int
    startups: frozenset[str]
    investors: Mapping[str, int]

    def read(self, row: Row, line: int) -> Record:
        startup_id = _of(row, "startup_id", identity)
        investor_id = _of(row, "investor_id", identity)
        if startup_id not in self.startups:
            raise BadValue(f"startup_id {startup_id!r} is no startup of this version")
        if investor_id not in self.investors:
            raise BadValue(f"investor_id {investor_id!r} is no investor of this version")
        score = _of(row, "score", whole, 0, SCORE_MAX)
        if score is None:
            raise BadValue("score is empty")
        return (
            self.version,
            score,
            *(_signal(row, column) for column in SIGNALS),
            self.investors[investor_id],
            startup_id,
            investor_id,
        )


def _signal(row: Row, column: str) -> int:
    found = _of(row, column, whole, UNSAID, PART_MAX)
    return UNSAID if found is None else int(found)


# Exactly as a file has them when nothing is unusual, typed or as text.
_SCORES: dict[Any, int] = {key: n for n in range(SCORE_MAX + 1) for key in (n, str(n))}
_PARTS: dict[Any, int] = {key: n for n in range(UNSAID, PART_MAX + 1) for key in (n, str(n))}
_PARTS.update({"": UNSAID, None: UNSAID})


def read_usual_pairs(
    reader: Matches, header: Sequence[str], rows: Sequence[Sequence[Any]]
) -> list[Record] | None:
    """A block of pairs in which nothing is unusual, several times as fast; None if anything is.

    Then each row is read by itself, to say what is wrong and where.
    """
    if any(len(row) != len(header) for row in rows):
        return None
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    startups, investors = columns["startup_id"], columns["investor_id"]
    try:
        if not reader.startups.issuperset(startups):
            return None
        deals = [reader.investors[investor] for investor in investors]
        scores = [_SCORES[score] for score in columns["score"]]
        signals = [
            [_PARTS[value] for value in columns[column]]
            if column in columns
            else [UNSAID] * len(rows)
            for column in SIGNALS
        ]
    except (KeyError, TypeError):
        return None
    versions = [reader.version] * len(rows)
    return list(zip(versions, scores, *signals, deals, startups, investors, strict=True))


def reader_of(
    part: CorpusPart, version: int, known: tuple[frozenset[str], Mapping[str, int]]
) -> Startups | Investors | Matches:
    if part is CorpusPart.STARTUPS:
        return Startups(version)
    if part is CorpusPart.INVESTORS:
        return Investors(version)
    return Matches(version, *known)
