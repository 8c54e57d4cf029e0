"""``handfast corpus load | rebuild | generate``: what makes a new version."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter, validators
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from handfast.apps.runs.corpus.intake.intake import Progress as Report
from handfast.apps.runs.corpus.intake.load import LoadOptions, LoadReport, load_files, load_tables
from handfast.apps.runs.corpus.intake.rejects import MaxBad
from handfast.apps.runs.corpus.scores.rescore import KEEP
from handfast.apps.runs.corpus.scores.weights import weights_of
from handfast.apps.runs.corpus.versions.guardian import GuardianVerdict
from handfast.apps.runs.corpus.versions.parts import CorpusPart
from handfast.apps.runs.corpus.versions.publish import Published, publish
from handfast.apps.runs.corpus.versions.retention import retire
from handfast.apps.runs.errors import CorpusRefused
from handfast.apps.runs.settings import RunsSettings
from handfast.base.errors import InvalidRequest
from handfast.edge.cli.jobs.jobs import on_system
from handfast.edge.cli.speaking.changes import changing, cli_actor
from handfast.edge.cli.speaking.options import INTEGER_MAX, DataDir, Json
from handfast.edge.cli.speaking.output import ERR, OUT, print_json
from handfast.engine.system import System
from handfast.wiring import load_settings

A_VERSION = validators.Number(gte=1, lte=INTEGER_MAX)

StartupsFile = Annotated[Path | None, Parameter(help="A CSV or Parquet file of startups.")]
InvestorsFile = Annotated[Path | None, Parameter(help="A CSV or Parquet file of investors.")]
MatchesFile = Annotated[Path | None, Parameter(help="A CSV or Parquet file of scored pairs.")]
FromTables = Annotated[
    bool,
    Parameter(
        negative=(),
        help="Read your own tables, in the schema that HANDFAST_CORPUS_SCHEMA names.",
    ),
]
Replace = Annotated[
    bool,
    Parameter(
        negative=(),
        help="Take only what is given; without it, it is merged over what there is, by id.",
    ),
]
Score = Annotated[
    bool, Parameter(negative=(), help="Score all pairs again, instead of taking them over.")
]
Keep = Annotated[int, Parameter(help="How many investors to keep for each startup.")]
MaxBadRows = Annotated[
    str, Parameter(help="Give a file up if more rows are bad: a share (10%) or a number.")
]
RejectsFile = Annotated[
    Path | None,
    Parameter(help="Set bad rows aside in this file or folder; by default beside the file."),
]
IgnoreUnknown = Annotated[
    bool, Parameter(negative=(), help="Leave columns out that the corpus does not know.")
]
NoSwitch = Annotated[
    bool, Parameter(negative=(), help="Only build the version; readers stay where they are.")
]
Force = Annotated[
    bool, Parameter(negative=(), help="Switch even if the guardian refuses the version.")
]


class Done(msgspec.Struct, frozen=True):
    """What a build came to."""

    built: LoadReport
    published: Published | None
    retired: list[int]


def load(
    *,
    startups: StartupsFile = None,
    investors: InvestorsFile = None,
    matches: MatchesFile = None,
    from_tables: FromTables = False,
    replace: Replace = False,
    score: Score = False,
    keep: Keep = KEEP,
    max_bad: MaxBadRows = "10%",
    rejects: RejectsFile = None,
    ignore_unknown: IgnoreUnknown = False,
    no_switch: NoSwitch = False,
    force: Force = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Make a new version from files, or from your own tables, and switch to it.

    What is not given is carried over from the current version. Bad rows are set aside in a file,
    with their lines and the reasons. The guardian looks at the version before readers see it.
    """
    files = {
        CorpusPart.STARTUPS: startups,
        CorpusPart.INVESTORS: investors,
        CorpusPart.MATCHES: matches,
    }
    given = {part: path for part, path in files.items() if path is not None}
    if from_tables and given:
        raise InvalidRequest("Name files or --from-tables, not both.")
    allowed = MaxBad.parse(max_bad)

    async def work(system: System) -> Done:
        with watched() as progress:
            options = LoadOptions(
                replace=replace,
                max_bad=allowed,
                rejects=rejects,
                ignore_unknown=ignore_unknown,
                score=score,
                keep=_several(keep),
                weights=weights_of(system.settings.of(RunsSettings).match_weights),
                progress=progress,
            )
            if from_tables:
                built = await load_tables(
                    system.direct, system.settings.of(RunsSettings).corpus_schema, options
                )
            else:
                built = await load_files(system.direct, given, options)
        return await _conclude(system, "corpus.load", built, switches=not no_switch, force=force)

    _print_done(on_system(work, data_dir=data_dir), json=json)


def rebuild(
    *,
    version: Annotated[
        int | None,
        Parameter(
            help="The version whose companies are scored; by default the current.",
            validator=A_VERSION,
        ),
    ] = None,
    from_tables: FromTables = False,
    keep: Keep = KEEP,
    min_score: Annotated[int, Parameter(help="Keep no pair that scores less, of 1000.")] = 0,
    no_switch: NoSwitch = False,
    force: Force = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Score all pairs again, into a new version, and switch to it."""
    if from_tables and version is not None:
        raise InvalidRequest("Name a version or --from-tables, not both.")

    async def work(system: System) -> Done:
        from handfast.apps.runs.corpus import rebuild as again  # noqa: PLC0415

        with watched() as progress:
            if from_tables:
                built = await again.rebuild_from_tables(
                    system.direct,
                    system.settings.of(RunsSettings).corpus_schema,
                    keep=_several(keep),
                    weights=weights_of(system.settings.of(RunsSettings).match_weights),
                    progress=progress,
                )
            else:
                built = await again.rebuild(
                    system.direct,
                    version=version,
                    keep=_several(keep),
                    least=min_score,
                    weights=weights_of(system.settings.of(RunsSettings).match_weights),
                    progress=progress,
                )
        return await _conclude(system, "corpus.rebuild", built, switches=not no_switch, force=force)

    _print_done(on_system(work, data_dir=data_dir), json=json)


def generate(
    *,
    startups: Annotated[int, Parameter(help="How many startups.")] = 1000,
    investors: Annotated[int, Parameter(help="How many investors.")] = 500,
    seed: Annotated[int, Parameter(help="The same seed makes the same corpus.")] = 1,
    keep: Keep = KEEP,
    out: Annotated[Path | None, Parameter(help="Write files into this folder.")] = None,
    parquet: Annotated[bool, Parameter(negative=(), help="Parquet instead of CSV.")] = False,
    force: Force = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Make a corpus of companies that do not exist: as files with --out, else as a new version."""
    from handfast.apps.runs.corpus import generated  # noqa: PLC0415

    sizes = {"startups": _several(startups), "investors": _several(investors)}
    if out is not None:
        with watched() as progress:
            made = generated.generate_files(
                out,
                **sizes,
                seed=seed,
                keep=_several(keep),
                weights=weights_of(load_settings().of(RunsSettings).match_weights),
                parquet=parquet,
                progress=progress,
            )
        if json:
            print_json({"files": {str(out / name): rows for name, rows in made.items()}})
        else:
            for name, rows in made.items():
                OUT.print(f"{out / name}: {rows:,} rows", markup=False)
        return

    async def work(system: System) -> Done:
        with watched() as progress:
            built = await generated.generate_version(
                system.direct,
                **sizes,
                seed=seed,
                keep=_several(keep),
                weights=weights_of(system.settings.of(RunsSettings).match_weights),
                progress=progress,
            )
        return await _conclude(system, "corpus.generate", built, switches=True, force=force)

    _print_done(on_system(work, data_dir=data_dir), json=json)


def _several(count: int) -> int:
    if count < 1:
        raise InvalidRequest(f"{count} is not at least one.")
    return count


async def _conclude(
    system: System, action: str, built: LoadReport, *, switches: bool, force: bool
) -> Done:
    async with changing(system, action, f"corpus:{built.version}"):
        pass  # what was built was so in transactions of its own
    if not switches:
        return Done(built, None, [])
    published = await publish(system.database, built.version, force=force, by=cli_actor())
    retired = await retire(system.direct) if published.switched is not None else []
    return Done(built, published, retired)


@contextmanager
def watched() -> Iterator[Report]:
    """A bar for whoever watches; what has no known end only moves."""
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        console=ERR,
        transient=True,
        disable=not ERR.is_terminal,
    ) as bar:
        tasks: dict[str, TaskID] = {}

        def report(what: str, done: int, size: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=size or None)
            bar.update(tasks[what], completed=done, total=size or None)

        yield report


def _print_done(done: Done, *, json: bool) -> None:
    refused = done.published is not None and done.published.switched is None
    if json and not refused:  # a refusal is the one document that is printed
        print_json(done)
    elif not json:
        _print_built(done.built)
        if done.published is None:
            OUT.print(
                f"Version {done.built.version} is built and not read yet. Switch to it with: "
                f"handfast corpus switch {done.built.version}"
            )
    if done.published is not None:
        print_published(done.published, json=json)


def _print_built(built: LoadReport) -> None:
    for taken in built.taken:
        OUT.print(f"{taken.source}: {taken.kept:,} of {taken.rows:,} rows", markup=False)
        if taken.bad:
            said = f"  {taken.bad:,} bad rows set aside in {taken.rejects}"
            OUT.print(said, style="yellow", markup=False)
    for part, rows in built.carried.items():
        OUT.print(f"{rows:,} {part} carried over")
    if built.scored is not None:
        OUT.print(f"{built.scored:,} pairs scored")


def print_published(published: Published, *, json: bool) -> None:
    """What the guardian said and what came of it; a refusal is an error of the command."""
    verdict = published.verdict
    if published.switched is None:
        raise refusal(verdict)
    if json:
        return
    if published.forced:
        OUT.print(f"{verdict.summary} Switched all the same.", style="yellow", markup=False)
    was = published.switched.was
    before = "there was none before" if was is None else f"before it was version {was}"
    OUT.print(f"Readers have version {verdict.version} now; {before}.")


def refusal(verdict: GuardianVerdict) -> CorpusRefused:
    failed: list[dict[str, Any]] = [msgspec.to_builtins(check) for check in verdict.failed]
    return CorpusRefused(
        verdict.summary,
        hint="Readers stay with the version that they have; this one is kept aside. See `handfast "
        f"corpus check {verdict.version}`; if it is as it should be: `handfast corpus switch "
        f"{verdict.version} --force`.",
        version=verdict.version,
        failed=failed,
    )
