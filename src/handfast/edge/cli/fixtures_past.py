"""``handfast fixtures backfill`` and ``score``: what is behind us."""

from datetime import UTC, datetime

from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from handfast.apps.fixtures.backfill import Backfilled
from handfast.apps.fixtures.backfill import backfill as make_missing
from handfast.apps.fixtures.scores import Part, Scores
from handfast.apps.fixtures.scores import score as scores_of
from handfast.edge.cli.jobs import on_system
from handfast.edge.cli.listing import Listing
from handfast.edge.cli.options import Competition, DataDir, From, Json, To
from handfast.edge.cli.output import ERR, OUT, print_json
from handfast.engine.dead_letters import as_instant
from handfast.wiring import System

FIRST = datetime(1850, 1, 1, tzinfo=UTC)  # before any match


def backfill(
    *,
    since: From = None,
    until: To = None,
    competition: Competition = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Make what is missing for fixtures that are over, from what was known before each kickoff.

    Marked as retroactive. May be stopped and begun again: what is there stays.
    """

    async def work(system: System) -> Backfilled:
        with Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            TimeElapsedColumn(),
            console=ERR,
            transient=True,
            disable=json,
        ) as bar:
            task = bar.add_task("looking")

            def show(done: Backfilled) -> None:
                bar.update(task, description=f"{done.fixtures} fixtures, {done.reached:%Y-%m-%d}")

            return await make_missing(
                system.database,
                as_instant(since) or FIRST,
                as_instant(until) or datetime.now(UTC),
                competition=competition,
                progress=show,
            )

    done = on_system(work, data_dir=data_dir)
    if json:
        print_json(done)
        return
    made = ", ".join(f"{count} {step}" for step, count in sorted(done.made.items()))
    OUT.print(f"{done.fixtures} fixtures lacked something. Made: {made or 'nothing'}.")


def score(
    *,
    since: From = None,
    until: To = None,
    competition: Competition = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Say how good the predictions of finished fixtures were."""

    async def work(system: System) -> Scores:
        async with system.database.connection() as connection:
            return await scores_of(
                connection, competition=competition, begin=as_instant(since), end=as_instant(until)
            )

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json(found)
    elif found.overall is None:
        OUT.print("No finished fixture has a prediction. Make some: handfast fixtures backfill")
    else:
        _tell(found, found.overall)


def _tell(found: Scores, overall: Part) -> None:
    table = Listing("", "matches", "RPS", "by freq.", "log-loss", "by freq.", "right", "skill")
    parts = {"all": overall, **found.by_making, **found.by_competition}
    for name, part in parts.items():
        table.add_row(
            name,
            str(part.figures.predictions),
            f"{part.figures.rps:.4f}",
            f"{part.reference_rps:.4f}",
            f"{part.figures.log_loss:.4f}",
            f"{part.reference_log_loss:.4f}",
            f"{part.figures.right:.0%}",
            f"{part.skill:+.1%}",
        )
    OUT.print(table)
    OUT.print(
        "\nLess RPS and log-loss is better. By frequencies: what somebody would have scored who "
        "knew how often these very matches were won, drawn and lost.",
        style="dim",
    )
    said = Listing("called likely", "was said", "happened", "times")
    for one in overall.figures.calibration:
        if one.count:
            said.add_row(
                f"{one.low:.0%} to {one.high:.0%}",
                f"{one.said:.1%}",
                f"{one.happened:.1%}",
                str(one.count),
            )
    OUT.print(said)
