"""The commands, assembled; and what happens around every one of them."""

import sys

from cyclopts import App

from handfast import __version__
from handfast.base.errors import HandfastError
from handfast.edge.cli import config, doctor, migrate, psql, server, up
from handfast.edge.cli.output import print_error

USAGE_EXIT_CODE = 2
INTERRUPTED_EXIT_CODE = 130

app = App(
    name="handfast",
    help="Durable matchmaking on PostgreSQL: decide who is matched, exactly once, and survive "
    "everything.",
    help_epilogue="Without DATABASE_URL an embedded PostgreSQL is started and shared by all "
    "commands that use the same data folder. Settings: handfast config --help",
    version=__version__,
)
app.command(up.up)
app.command(up.demo)
app.command(migrate.migrate)
app.command(config.config)
app.command(doctor.doctor)
app.command(psql.psql)
app.command(server.app)


def main(arguments: list[str] | None = None) -> None:
    """Run one command and leave with its exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        code = app(words, result_action="return_value")
    except HandfastError as error:
        print_error(error, as_json="--json" in words)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED_EXIT_CODE)
    except SystemExit as leaving:
        # cyclopts leaves with 1 after a wrong command line; scripts know that as 2.
        sys.exit(USAGE_EXIT_CODE if leaving.code == 1 else leaving.code)
    sys.exit(code or 0)
