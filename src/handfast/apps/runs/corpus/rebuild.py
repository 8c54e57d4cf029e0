"""A new version with the startups and investors of another, and all pairs scored again."""

from pathlib import Path

from handfast.apps.runs.corpus.intake.intake import Progress
from handfast.apps.runs.corpus.intake.load import LoadOptions, LoadReport, load_tables, no_progress
from handfast.apps.runs.corpus.scores.rescore import KEEP, score_pairs
from handfast.apps.runs.corpus.scores.weights import DEFAULT_WEIGHTS, Weights
from handfast.apps.runs.corpus.versions.build import building
from handfast.apps.runs.corpus.versions.carry_over import carry_over
from handfast.apps.runs.corpus.versions.parts import CorpusPart
from handfast.apps.runs.corpus.versions.versions import current_version, get_version
from handfast.apps.runs.errors import CorpusVersionUnusable
from handfast.db.connect import Target
from handfast.db.transaction import Queryable

READABLE = ("built", "refused", "current", "previous")


async def rebuild(
    direct: Target,
    *,
    version: int | None = None,
    keep: int = KEEP,
    least: int = 0,
    weights: Weights = DEFAULT_WEIGHTS,
    progress: Progress = no_progress,
) -> LoadReport:
    """From ``version``, or from the one that is current. Nothing is switched here."""
    said = "rebuild" if version is None else f"rebuild of version {version}"
    async with building(direct, said) as build:
        async with build.database.connection() as connection:
            old = await _readable(connection, version)
        carried = {}
        for part in (CorpusPart.STARTUPS, CorpusPart.INVESTORS):
            carried[part.word] = await carry_over(build, part, old)
            await build.index(part)
        scored = await score_pairs(
            build, keep=keep, least=least, weights=weights, progress=progress
        )
        progress("finishing", 0, 0)
        await build.index(CorpusPart.MATCHES)
        await build.finish()
        return LoadReport(build.version, [], carried, scored)


async def rebuild_from_tables(
    direct: Target,
    schema: str | None,
    *,
    keep: int = KEEP,
    weights: Weights = DEFAULT_WEIGHTS,
    progress: Progress = no_progress,
    rejects: Path | None = None,
) -> LoadReport:
    """From the startups and investors of the user's own tables, which replace what there was."""
    options = LoadOptions(
        replace=True, score=True, keep=keep, weights=weights, progress=progress, rejects=rejects
    )
    return await load_tables(direct, schema, options)


async def _readable(on: Queryable, version: int | None) -> int:
    if version is None:
        version = await current_version(on)
    if version is None:
        raise CorpusVersionUnusable(
            "There is no corpus yet, so there is nothing to rebuild.",
            hint="Load one: `handfast corpus load --startups FILE --investors FILE --score`.",
        )
    found = await get_version(on, version)
    if found.state not in READABLE:
        raise CorpusVersionUnusable(
            f"Version {version} is {found.state}: there is nothing to read in it.",
            hint="`handfast corpus versions` lists those that there are.",
        )
    return version
