"""``handfast backup`` and ``handfast restore``: the embedded database, in a file."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from handfast.base.errors import SettingsError
from handfast.base.settings import Settings
from handfast.db.embedded import EmbeddedServer
from handfast.db.embedded.backup import load, save
from handfast.edge.cli.speaking.options import DataDir
from handfast.edge.cli.speaking.output import OUT
from handfast.engine.capability import each
from handfast.wiring import ADMIN_TOKEN_FILE, CAPABILITIES, IDEMPOTENCY_SECRET_FILE, load_settings

To = Annotated[Path, Parameter(help="The file to write; it must not be there yet.")]
From = Annotated[Path, Parameter(help="A file that `handfast backup` or pg_dump -Fc wrote.")]


def backup(file: To, /, *, data_dir: DataDir = None) -> None:
    """Save the embedded database to a file.

    What was committed at one instant; everything goes on meanwhile. The file is a dump of
    PostgreSQL's own custom format, readable by its owner alone, and has everything in it that the
    database has: payloads, webhook secrets, people.
    """
    settings = load_settings(data_dir=data_dir)
    server = _server(settings, 'pg_dump --format=custom --file=FILE "$DATABASE_URL"')
    size = save(server, file)
    OUT.print(f"Saved {settings.data_dir} to {file}: {size / (1 << 20):.1f} MiB.", markup=False)
    # Without the secrets nobody opens what they have encrypted.
    kept = (ADMIN_TOKEN_FILE, IDEMPOTENCY_SECRET_FILE, *each(CAPABILITIES, "kept_file").values())
    if beside := [name for name in kept if (settings.data_dir / name).exists()]:
        OUT.print(
            f"Not in it, because they lie beside it: {', '.join(beside)}. Copy them along.",
            markup=False,
        )


def restore(file: From, /, *, data_dir: DataDir = None) -> None:
    """Load a saved database into a new data folder.

    Stop whatever works on the old one first: what was saved does not know what happened since,
    and two that both go on from there do the same jobs twice.
    """
    settings = load_settings(data_dir=data_dir)
    server = _server(settings, 'pg_restore --single-transaction --dbname="$DATABASE_URL" FILE')
    load(server, file)
    OUT.print(f"Loaded {file} into {settings.data_dir}.", markup=False)


def _server(settings: Settings, instead: str) -> EmbeddedServer:
    if not settings.embedded:
        raise SettingsError(
            "DATABASE_URL is set: that server is yours, and so are its backups.",
            hint=f"As you do it for everything else in it, or: {instead}",
        )
    return EmbeddedServer(
        settings.data_dir, bin_dir=settings.postgres_bin, socket_dir=settings.socket_dir
    )
