"""``handfast server``: the embedded PostgreSQL itself."""

from cyclopts import App

from handfast.base.settings import load_settings
from handfast.db import embedded
from handfast.edge.cli.options import DataDir, Json
from handfast.edge.cli.output import OUT, print_json

app = App(name="server", help="Look at the embedded PostgreSQL, or stop one that was kept.")


@app.command
def status(*, data_dir: DataDir = None, json: Json = False) -> int:
    """Say whether the embedded server of this data folder runs; exit with 1 if it does not."""
    folder = load_settings(data_dir=data_dir).data_dir
    found = embedded.status(folder)
    if json:
        print_json({"running": found is not None, "dataDir": str(folder), "server": found})
    elif found is None:
        OUT.print(f"No embedded server runs on {folder}.", markup=False)
    else:
        OUT.print(f"The embedded server of {folder} runs.", markup=False)
        OUT.print(f"  socket    {found.socket_dir}", markup=False)
        OUT.print(f"  process   {found.postmaster_pid}, looked after by {found.guardian_pid}")
        OUT.print(f"  kept      {'until it is stopped' if found.kept else 'while it is used'}")
    return 0 if found else 1


@app.command
def stop(*, data_dir: DataDir = None) -> None:
    """Stop the embedded server of this data folder, whoever started it."""
    folder = load_settings(data_dir=data_dir).data_dir
    stopped = embedded.stop(folder)
    OUT.print("Stopped." if stopped else f"No embedded server ran on {folder}.", markup=False)
