"""``handfast scheduler``."""

import asyncio
import signal
from contextlib import AsyncExitStack

import uvloop

from handfast.base.settings import Settings, load_settings
from handfast.edge.cli.options import DataDir, Program
from handfast.edge.cli.output import ERR
from handfast.edge.cli.program import load_program
from handfast.engine.scheduler import Scheduler
from handfast.facade import Handfast
from handfast.wiring import open_system, prepare_process


def scheduler(*, app: Program = None, data_dir: DataDir = None) -> None:
    """Fire the ticks of a program's schedules as they come due.

    Run as many as you like: each tick fires once. What was missed while none ran is caught up by
    each schedule's own policy. Ctrl-C or SIGTERM stops it.
    """
    settings = load_settings(app=app, data_dir=data_dir)
    prepare_process(settings)
    program = load_program(settings.app)
    uvloop.run(_run(program, settings if data_dir is not None else None))


async def _run(program: Handfast, settings: Settings | None) -> None:
    """On the database of the program's own settings, unless the command line names another."""
    async with AsyncExitStack() as stack:
        if settings is None:
            one = await (await stack.enter_async_context(program)).scheduler()
        else:
            system = await stack.enter_async_context(open_system(settings))
            one = Scheduler(system.database, system.direct, program.kinds, program.schedules)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, one.stop)
        count = len(program.schedules)
        ERR.print(f"The scheduler follows {count} schedules. Stop with Ctrl-C.")
        if count == 0:
            ERR.print("  Declare one with hf.cron(…) or hf.daily(…).", markup=False)
        await one.run()
    ERR.print("The scheduler has stopped.")
