"""``handfast worker``: works on the jobs of a program."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated

import uvloop
from cyclopts import Parameter

from handfast.base.settings import Settings, load_settings
from handfast.edge.cli.options import AppName, DataDir
from handfast.edge.cli.output import ERR, OUT
from handfast.edge.cli.program import load_program
from handfast.edge.http.app import create_probes, surrounded
from handfast.edge.http.serve import bind, serve, url_of
from handfast.engine.worker import Worker, WorkerOptions
from handfast.facade import Handfast
from handfast.services.webhooks.deliverer import LANE as WEBHOOKS
from handfast.wiring import System, delivering, open_system, prepare_process

Lanes = Annotated[
    list[str] | None,
    Parameter(
        consume_multiple=True,
        negative=(),
        help="The lanes to work on; by default those of the program's kinds, and webhooks.",
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
    """Work on the jobs of a program, and deliver webhooks, until SIGTERM or Ctrl-C.

    Then it stops claiming, lets what runs finish within a grace period, and hands the rest back.
    """
    settings = load_settings(data_dir=data_dir, app=app)
    wanted = tuple(lanes or ())
    # Webhooks are delivered by a worker of their own, which needs no program of the user's.
    program = Handfast() if wanted == (WEBHOOKS,) else load_program(settings.app)
    prepare_process(settings)
    own = tuple(lane for lane in wanted or program.lanes if lane != WEBHOOKS)
    options = WorkerOptions(lanes=own, concurrency=max(1, concurrency))
    delivers = not wanted or WEBHOOKS in wanted
    uvloop.run(_work(settings, program, options, host, port, delivers=delivers))


async def _work(
    settings: Settings,
    program: Handfast,
    options: WorkerOptions,
    host: str,
    port: int | None,
    *,
    delivers: bool,
) -> None:
    bound = None if port is None else bind(host, port)
    async with contextlib.AsyncExitStack() as stack:
        stack.enter_context(bound or contextlib.nullcontext())
        system = await stack.enter_async_context(open_system(settings))
        workers: list[Worker] = []
        if options.lanes:
            workers.append(await stack.enter_async_context(working(system, program, options)))
        if delivers:
            workers.append((await stack.enter_async_context(delivering(system))).worker)

        def stop() -> None:
            for one in workers:
                one.stop()

        lanes = (*options.lanes, WEBHOOKS) if delivers else options.lanes
        said = f"Handfast works on {', '.join(lanes)}"
        if bound is None:
            OUT.print(said, markup=False)
            await _until_told(stop)
        else:
            url = url_of(bound)
            app = surrounded(create_probes(system, workers[0]))
            await serve(app, bound, lambda: OUT.print(f"{said}; {url}", markup=False), stop)
    ERR.print("Handfast has stopped.")


@asynccontextmanager
async def working(
    system: System, program: Handfast, options: WorkerOptions | None = None
) -> AsyncIterator[Worker]:
    """A worker of the program beside whatever else this process does; stopped in good order."""
    program.use(system)
    one = await program.worker(options)
    task = asyncio.create_task(one.run(), name="handfast-worker")
    try:
        yield one
    finally:
        one.stop()
        await task


async def _until_told(stop: Callable[[], None]) -> None:
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, told.set)
    await told.wait()
    stop()
