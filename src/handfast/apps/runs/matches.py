"""The matches of a ready run, in pages, each with its reasons.

Nothing of them is stored with the run: the run names a version of the corpus, in which no row ever
changes, so the same page is the same answer for as long as that version is kept.
"""

from typing import Annotated

import msgspec

from handfast.apps.runs.errors import CorpusRetired
from handfast.apps.runs.explain import ExplainedInvestor, ExplainedStartup, Parts, Signal, explain
from handfast.apps.runs.records import MatchRun
from handfast.base.pages import Place, bounded
from handfast.db.statements import statement
from handfast.db.transaction import Queryable

PAGE_MAX = 200


class StartupProfile(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    url: str
    stage: str | None
    country: str | None
    raising: int | None
    sectors: list[str]
    pitch: str


class MatchView(msgspec.Struct, frozen=True, rename="camel"):
    """``rank`` is 1 for the best; ``score`` is from 0 to 1000, ``percent`` the same of a hundred.
    Lists are empty and cheques None where the investor says nothing."""

    rank: int
    investor_id: str
    name: str
    url: str | None
    score: int
    percent: float
    sectors: list[str]
    stages: list[str]
    cheque_min: int | None
    cheque_max: int | None
    deals: int | None
    why: list[Signal]


class MatchPage(msgspec.Struct, frozen=True, rename="camel"):
    startup: StartupProfile
    matches: list[MatchView]
    next: str | None


class _Profile(msgspec.Struct, frozen=True):
    kept: bool
    weights: str | None
    name: str | None
    url: str | None
    stage: str | None
    country: str | None
    raising: int | None
    sectors: list[str]
    pitch: str | None


class _MatchRow(msgspec.Struct, frozen=True):
    investor_id: str
    score: int
    sector: int
    stage: int
    geography: int
    cheque: int
    thesis: int
    activity: int
    name: str
    url: str | None
    stages: list[str]
    countries: list[str]
    sectors: list[str]
    cheque_min: int | None
    cheque_max: int | None
    deals: int | None


class MatchPlace(Place, frozen=True):
    """The last match of the page before."""

    rank: Annotated[int, msgspec.Meta(gt=0, lt=2**31)]
    score: Annotated[int, msgspec.Meta(ge=0, le=1000)]
    investor_id: str


_PROFILE = statement("runs.profile", row=_Profile)
_PAGE = statement("runs.page", row=_MatchRow)


async def get_matches(
    on: Queryable, run: MatchRun, *, after: str | None = None, limit: int = PAGE_MAX
) -> MatchPage:
    """One page of a ready run, the best first; the page after it begins at ``next``."""
    place = None if after is None else MatchPlace.read(after)
    rows = await _PAGE.all(
        on,
        run.corpus_version,
        run.startup_id,
        bounded(limit, PAGE_MAX),
        place and place.score,
        place and place.investor_id,
    )
    # Afterwards: a version that is still kept now was whole when the page was read.
    profile, weights = await _profile(on, run)
    first = place.rank + 1 if place else 1
    startup = ExplainedStartup(
        profile.name, profile.stage, profile.country, profile.raising, profile.sectors
    )
    matches = [_view(row, rank, startup, weights) for rank, row in enumerate(rows, first)]
    last = matches[-1] if matches else None
    more = last is not None and last.rank < (run.match_count or 0)
    return MatchPage(
        profile,
        matches,
        MatchPlace(last.rank, last.score, last.investor_id).cursor() if more and last else None,
    )


async def _profile(on: Queryable, run: MatchRun) -> tuple[StartupProfile, dict[str, int] | None]:
    """The startup as the run's version knows it, and with which weights its pairs were scored."""
    found = await _PROFILE.maybe(on, run.corpus_version, run.startup_id)
    if found is None or not found.kept or found.name is None or found.url is None:
        raise CorpusRetired(
            f"Run {run.run_id} answers from version {run.corpus_version} of the corpus, which is "
            "no longer kept.",
            hint="Run it again: POST /api/match/run with the same URL.",
        )
    profile = StartupProfile(
        found.name,
        found.url,
        found.stage,
        found.country,
        found.raising,
        found.sectors,
        found.pitch or "",
    )
    if found.weights is None:
        return profile, None
    return profile, msgspec.json.decode(found.weights, type=dict[str, int])


def _view(
    row: _MatchRow, rank: int, startup: ExplainedStartup, weights: dict[str, int] | None
) -> MatchView:
    parts = Parts(row.sector, row.stage, row.geography, row.cheque, row.thesis, row.activity)
    investor = ExplainedInvestor(
        row.name,
        row.stages,
        row.countries,
        row.sectors,
        row.cheque_min,
        row.cheque_max,
        row.deals,
    )
    return MatchView(
        rank,
        row.investor_id,
        row.name,
        row.url,
        row.score,
        row.score / 10,
        row.sectors,
        row.stages,
        row.cheque_min,
        row.cheque_max,
        row.deals,
        explain(parts, startup, investor, weights),
    )
