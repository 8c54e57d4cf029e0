"""The commands, assembled; and what happens around every one of them."""

import sys

from cyclopts import App

from handfast import __version__
from handfast.base.errors import HandfastError
from handfast.edge.cli.output import as_started, print_error, program

PROGRAM = "handfast"
USAGE_EXIT_CODE = 2
INTERRUPTED_EXIT_CODE = 130

COMMANDS = {
    "up": ("up:up", "Start everything in one process."),
    "api": ("api:api", "Serve the API alone, without any worker."),
    "demo": ("up:demo", "Start everything with sample data to look at."),
    "scheduler": ("scheduler:scheduler", "Fire the ticks of a program's schedules."),
    "schedules": ("schedules:app", "Look at schedules, pause and resume them."),
    "worker": ("worker:worker", "Work on the jobs of a program."),
    "jobs": ("jobs:app", "Look at jobs, run one now, cancel one."),
    "dead": ("dead:app", "Dead letters: list, show, requeue, discard."),
    "gaps": ("gaps:app", "What a program expects and does not find: list it, repair it."),
    "webhooks": ("webhooks:app", "Webhooks: endpoints, what was sent, and sending again."),
    "runs": ("runs:app", "Match runs: start one and see its matches, look at one, list them."),
    "corpus": ("corpus:app", "The corpus: load it, rebuild it, check and switch versions."),
    "fixtures": (
        "fixtures:app",
        "Fixtures: ingest them, list and show them, plan what they lack.",
    ),
    "migrate": ("migrate:migrate", "Bring the database to the schema of this version."),
    "doctor": ("doctor:doctor", "Check machine, database and settings; explain what is wrong."),
    "config": ("config:config", "Show every setting, where it comes from, and what it means."),
    "psql": ("psql:psql", "Open psql on Handfast's database, whichever it is."),
    "completion": ("completion:completion", "Print what lets a shell complete commands."),
    "server": ("server:app", "Look at the embedded PostgreSQL, or stop one that was kept."),
}


def assemble(*, listing: bool) -> App:
    """The command line. Commands are given by name and imported when they are called, so that
    `handfast migrate` does not pay for the web framework; a listing takes the summaries above, a
    command's own help its whole docstring."""
    app = App(
        name=program(),
        help="Durable matchmaking on PostgreSQL: decide who is matched, exactly once, and survive "
        "everything.\n\nWithout DATABASE_URL an embedded PostgreSQL is started, and shared by all "
        "commands that use the same data folder. All settings: "
        + as_started("handfast config --help"),
        version=__version__,
    )
    for name, (where, summary) in COMMANDS.items():
        told = {"help": summary} if listing else {}
        app.command(f"handfast.edge.cli.{where}", name=name, **told)
    return app


def main(arguments: list[str] | None = None) -> None:
    """Run one command and leave with its exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    app = assemble(listing=all(word.startswith("-") for word in words))
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
