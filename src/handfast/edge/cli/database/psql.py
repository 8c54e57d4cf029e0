"""``handfast psql``."""

import os
import shutil
import subprocess
from typing import Annotated
from urllib.parse import unquote, urlsplit

from cyclopts import Parameter

from handfast.db.embedded import EmbeddedServer, find_binaries
from handfast.db.embedded.errors import BinariesMissing
from handfast.edge.cli.speaking.options import DataDir
from handfast.wiring import load_settings

Arguments = Annotated[
    str, Parameter(allow_leading_hyphen=True, help="Passed to psql, for example -c 'SELECT 1'.")
]


def psql(*arguments: Arguments, data_dir: DataDir = None) -> int:
    """Open psql on Handfast's database, whichever it is.

    Starts the embedded PostgreSQL if needed, and it stays as long as psql runs.
    """
    settings = load_settings(data_dir=data_dir)
    if settings.database_url is not None:
        # The machine's own first: it can speak TLS, which the wheel's was built without.
        own = shutil.which("psql")
        bundled = find_binaries(settings.postgres_bin).bin / "psql"
        program = own if own is not None and _runs(own) else str(bundled)
        return _run(program, settings.database_url.get_secret_value(), arguments)
    binaries = find_binaries(settings.postgres_bin)
    with EmbeddedServer(
        settings.data_dir,
        bin_dir=settings.postgres_bin,
        socket_dir=settings.socket_dir,
        keep=settings.keep_server,
    ) as server:
        return _run(str(binaries.bin / "psql"), server.dsn(), arguments)


def _runs(program: str) -> bool:
    """Debian's psql is a wrapper that may have nothing to wrap."""
    done = subprocess.run([program, "--version"], capture_output=True, check=False)
    return done.returncode == 0


def _run(program: str, dsn: str, arguments: tuple[str, ...]) -> int:
    # The password by environment: an argument would show in the list of processes.
    parts = urlsplit(dsn)
    environment = dict(os.environ)
    if parts.password is not None:
        environment["PGPASSWORD"] = unquote(parts.password)
        dsn = parts._replace(netloc=f"{parts.username}@{parts.netloc.rpartition('@')[2]}").geturl()
    try:
        return subprocess.call([program, "--dbname", dsn, *arguments], env=environment)
    except FileNotFoundError as missing:
        raise BinariesMissing(
            f"There is no psql at {program}.",
            hint="Install the PostgreSQL client (Debian: apt-get install postgresql-client).",
        ) from missing
