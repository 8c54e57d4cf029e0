"""Startups and investors as scoring sees them: names in one spelling, texts as buckets."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import msgspec

from handfast.apps.runs.corpus.scores.words import buckets, normal, normals

UNSAID = -1


class StartupRow(msgspec.Struct, frozen=True):
    """What scoring reads of a row of startup_uploads."""

    startup_id: str
    sectors: list[str]
    stage: str | None
    country: str | None
    raising: int | None
    pitch: str


class InvestorRow(msgspec.Struct, frozen=True):
    """What scoring reads of a row of investors."""

    investor_id: str
    sectors: list[str]
    stages: list[str]
    countries: list[str]
    cheque_min: int | None
    cheque_max: int | None
    thesis: str
    deals: int | None


@dataclass(frozen=True)
class Startup:
    id: str
    sectors: tuple[str, ...] = ()
    stage: str | None = None
    country: str | None = None
    raising: int = UNSAID
    words: tuple[int, ...] = ()

    @classmethod
    def of(cls, row: StartupRow) -> Self:
        return cls(
            id=row.startup_id,
            sectors=normals(row.sectors),
            stage=normal(row.stage) if row.stage else None,
            country=normal(row.country) if row.country else None,
            raising=UNSAID if row.raising is None else row.raising,
            words=tuple(buckets(row.pitch)),
        )


@dataclass(frozen=True)
class Investor:
    id: str
    sectors: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    cheque_min: int = UNSAID
    cheque_max: int = UNSAID
    words: tuple[int, ...] = ()
    deals: int = UNSAID

    @classmethod
    def of(cls, row: InvestorRow) -> Self:
        return cls(
            id=row.investor_id,
            sectors=normals(row.sectors),
            stages=normals(row.stages),
            countries=normals(row.countries),
            cheque_min=UNSAID if row.cheque_min is None else row.cheque_min,
            cheque_max=UNSAID if row.cheque_max is None else row.cheque_max,
            words=tuple(buckets(row.thesis)),
            deals=UNSAID if row.deals is None else row.deals,
        )


def in_order(investors: Iterable[Investor]) -> Sequence[Investor]:
    """By deals, then by id, byte by byte: the order of equal scores, as the database sorts."""
    return sorted(investors, key=lambda investor: (-investor.deals, investor.id.encode()))
