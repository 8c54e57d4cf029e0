"""The scenes in order, on workers of this process, which go on working afterwards."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import asyncpg

from handfast.base.errors import HandfastError
from handfast.base.settings import Settings
from handfast.demo.match_run import match_run
from handfast.demo.program import LANE, TABLES, program
from handfast.demo.scenes import (
    Fact,
    Scene,
    Stage,
    chain,
    dead_letter,
    gap,
    killed,
    one_identity,
    retries,
    schedule,
)
from handfast.demo.webhook import webhook
from handfast.demo.weekend import weekend
from handfast.engine.worker import Worker, WorkerOptions

# Told in this order. A new capability adds its scene here, and its kinds in program.py.
SCENES: tuple[Scene, ...] = (
    one_identity,
    chain,
    retries,
    dead_letter,
    schedule,
    gap,
    webhook,
    killed,
    match_run,
    weekend,
)


@asynccontextmanager
async def working(settings: Settings, where: str, url: str) -> AsyncIterator[Stage]:
    """A stage with a worker under it; leaving stops the workers in good order."""
    workers: list[Worker] = []
    running: list[asyncio.Task[None]] = []
    async with program(settings) as hf:

        async def start(options: WorkerOptions) -> None:
            worker = await hf.worker(options)
            workers.append(worker)
            running.append(asyncio.create_task(worker.run()))

        database = await hf.database()
        async with database.transaction() as tx:
            await tx.execute("SELECT pg_advisory_xact_lock(hashtext('handfast demo'))")
            await tx.execute(TABLES)
        try:
            await start(WorkerOptions(lanes=(LANE,), name="demo"))
            yield Stage(
                hf,
                database,
                f"handfast dead list{where}",
                url,
                start,
                {"HANDFAST_DATA_DIR": str(settings.data_dir), "HANDFAST_LOG_LEVEL": "error"},
                where,
            )
        finally:
            for worker in workers:
                worker.stop()
            await asyncio.gather(*running, return_exceptions=True)


async def tell_story(
    settings: Settings,
    where: str,
    url: str,
    tell: Callable[[Fact], None],
    done: Callable[[float], None],
) -> None:
    """Tell every scene, then keep working until cancelled."""
    async with working(settings, where, url) as stage:
        began = time.monotonic()
        for scene in SCENES:
            tell(await _play(scene, stage))
        done(time.monotonic() - began)
        await asyncio.Event().wait()


async def _play(scene: Scene, stage: Stage) -> Fact:
    """A scene that breaks is a fact too, and the others are told all the same."""
    try:
        return await scene(stage)
    except TimeoutError:
        why = "it took too long; is this machine very busy?"
    except (HandfastError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        why = str(error)
    return Fact(scene.__name__.replace("_", " "), f"could not be shown: {why}", true=False)
