"""``handfast scheduler``."""

import contextlib
import socket

from handfast.base.settings import Settings
from handfast.edge.cli.processes.program import load_program
from handfast.edge.cli.processes.worker import ProbeHost, ProbePort
from handfast.edge.cli.speaking.options import AppName, DataDir
from handfast.edge.cli.speaking.output import ERR
from handfast.edge.http.app import create_probes, surrounded
from handfast.edge.http.serve import bind, serve, url_of
from handfast.edge.stopping import run_command, until_told
from handfast.engine.crew import Crew, WorkerOptions
from handfast.engine.host import Host
from handfast.engine.system import System
from handfast.facade import Handfast
from handfast.wiring import chosen, hosting, load_settings, open_system, prepare_process


def scheduler(
    *,
    app: AppName = None,
    port: ProbePort = None,
    host: ProbeHost = "127.0.0.1",
    data_dir: DataDir = None,
) -> None:
    """Fire the ticks of a program's schedules as they come due.

    Run as many as you like: each tick fires once. What was missed while none ran is caught up by
    each schedule's own policy. Ctrl-C or SIGTERM stops it.
    """
    settings = load_settings(app=app, data_dir=data_dir)
    prepare_process(settings)
    program = load_program(settings.app)
    run_command(_run(program, settings, host, port))


async def _run(program: Handfast, settings: Settings, host: str, port: int | None) -> None:
    bound = None if port is None else bind(host, port)
    with bound or contextlib.nullcontext():
        on = chosen(settings.capabilities, program.capabilities)
        async with open_system(settings, capabilities=on) as system:
            program.use(system)
            crew = Crew(program.kinds, WorkerOptions(lanes=()), schedules=program.schedules)
            async with hosting(system, [crew]) as one:
                await _until_told(system, one, bound)
    ERR.print("The scheduler has stopped.")


async def _until_told(system: System, host: Host, bound: socket.socket | None) -> None:
    count = host.scheduler.follows
    said = f"The scheduler follows {count} schedule{'' if count == 1 else 's'}."
    if bound is None:
        advice = "" if count else "\n  Declare one with hf.cron(…) or hf.daily(…)."
        await until_told(host, lambda: ERR.print(f"{said} Stop with Ctrl-C.{advice}", markup=False))
    else:
        app = surrounded(create_probes(system, host))
        url = url_of(bound)
        await serve(app, bound, lambda: ERR.print(f"{said} {url}"), host=host)
