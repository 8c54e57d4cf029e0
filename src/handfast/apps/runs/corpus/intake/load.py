"""Files, or tables of the user's, into a new version of the corpus.

What is given is merged over what the current version has, by id; with ``replace`` it takes its
place. What is not given is carried over. Nothing is switched here.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from handfast.apps.runs.corpus.intake.columns import check_columns
from handfast.apps.runs.corpus.intake.intake import Intake, IntakeReport, Progress
from handfast.apps.runs.corpus.intake.rejects import MaxBad, Rejects
from handfast.apps.runs.corpus.intake.source import Source, file_source
from handfast.apps.runs.corpus.intake.table_source import no_schema, table_source
from handfast.apps.runs.corpus.scores.rescore import KEEP, score_pairs
from handfast.apps.runs.corpus.scores.weights import DEFAULT_WEIGHTS, Weights
from handfast.apps.runs.corpus.versions.build import Build, building
from handfast.apps.runs.corpus.versions.carry_over import carry_over, take_over_weights
from handfast.apps.runs.corpus.versions.parts import CorpusPart
from handfast.apps.runs.corpus.versions.versions import current_version
from handfast.apps.runs.errors import CorpusFileUnreadable
from handfast.base.errors import InvalidRequest
from handfast.db.connect import Target
from handfast.db.pool import Database


def no_progress(_what: str, _done: int, _size: int) -> None:
    """Nobody watches."""


@dataclass(frozen=True)
class LoadOptions:
    replace: bool = False
    max_bad: MaxBad = field(default_factory=MaxBad)
    rejects: Path | None = None
    ignore_unknown: bool = False
    score: bool = False  # score all pairs, as a rebuild does
    keep: int = KEEP
    weights: Weights = field(default_factory=lambda: DEFAULT_WEIGHTS)
    progress: Progress = no_progress


class LoadReport(msgspec.Struct, frozen=True, rename="camel"):
    """A version that was built, and from what."""

    version: int
    taken: list[IntakeReport]
    carried: dict[str, int]
    scored: int | None


async def load_files(
    direct: Target, files: Mapping[CorpusPart, Path], options: LoadOptions | None = None
) -> LoadReport:
    """A new version from CSV or Parquet files; answers its number and what came of each file."""
    chosen = options or LoadOptions()
    if not files:
        raise InvalidRequest(
            "No file is named.", hint="Name at least one of --startups, --investors, --matches."
        )
    sources: dict[CorpusPart, Source] = {part: file_source(path) for part, path in files.items()}
    _check(sources, chosen)
    names = ", ".join(path.name for path in files.values())
    return await _load(direct, sources, f"load {names}", chosen)


async def load_tables(
    direct: Target, schema: str | None, options: LoadOptions | None = None
) -> LoadReport:
    """A new version from the tables of the user's schema; they are only read."""
    chosen = options or LoadOptions()
    async with AsyncExitStack() as stack:
        sources = await _user_tables(direct, schema, stack)
        if chosen.score:
            sources.pop(CorpusPart.MATCHES, None)
        _check(sources, chosen)
        # Closed before the version is vacuumed: an open snapshot keeps pages from being marked.
        return await _load(direct, sources, f"tables of {schema}", chosen, stack.aclose)


async def _user_tables(
    direct: Target, schema: str | None, stack: AsyncExitStack
) -> dict[CorpusPart, Source]:
    """The tables that the schema has, all read as of the same moment."""
    if schema is None:
        raise no_schema()
    own = await stack.enter_async_context(
        await Database.open(direct, pool_size=1, application="handfast corpus")
    )
    tx = await stack.enter_async_context(own.transaction("repeatable_read"))
    await tx.execute("SET TRANSACTION READ ONLY")
    found = {part: await table_source(tx, schema, part) for part in CorpusPart}
    sources: dict[CorpusPart, Source] = {p: source for p, source in found.items() if source}
    if not sources:
        raise CorpusFileUnreadable(
            f"The schema {schema!r} has none of the tables "
            f"{', '.join(part.value for part in CorpusPart)}, or this user may not see it.",
            hint="Tables and views both do. A view can rename your columns.",
        )
    return sources


def _check(sources: Mapping[CorpusPart, Source], options: LoadOptions) -> None:
    """Every header before the first row is read."""
    if options.score and CorpusPart.MATCHES in sources:
        raise InvalidRequest("Either pairs are loaded or they are scored, not both.")
    if options.rejects is not None and len(sources) > 1 and not options.rejects.is_dir():
        raise InvalidRequest(
            "--rejects names one file, and several are loaded.",
            hint="Leave it out, and what is bad is set aside beside each file; or name a folder.",
        )
    _spare(sources.values(), options.rejects)
    for part, source in sources.items():
        check_columns(part, source.header, source.where, ignore_unknown=options.ignore_unknown)


def _spare(sources: Collection[Source], wanted: Path | None) -> None:
    """Setting a row aside begins by emptying the file that it goes to."""
    given = [path for source in sources if isinstance(path := getattr(source, "path", None), Path)]
    for aside in (_aside(source, wanted) for source in sources):
        if aside.exists() and any(aside.samefile(path) for path in given):
            raise InvalidRequest(
                f"Bad rows would be set aside in {aside}, which is a file that is loaded.",
                hint="Name another file, or a folder, with --rejects.",
            )


async def _nothing_to_close() -> None:
    pass


async def _load(
    direct: Target,
    sources: Mapping[CorpusPart, Source],
    said: str,
    options: LoadOptions,
    close: Callable[[], Awaitable[None]] = _nothing_to_close,
) -> LoadReport:
    async with building(direct, said) as build:
        async with build.database.connection() as connection:
            over = await current_version(connection)
        taken: list[IntakeReport] = []
        carried: dict[str, int] = {}
        scored = None
        for part in CorpusPart:
            if part is CorpusPart.MATCHES and options.score:
                scored = await score_pairs(
                    build, keep=options.keep, weights=options.weights, progress=options.progress
                )
                await build.index(part)
                continue
            source = sources.get(part)
            keeps = over is not None and not (options.replace and source is not None)
            if source is not None:
                taken.append(await _take_in(build, part, source, options))
            if keeps and over is not None:
                carried[part.word] = await carry_over(build, part, over)
                if part is CorpusPart.MATCHES and source is None:
                    await take_over_weights(build, over)
            if source is None:
                await build.index(part)
        await close()
        options.progress("finishing", 0, 0)
        await build.finish()
        return LoadReport(build.version, taken, carried, scored)


async def _take_in(
    build: Build, part: CorpusPart, source: Source, options: LoadOptions
) -> IntakeReport:
    path = _aside(source, options.rejects)
    with Rejects(source.where, source.header, path, options.max_bad) as rejects:
        intake = Intake(build, part, source, rejects, options.progress)
        await intake.run()
        await intake.index()
        return intake.report()


def _aside(source: Source, wanted: Path | None) -> Path:
    """Where bad rows go: the file or the folder that is named, else beside the source."""
    path = getattr(source, "path", None)
    beside = path if isinstance(path, Path) else Path(source.where)
    aside = beside.with_name(f"{beside.name}.rejects.csv")
    if wanted is None:
        return aside
    return wanted / aside.name if wanted.is_dir() else wanted
