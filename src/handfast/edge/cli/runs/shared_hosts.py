"""``handfast runs hosts``: hosts that carry many companies."""

from typing import Annotated

from cyclopts import App, Parameter
from rich.table import Table

from handfast.apps.runs.shared_hosts import SharedHost, add_host, list_hosts, remove_host
from handfast.edge.cli.jobs.jobs import on_system
from handfast.edge.cli.speaking.changes import changing
from handfast.edge.cli.speaking.options import DataDir, Json
from handfast.edge.cli.speaking.output import OUT, print_json
from handfast.engine.system import System

app = App(name="hosts", help="Hosts that carry many companies: list them, add your own.")

Place = Annotated[str, Parameter(help="A host, or one folder of it: startups.example, gust.com/c.")]


@app.command(name="list")
def list_(*, data_dir: DataDir = None, json: Json = False) -> None:
    """List all hosts on which a path or a name below tells companies apart."""

    async def work(system: System) -> list[SharedHost]:
        async with system.database.connection() as connection:
            return await list_hosts(connection)

    found = on_system(work, data_dir=data_dir)
    if json:
        print_json({"hosts": found})
        return
    table = Table("host", "where the name is", "from", box=None)
    for host in found:
        table.add_row(host.host, host.names, host.source)
    OUT.print(table)


@app.command
def add(
    host: Place,
    /,
    *,
    segments: Annotated[
        int,
        Parameter(
            help="How many segments of the path name a company; 0: names are below the host."
        ),
    ] = 0,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Add a host, or change one. From the next run on, others' pages there are not its owner's."""

    async def work(system: System) -> SharedHost:
        async with changing(system, "shared_host.add") as change:
            added = await add_host(change.tx, host, segments)
            change.about(f"host:{added.host}")
            return added

    added = on_system(work, data_dir=data_dir)
    if json:
        print_json(added)
    else:
        OUT.print(f"Companies are told apart by {added.names} from now on.", markup=False)


@app.command
def remove(host: Place, /, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Remove a host that was added. One that Handfast ships counts as shipped again."""

    async def work(system: System) -> str:
        async with changing(system, "shared_host.remove") as change:
            removed = await remove_host(change.tx, host)
            change.about(f"host:{removed}")
            return removed

    removed = on_system(work, data_dir=data_dir)
    if json:
        print_json({"removed": removed})
    else:
        OUT.print(f"{removed} is removed.", markup=False)
