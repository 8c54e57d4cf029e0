"""What `bench/idle.py` starts: a program with toy kinds, and a process with toy capabilities.

``BENCH_TOYS`` of them: as lanes of one program (``--app bench.idle_program:hf``), or each a crew of
its own with a lane, a kind, a schedule and a chore, beside everything that `up` has
(``python -m bench.idle_program``).
"""

import asyncio
import os
from datetime import timedelta

import uvloop

from handfast import Context, Handfast
from handfast.edge.cli.processes.worker import at_work
from handfast.edge.stopping import until_told
from handfast.engine.crew import Crew, WorkerOptions, cron_schedule, scheduled_kind
from handfast.engine.jobs.kinds import Kinds
from handfast.engine.maintenance.chores import Chore
from handfast.engine.schedules.declared import DeclaredSchedules
from handfast.wiring import hosting, load_settings, open_crews, open_system, prepare_process

TOYS = int(os.environ.get("BENCH_TOYS", "0"))
FAR_OFF = "0 0 1 1 *"  # nothing of it may happen while the bench counts

hf = Handfast()


async def nothing(_ctx: Context) -> None: ...


for number in range(TOYS):
    hf.job(f"toy.kind{number}", lane=f"toy{number}")(nothing)
    hf.cron(f"toy.schedule{number}", f"toy.kind{number}", FAR_OFF)


def toy_crew(number: int) -> Crew:
    async def sweep() -> None: ...

    kind = scheduled_kind(f"toy.kind{number}", f"toy{number}", nothing, timeout=60.0)
    kinds, schedules = Kinds(), DeclaredSchedules()
    kinds.add(kind)
    schedules.add(cron_schedule(f"toy.schedule{number}", kind, FAR_OFF))
    chore = Chore(f"toy.sweep{number}", sweep, timedelta(minutes=10))
    options = WorkerOptions(lanes=(f"toy{number}",), name=f"toy{number}")
    return Crew(kinds, options, schedules=schedules, chores=[chore])


async def main() -> None:
    settings = load_settings()
    prepare_process(settings)
    async with (
        open_system(settings) as system,
        open_crews(system, {}) as crews,
        hosting(system, [*crews, *map(toy_crew, range(TOYS))]) as host,
    ):
        await asyncio.shield(at_work(host, 30))
        print("at work", flush=True)
        await until_told(host, lambda: None)


if __name__ == "__main__":
    uvloop.run(main())
