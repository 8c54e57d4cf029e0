"""What a new version takes over from an old one, without leaving the database."""

from types import NoneType

from handfast.apps.runs.corpus.versions.build import Build
from handfast.apps.runs.corpus.versions.parts import PART_SECONDS_MAX, CorpusPart
from handfast.db.statements import statement
from handfast.db.templates import Template, template

_STARTUPS, _INVESTORS, _MATCHES = (part.parent for part in CorpusPart)
_CARRY: dict[CorpusPart, Template[None]] = {
    CorpusPart.STARTUPS: template(
        "runs.carry_startups",
        row=NoneType,
        seconds=PART_SECONDS_MAX,
        example={"startups": _STARTUPS},
    ),
    CorpusPart.INVESTORS: template(
        "runs.carry_investors",
        row=NoneType,
        seconds=PART_SECONDS_MAX,
        example={"investors": _INVESTORS},
    ),
    CorpusPart.MATCHES: template(
        "runs.carry_matches",
        row=NoneType,
        seconds=PART_SECONDS_MAX,
        example={"startups": _STARTUPS, "investors": _INVESTORS, "matches": _MATCHES},
    ),
}
_ANALYZE = template(
    "runs.analyze_part", row=NoneType, seconds=PART_SECONDS_MAX, example={"part": _STARTUPS}
)
_TAKE_OVER_WEIGHTS = statement("runs.take_over_weights", row=NoneType)


async def carry_over(build: Build, part: CorpusPart, version: int) -> int:
    """Copy what ``version`` has and the new one does not; answers how many rows that were.

    A row of the same id counts as there already, and so does a startup of the same address. Pairs
    come along if both sides did, so they go last, and take the investor's deals from the new one.
    """
    carry = _CARRY[part]
    tables = {known.word: build.table(known) for known in CorpusPart if known.word in carry.places}
    async with build.database.connection() as connection:
        for known in (CorpusPart.STARTUPS, CorpusPart.INVESTORS):
            await _ANALYZE.on(part=build.table(known)).run(connection)
        return await carry.on(**tables).count(connection, version, build.version)


async def take_over_weights(build: Build, version: int) -> None:
    """The pairs are all of ``version``, so they were scored with its weights."""
    async with build.database.connection() as connection:
        await _TAKE_OVER_WEIGHTS.run(connection, build.version, version)
