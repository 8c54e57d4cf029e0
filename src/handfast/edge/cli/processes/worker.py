"""``handfast worker``: works on the jobs of a program."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from cyclopts import Parameter

from handfast.base.settings import Settings
from handfast.edge.cli.processes.program import load_program
from handfast.edge.cli.speaking.options import AppName, DataDir
from handfast.edge.cli.speaking.output import ERR, OUT
from handfast.edge.http.app import create_probes, surrounded
from handfast.edge.http.serve import bind, serve, url_of
from handfast.edge.stopping import run_command, until_told
from handfast.engine.capability import Capabilities
from handfast.engine.crew import Crew, WorkerOptions
from handfast.engine.errors import CapabilityOff
from handfast.engine.host import Host
from handfast.engine.jobs.kinds import Kinds
from handfast.engine.operating.alerts import alerting, rules_of
from handfast.engine.operating.bulk.records import LANE
from handfast.engine.operating.bulk.work import operating_crew
from handfast.engine.system import System
from handfast.facade import Handfast
from handfast.wiring import (
    CAPABILITIES,
    chosen,
    hosting,
    load_settings,
    open_crews,
    open_system,
    prepare_process,
)

START_SECONDS_MAX = 5.0  # to register: a few milliseconds, unless the database is away
LOOK_SECONDS = 0.02

Lanes = Annotated[
    list[str] | None,
    Parameter(
        consume_multiple=True,
        negative=(),
        help="The lanes to work on; by default those of the program's kinds, and ours.",
    ),
]
Concurrency = Annotated[int, Parameter(help="How many jobs run at once.")]
ProbePort = Annotated[
    int | None,
    Parameter(help="Serve /health, /ready and /metrics on this port; 0 takes a free one."),
]
ProbeHost = Annotated[str, Parameter(help="The address for --port.")]


def worker(
    *,
    app: AppName = None,
    lanes: Lanes = None,
    concurrency: Concurrency = 50,
    port: ProbePort = None,
    host: ProbeHost = "127.0.0.1",
    data_dir: DataDir = None,
) -> None:
    """Work on a program's jobs, match runs and fixtures, and deliver webhooks, until SIGTERM.

    The program's schedules are fired too, as `scheduler` does: each tick once, however many run.
    Without a program it works on everything of ours that is switched on.
    Then it stops claiming, lets what runs finish within a grace period, and hands the rest back.
    """
    settings = load_settings(data_dir=data_dir, app=app)
    wanted = tuple(lanes or ())
    # These have crews of their own, which need no program of the user's.
    ours = {LANE, *(lane for one in CAPABILITIES for lane in one.lanes)}
    something = wanted or any(one.lanes for one in chosen(settings.capabilities).on)
    needs_none = settings.app is None and something and ours.issuperset(wanted)
    program = None if needs_none else load_program(settings.app)
    if program is None and not wanted:
        print_warning("No program is named (--app), so this works on Handfast's own lanes alone.")
    prepare_process(settings)
    lanes_of = program.lanes if program is not None else ()
    own = tuple(lane for lane in wanted or lanes_of if lane not in ours)
    options = WorkerOptions(lanes=own, concurrency=max(1, concurrency))
    run_command(_work(settings, program, options, host, port, wanted=wanted))


async def _work(
    settings: Settings,
    program: Handfast | None,
    options: WorkerOptions,
    host: str,
    port: int | None,
    *,
    wanted: tuple[str, ...],
) -> None:
    bound = None if port is None else bind(host, port)
    async with contextlib.AsyncExitStack() as stack:
        stack.enter_context(bound or contextlib.nullcontext())
        on = chosen(settings.capabilities, program.capabilities if program else None)
        _require_lanes(on, wanted)
        system = await stack.enter_async_context(open_system(settings, capabilities=on))
        own = await program_crews(system, program, options)
        opened = open_crews(system, declared_by(program), wanted or None, print_warning)
        operating = operating_crews(system, program, wanted)
        crews = [*own, *operating, *await stack.enter_async_context(opened)]
        one = await stack.enter_async_context(hosting(system, crews))
        lanes = [lane for lane in one.lanes if lane != LANE or wanted]  # every worker has it
        said = f"Handfast works on {', '.join(lanes)}"
        if program is not None and options.lanes and (count := len(program.schedules)):
            said += f" and fires {count} schedule{'' if count == 1 else 's'}"
        if bound is None:
            await until_told(one, lambda: OUT.print(said, markup=False))
        else:
            url = url_of(bound)
            await at_work(one)
            app = surrounded(create_probes(system, one))
            await serve(app, bound, lambda: OUT.print(f"{said}; {url}", markup=False), host=one)
    ERR.print("Handfast has stopped.")


def _require_lanes(on: Capabilities, wanted: Sequence[str]) -> None:
    """A lane of a capability that is off would never be worked on: better said than waited for."""
    for one in CAPABILITIES:
        if one.name not in on and (lanes := set(wanted) & set(one.lanes)):
            raise CapabilityOff(
                f"The lane {min(lanes)} belongs to {one.name!r}, which is not switched on here.",
                hint=f"Switch it on: HANDFAST_CAPABILITIES={one.name}, or in your program: "
                f"Handfast(capabilities=[{one.name!r}]).",
            )


async def program_crews(
    system: System, program: Handfast | None, options: WorkerOptions | None = None
) -> list[Crew]:
    """What the program itself brings, if there is one and it has lanes to work on. Without one,
    somebody judges the alerts all the same."""
    if program is None:
        alerts = alerting(system.database, rules_of(system.capabilities))
        return [Crew(Kinds(), WorkerOptions(lanes=()), chores=[alerts])]
    program.use(system)
    return [await program.crew(options)] if options is None or options.lanes else []


def operating_crews(
    system: System, program: Handfast | None, lanes: Sequence[str] = ()
) -> list[Crew]:
    """Who carries out what operators ask for of all that match; also where lanes are chosen, only
    if theirs is among them."""
    if lanes and LANE not in lanes:
        return []
    known = program or Handfast()
    return [operating_crew(system.database, known.expected_in(system), known.kinds)]


def declared_by(program: Handfast | None) -> Mapping[str, Sequence[Any]]:
    """What the program has declared for each capability."""
    return {} if program is None else program.declared


def print_warning(text: str) -> None:
    ERR.print(text, markup=False)


async def at_work(host: Host, seconds: float = START_SECONDS_MAX) -> None:
    """Wait until it has begun, so that /ready agrees with what is said; not for ever, since it also
    says what is missing."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while not host.working:  # noqa: ASYNC110  # for a moment
                await asyncio.sleep(LOOK_SECONDS)
