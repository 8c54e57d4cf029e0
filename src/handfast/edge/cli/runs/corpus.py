"""``handfast corpus``: versions of the corpus."""

from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
from cyclopts import App, Parameter
from rich.text import Text

from handfast.apps.runs.corpus.versions.guardian import GuardianVerdict
from handfast.apps.runs.corpus.versions.publish import SWITCH, conclude
from handfast.apps.runs.corpus.versions.publish import check as look
from handfast.apps.runs.corpus.versions.retention import retire
from handfast.apps.runs.corpus.versions.versions import (
    CorpusVersion,
    Switched,
    current_version,
    get_version,
    list_versions,
    roll_back,
)
from handfast.apps.runs.corpus.versions.versions import switch as switch_to
from handfast.apps.runs.errors import CorpusVersionUnusable
from handfast.edge.cli.jobs.jobs import on_system
from handfast.edge.cli.runs.corpus_build import (
    A_VERSION,
    Force,
    generate,
    load,
    print_published,
    rebuild,
    refusal,
)
from handfast.edge.cli.speaking.changes import changing
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.options import DataDir, Json, Limit
from handfast.edge.cli.speaking.output import OUT, print_json
from handfast.engine.system import System

app = App(name="corpus", help="The corpus: load it, rebuild it, check and switch versions.")
app.command(load)
app.command(rebuild)
app.command(generate)

Version = Annotated[int, Parameter(help="The number of the version.", validator=A_VERSION)]


@app.command
def versions(*, limit: Limit = 20, data_dir: DataDir = None, json: Json = False) -> None:
    """List the versions, newest first."""

    async def work(system: System) -> list[CorpusVersion]:
        async with system.database.connection() as connection:
            return await list_versions(connection, limit)

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json({"versions": [_shown(version) for version in found]})
        return
    table = Listing(
        *("version", "state", *_COUNTS, "made (UTC)", "from"), prose=("from",), right=_COUNTS
    )
    for version in found:
        table.add_row(
            str(version.version),
            Text(version.state, style=_STYLES.get(version.state, "dim")),
            *(_count(getattr(version, what)) for what in _COUNTS),
            _short(version.made_at),
            version.source,
        )
    OUT.print(table if found else "There is no corpus yet. Try: handfast corpus generate")


@app.command
def check(
    version: Annotated[
        int | None, Parameter(help="By default the newest.", validator=A_VERSION)
    ] = None,
    /,
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> int:
    """Let the guardian look at a version, beside the current one. Changes nothing.

    Exits with 9 if it would refuse the version.
    """

    async def work(system: System) -> GuardianVerdict:
        async with system.database.connection() as connection:
            wanted = version if version is not None else await _newest(system)
            await get_version(connection, wanted)
        return await look(system.database, wanted)

    verdict = on_system(work, data_dir=data_dir)
    if json:
        print_json(verdict)
    else:
        _print_verdict(verdict)
    return 0 if verdict.passed else refusal(verdict).exit_code


@app.command
def switch(
    version: Version, /, *, force: Force = False, data_dir: DataDir = None, json: Json = False
) -> None:
    """Let all readers go over to a version, at once. The guardian looks at it first."""

    async def work(system: System) -> Switched:
        async with system.database.connection() as connection:
            found = await get_version(connection, version)
            current = await current_version(connection)
        if found.state in ("built", "refused"):
            verdict = await look(system.database, version)
            async with changing(system, SWITCH) as change:
                published = await conclude(change.tx, verdict, force=force)
                change.about(*([f"corpus:{version}"] if published.switched else []))
            print_published(published, json=True)  # raises if it was refused
            return published.switched or Switched(version, current)
        # Readers have had it before, so there is nothing to find out.
        async with changing(system, SWITCH, f"corpus:{version}") as change:
            return await switch_to(change.tx, version, force=force)

    done = on_system(work, data_dir=data_dir)
    _print_switched(done, json=json)


@app.command
def rollback(
    *,
    reason: Annotated[str, Parameter(help="Why; kept with the version that is left.")] = (
        "rolled back by an operator"
    ),
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Let all readers go back to the version before, at once.

    The version that they leave counts as refused: rolling back again goes further back.
    """

    async def work(system: System) -> Switched:
        async with changing(system, "corpus.rollback", reason=reason) as change:
            done = await roll_back(change.tx, reason)
            change.about(f"corpus:{done.version}")
            return done

    _print_switched(on_system(work, data_dir=data_dir), json=json)


@app.command(name="retire")
def retire_(*, data_dir: DataDir = None, json: Json = False) -> None:
    """Drop versions that nobody needs any more. Workers do it every hour."""

    async def work(system: System) -> list[int]:
        async with changing(system, "corpus.retire", "corpus"):
            pass
        return await retire(system.direct)

    gone = on_system(work, data_dir=data_dir)
    if json:
        print_json({"retired": gone})
    else:
        OUT.print(f"Retired: {', '.join(map(str, gone))}." if gone else "Nothing to retire.")


_COUNTS = ("startups", "investors", "matches")
_STYLES = {"current": "bold green", "previous": "green", "refused": "red", "building": "yellow"}


async def _newest(system: System) -> int:
    async with system.database.connection() as connection:
        for version in await list_versions(connection, 100):
            if version.state not in ("building", "retired"):
                return version.version
    raise CorpusVersionUnusable(
        "There is no corpus yet.",
        hint="Load one: handfast corpus load, or handfast corpus generate",
    )


def _shown(version: CorpusVersion) -> dict[str, Any]:
    """Verdict and weights are stored as JSON, and shown as what they say."""
    shown: dict[str, Any] = msgspec.to_builtins(version)
    for name in ("verdict", "weights"):
        shown[name] = None if shown[name] is None else msgspec.json.decode(shown[name])
    return shown


def _print_verdict(verdict: GuardianVerdict) -> None:
    table = Listing("check", "", "what was found", prose=("what was found",))
    said = {
        True: Text("passed", style="green"),
        False: Text("refused", style="bold red"),
        None: Text("not judged", style="dim"),
    }
    for one in verdict.checks:
        table.add_row(one.name, said[one.passed], one.says)
    OUT.print(table)
    against = "nothing" if verdict.against is None else f"version {verdict.against}"
    OUT.print(f"\n{verdict.summary} Compared with {against}.", markup=False)


def _print_switched(done: Switched, *, json: bool) -> None:
    if json:
        print_json(done)
        return
    before = "there was none before" if done.was is None else f"before it was version {done.was}"
    OUT.print(f"Readers have version {done.version} now; {before}.")


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _short(instant: datetime) -> str:
    return f"{instant.astimezone(UTC):%Y-%m-%d %H:%M}"
