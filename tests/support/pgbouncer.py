"""A real PgBouncer in transaction mode in front of the tests' server."""

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handfast.db.embedded import EmbeddedServer
from tests.support.eventually import eventually
from tests.support.ports import free_port
from tests.support.programs import path_of

# It refuses to run as root; in a namespace of its own root is nobody, and still gets to the
# server's socket, whose folder is its owner's alone.
NOT_ROOT = (
    ("unshare", "--user", "--map-user=65534", "--map-group=65534") if os.geteuid() == 0 else ()
)


@contextmanager
def pgbouncer(server: EmbeddedServer, folder: Path, *, pool_size: int = 4) -> Iterator[int]:
    """Runs it, and gives the port on which it listens."""
    port, users = free_port(), folder / "users.txt"
    users.write_text(f'"{server.address.user}" ""\n')
    settings = folder / "pgbouncer.ini"
    address = server.address
    settings.write_text(
        f"[databases]\n* = host={address.host} port={address.port} user={address.user}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        f"auth_type = any\nauth_file = {users}\npool_mode = transaction\n"
        f"default_pool_size = {pool_size}\nmax_client_conn = 500\n"
        f"ignore_startup_parameters = extra_float_digits\n"
        # From 1.21 it can carry prepared statements along; the tests are about those that do not.
        + ("max_prepared_statements = 0\n" if _version() >= (1, 21) else "")
    )
    process = subprocess.Popen([*NOT_ROOT, path_of("pgbouncer"), "-q", str(settings)])
    try:
        eventually(lambda: _answers(port))
        yield port
    finally:
        process.terminate()
        process.wait(10)


def _version() -> tuple[int, ...]:
    said = subprocess.run(
        [path_of("pgbouncer"), "--version"], capture_output=True, text=True, check=True
    ).stdout
    return tuple(int(part) for part in said.split()[1].split("."))


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
