"""``handfast pauses``: hold lanes, kinds and schedules, and let them go on."""

from typing import Annotated

from cyclopts import App, Parameter

from handfast.edge.cli.jobs.jobs import on_system, when
from handfast.edge.cli.speaking.changes import changing, cli_actor
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.options import DataDir, Json
from handfast.edge.cli.speaking.output import OUT, print_json
from handfast.engine.operating.pauses import Pausable, Pause, list_pauses, pause, resume
from handfast.engine.system import System

app = App(name="pauses", help="Pause lanes, kinds and schedules, and let them go on.")

What = Annotated[Pausable, Parameter(help="What to hold: lane, kind or schedule.")]
Name = Annotated[str, Parameter(help="Its name.")]


@app.command(name="list")
def list_(*, data_dir: DataDir = None, json: Json = False) -> None:
    """List what is paused: who did it, when and why."""

    async def work(system: System) -> list[Pause]:
        async with system.database.connection() as connection:
            return await list_pauses(connection)

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json({"pauses": found})
        return
    table = Listing("what", "name", "since", "by", "reason", prose=("reason",))
    for one in found:
        table.add_row(
            one.what, one.name, when(one.paused_at), one.paused_by or "", one.reason or ""
        )
    OUT.print(table if found else "Nothing is paused.")


@app.command
def begin(
    what: What,
    name: Name,
    /,
    *,
    reason: Annotated[str, Parameter(help="Why; whoever looks is told.")],
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Begin nothing of a lane, kind or schedule until it is resumed; what runs goes on."""

    async def work(system: System) -> bool:
        async with changing(system, "pause.begin", reason=reason) as change:
            done = await pause(change.tx, what, name, by=cli_actor().name, reason=reason)
            change.about(*([f"{what}:{name}"] if done else []))
            return done

    done = on_system(work, data_dir=data_dir)
    if json:
        print_json({"changed": done})
    else:
        so = "is paused" if done else "was paused before, and stays so"
        OUT.print(
            f"{what} {name} {so}. Let it go on: handfast pauses end {what} {name}", markup=False
        )


@app.command
def end(
    what: What,
    name: Name,
    /,
    *,
    catch_up: Annotated[
        bool,
        Parameter(negative=(), help="A schedule also makes up for the ticks of the pause."),
    ] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Let a lane, kind or schedule go on."""

    async def work(system: System) -> bool:
        async with changing(system, "pause.end") as change:
            done = await resume(change.tx, what, name, catch_up=catch_up)
            change.about(*([f"{what}:{name}"] if done else []))
            return done

    done = on_system(work, data_dir=data_dir)
    if json:
        print_json({"changed": done})
    else:
        OUT.print(f"{what} {name} {'goes on' if done else 'was not paused'}.", markup=False)
