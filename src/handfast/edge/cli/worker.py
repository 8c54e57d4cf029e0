"""``handfast worker``: works on the jobs of a program."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Annotated

from cyclopts import Parameter

from handfast.apps.fixtures.pipelines import LANE as FIXTURES
from handfast.apps.runs.corpus.jobs import LANE as CORPUS
from handfast.apps.runs.worker import LANE as RUNS
from handfast.base.errors import SettingsError
from handfast.base.settings import Settings, load_settings
from handfast.edge.cli.options import AppName, DataDir
from handfast.edge.cli.output import ERR, OUT
from handfast.edge.cli.program import load_program
from handfast.edge.http.app import create_probes, surrounded
from handfast.edge.http.serve import bind, serve, url_of
from handfast.edge.stopping import run_command, until_told
from handfast.engine.worker import Worker, WorkerOptions
from handfast.facade import Handfast
from handfast.services.webhooks.deliverer import LANE as WEBHOOKS
from handfast.wiring import (
    System,
    beside,
    delivering,
    keeping_corpus,
    keeping_fixtures,
    open_system,
    prepare_process,
    working_runs,
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
    Then it stops claiming, lets what runs finish within a grace period, and hands the rest back.
    """
    settings = load_settings(data_dir=data_dir, app=app)
    wanted = tuple(lanes or ())
    # These have workers of their own, which need no program of the user's.
    ours = {WEBHOOKS, RUNS, CORPUS, FIXTURES}
    program = Handfast() if wanted and ours.issuperset(wanted) else load_program(settings.app)
    prepare_process(settings)
    own = tuple(lane for lane in wanted or program.lanes if lane not in ours)
    options = WorkerOptions(lanes=own, concurrency=max(1, concurrency))
    run_command(_work(settings, program, options, host, port, wanted=wanted))


async def _work(
    settings: Settings,
    program: Handfast,
    options: WorkerOptions,
    host: str,
    port: int | None,
    *,
    wanted: tuple[str, ...],
) -> None:
    bound = None if port is None else bind(host, port)
    async with contextlib.AsyncExitStack() as stack:
        stack.enter_context(bound or contextlib.nullcontext())
        system = await stack.enter_async_context(open_system(settings))
        workers: list[Worker] = []
        # First: it skips what nobody should work on any more.
        fixtures = await _fixtures(stack, system, program, wanted)
        if options.lanes:
            workers.append(await stack.enter_async_context(working(system, program, options)))
        ours = await _ours(stack, system, wanted) | fixtures
        workers += ours.values()
        lanes = [*options.lanes, *ours]

        def stop() -> None:
            for one in workers:
                one.stop()

        said = f"Handfast works on {', '.join(lanes)}"
        if options.lanes and (count := len(program.schedules)):
            said += f" and fires {count} schedule{'' if count == 1 else 's'}"
        if bound is None:
            OUT.print(said, markup=False)
            await until_told(stop, workers)
        else:
            url = url_of(bound)
            await at_work(workers)
            app = surrounded(create_probes(system, workers))

            def announce() -> None:
                OUT.print(f"{said}; {url}", markup=False)

            await serve(app, bound, announce, stop, workers)
    ERR.print("Handfast has stopped.")


async def _fixtures(
    stack: contextlib.AsyncExitStack, system: System, program: Handfast, wanted: tuple[str, ...]
) -> dict[str, Worker]:
    if wanted and FIXTURES not in wanted:
        return {}
    keeper = await stack.enter_async_context(keeping_fixtures(system, program.pipelines))
    return {FIXTURES: keeper.worker}


async def _ours(
    stack: contextlib.AsyncExitStack, system: System, wanted: tuple[str, ...]
) -> dict[str, Worker]:
    """The workers of our own lanes, by lane."""
    ours: dict[str, Worker] = {}
    if not wanted or WEBHOOKS in wanted:
        ours[WEBHOOKS] = (await stack.enter_async_context(delivering(system))).worker
    if not wanted or RUNS in wanted:
        runs = await stack.enter_async_context(runs_beside(system, asked=RUNS in wanted))
        if runs is not None:
            ours[RUNS] = runs
    if not wanted or CORPUS in wanted:
        ours[CORPUS] = (await stack.enter_async_context(keeping_corpus(system))).worker
    return ours


@asynccontextmanager
async def runs_beside(system: System, *, asked: bool = False) -> AsyncIterator[Worker | None]:
    """A worker of match runs, if there is a login for it. Unless they were ``asked`` for, a missing
    one is told, and everything else goes on."""
    async with contextlib.AsyncExitStack() as stack:
        try:
            one = (await stack.enter_async_context(working_runs(system))).worker
        except SettingsError as missing:
            if asked:
                raise
            ERR.print(str(missing), markup=False)
            one = None
        yield one


@asynccontextmanager
async def working(
    system: System, program: Handfast, options: WorkerOptions | None = None
) -> AsyncIterator[Worker]:
    """A worker of the program, and a scheduler if it has schedules, beside whatever else this
    process does; stopped in good order. Of many schedulers one fires each tick."""
    program.use(system)
    one, scheduler = await program.worker(options), await program.scheduler()
    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(beside(one, "program"))
        if len(program.schedules):
            await stack.enter_async_context(beside(scheduler, "schedules"))
        yield one


async def at_work(workers: Sequence[Worker], seconds: float = START_SECONDS_MAX) -> None:
    """Wait until they have begun, so that /ready agrees with what is said; not for ever, since it
    also says what is missing."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while not all(one.working for one in workers):  # noqa: ASYNC110  # five, for a moment
                await asyncio.sleep(LOOK_SECONDS)
