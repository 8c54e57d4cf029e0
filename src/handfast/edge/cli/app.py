"""The commands, assembled; and what happens around every one of them."""

import os
import sys

from cyclopts import App

from handfast import __version__, wiring
from handfast.base.errors import HandfastError
from handfast.edge.cli.speaking.output import as_started, print_error, program
from handfast.engine.capability import Command

PROGRAM = "handfast"
USAGE_EXIT_CODE = 2
INTERRUPTED_EXIT_CODE = 130

COMMANDS = {  # those of capabilities come with them
    "up": ("processes.up:up", "Start everything in one process."),
    "api": ("processes.api:api", "Serve the API alone, without any worker."),
    "demo": ("processes.up:demo", "Start everything with sample data to look at."),
    "scheduler": ("processes.scheduler:scheduler", "Fire the ticks of a program's schedules."),
    "schedules": ("jobs.schedules:app", "Look at schedules, pause and resume them."),
    "worker": ("processes.worker:worker", "Work on the jobs of a program."),
    "jobs": ("jobs.jobs:app", "Look at jobs, run one now, cancel one."),
    "dead": ("jobs.dead:app", "Dead letters: list, show, requeue, discard."),
    "figures": (
        "jobs.figures:app",
        "Throughput, failures and durations over time; ticks by the day.",
    ),
    "bulk": ("jobs.bulk:app", "Do one thing to all jobs that match: count, ask, watch, undo."),
    "pauses": ("jobs.pauses:app", "Pause lanes, kinds and schedules, and let them go on."),
    "gaps": ("jobs.gaps:app", "What a program expects and does not find: list it, repair it."),
    "audit": ("jobs.audit:app", "What operators have changed, and who of them."),
    "migrate": ("database.migrate:migrate", "Bring the database to the schema of this version."),
    "doctor": (
        "database.doctor:doctor",
        "Check machine, database and settings; explain what is wrong.",
    ),
    "config": (
        "database.config:config",
        "Show every setting, where it comes from, and what it means.",
    ),
    "bench": ("processes.bench:bench", "Measure what jobs cost on this machine and database."),
    "backup": ("database.backup:backup", "Save the embedded database to a file."),
    "restore": ("database.backup:restore", "Load a saved database into a new data folder."),
    "psql": ("database.psql:psql", "Open psql on Handfast's database, whichever it is."),
    "completion": ("completion:completion", "Print what lets a shell complete commands."),
    "server": (
        "database.server:app",
        "Look at the embedded PostgreSQL, or stop one that was kept.",
    ),
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
    commands = [(name, f"handfast.edge.cli.{at}", about) for name, (at, about) in COMMANDS.items()]
    commands += [(one.name, one.where, one.about) for one in of_capabilities()]
    for name, where, summary in commands:
        described = {"help": summary} if listing else {}
        app.command(where, name=name, **described)
    return app


def of_capabilities() -> list[Command]:
    """The commands of what is switched on. A name that nobody knows is told by the command."""
    try:
        on = wiring.chosen(os.environ.get("HANDFAST_CAPABILITIES") or None).on
    except HandfastError:
        on = wiring.CAPABILITIES
    return [command for one in on for command in one.commands]


def main(arguments: list[str] | None = None) -> None:
    """Run one command and leave with its exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    app = assemble(listing=all(word.startswith("-") for word in words))
    try:
        code = app(words, result_action="return_value")
    except (HandfastError, ImportError) as raised:
        # cyclopts wraps what a command's module raises when it is imported and lacks its extra.
        error = raised if isinstance(raised, HandfastError) else raised.__cause__
        if not isinstance(error, HandfastError):
            raise
        print_error(error, as_json="--json" in words)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED_EXIT_CODE)
    except SystemExit as leaving:
        # cyclopts leaves with 1 after a wrong command line; scripts know that as 2.
        sys.exit(USAGE_EXIT_CODE if leaving.code == 1 else leaving.code)
    sys.exit(code or 0)
