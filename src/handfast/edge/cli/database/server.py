"""``handfast server``: the embedded PostgreSQL itself."""

import msgspec
from cyclopts import App

from handfast.db import embedded
from handfast.edge.cli.speaking.options import DataDir, Json
from handfast.edge.cli.speaking.output import OUT, print_json
from handfast.wiring import load_settings


class ServerView(msgspec.Struct, rename="camel"):
    """What ``server status --json`` says of a running server."""

    guardian_pid: int
    postmaster_pid: int | None
    ready: bool
    socket_dir: str | None
    kept: bool
    privileges: str | None
    started: float | None


_PRIVILEGES = {
    "unchanged": "those of the user who started it",
    "namespace": "an ordinary user, inside a user namespace",
    "capabilities": "an ordinary user with one capability",
    "user": "an ordinary user",
}

app = App(name="server", help="Look at the embedded PostgreSQL, or stop one that was kept.")


@app.command
def status(*, data_dir: DataDir = None, json: Json = False) -> int:
    """Say whether the embedded server of this data folder runs; exit with 1 if it does not."""
    folder = load_settings(data_dir=data_dir).data_dir
    found = embedded.status(folder)
    if json:
        server = msgspec.convert(found, ServerView, from_attributes=True) if found else None
        print_json({"running": found is not None, "dataDir": str(folder), "server": server})
    elif found is None:
        OUT.print(f"No embedded server runs on {folder}.", markup=False)
    else:
        OUT.print(f"The embedded server of {folder} runs.", markup=False)
        OUT.print(f"  socket      {found.socket_dir or 'none yet'}", markup=False)
        OUT.print(f"  process     {found.postmaster_pid}, looked after by {found.guardian_pid}")
        OUT.print(f"  kept        {'until it is stopped' if found.kept else 'while it is used'}")
        how = found.privileges or "unknown"
        OUT.print(f"  privileges  {how}: {_PRIVILEGES.get(how, 'not known yet')}")
    return 0 if found else 1


@app.command
def stop(*, data_dir: DataDir = None) -> None:
    """Stop the embedded server of this data folder, whoever started it."""
    folder = load_settings(data_dir=data_dir).data_dir
    stopped = embedded.stop(folder)
    OUT.print("Stopped." if stopped else f"No embedded server ran on {folder}.", markup=False)
