"""``handfast scheduler``."""

import asyncio
import contextlib

from handfast.base import supervise
from handfast.base.settings import Settings, load_settings
from handfast.edge.cli.options import AppName, DataDir
from handfast.edge.cli.output import ERR
from handfast.edge.cli.program import load_program
from handfast.edge.cli.worker import ProbeHost, ProbePort
from handfast.edge.http.app import create_probes, surrounded
from handfast.edge.http.serve import bind, serve, url_of
from handfast.edge.stopping import run_command, until_told
from handfast.facade import Handfast
from handfast.wiring import open_system, prepare_process


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
        async with open_system(settings) as system:
            program.use(system)
            one = await program.scheduler()
            stopping = asyncio.Event()
            following = supervise.start("schedules", one.run, stopping=stopping)

            def stop() -> None:
                stopping.set()
                one.stop()

            count = len(program.schedules)
            said = f"The scheduler follows {count} schedule{'' if count == 1 else 's'}."
            if bound is None:
                ERR.print(f"{said} Stop with Ctrl-C.")
                if count == 0:
                    ERR.print("  Declare one with hf.cron(…) or hf.daily(…).", markup=False)
                await until_told(stop)
            else:
                app = surrounded(create_probes(system))
                url = url_of(bound)
                await serve(app, bound, lambda: ERR.print(f"{said} {url}"), stop)
            await following
    ERR.print("The scheduler has stopped.")
