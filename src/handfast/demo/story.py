"""The scenes in order, on workers of this process, which go on working afterwards."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import asyncpg

from handfast.base.errors import HandfastError
from handfast.base.settings import Settings
from handfast.demo.program import LANE, TABLES, program
from handfast.demo.scenes import (
    Scene,
    ShownFact,
    Stage,
    chain,
    dead_letter,
    gap,
    killed,
    one_identity,
    retries,
    schedule,
)
from handfast.engine.capability import each
from handfast.engine.crew import WorkerOptions
from handfast.engine.host import Host

# Told in this order; those of capabilities come after them.
SCENES: tuple[Scene, ...] = (one_identity, chain, retries, dead_letter, schedule, gap, killed)


@asynccontextmanager
async def working(settings: Settings, where: str, url: str) -> AsyncIterator[Stage]:
    """A stage with a worker under it; leaving stops the workers in good order."""
    workers: list[Host] = []
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


async def play_story(
    settings: Settings,
    where: str,
    url: str,
    show: Callable[[ShownFact], None],
    done: Callable[[float], None],
) -> None:
    """Show every scene, then keep working until cancelled."""
    async with working(settings, where, url) as stage:
        began = time.monotonic()
        of_capabilities = each((await stage.hf.open()).capabilities.on, "scene").values()
        for scene in (*SCENES, *of_capabilities):
            show(await _play(scene, stage))
        done(time.monotonic() - began)
        await asyncio.Event().wait()


async def _play(scene: Scene, stage: Stage) -> ShownFact:
    """A scene that breaks is a fact too, and the others are shown all the same."""
    try:
        return await scene(stage)
    except TimeoutError:
        why = "it took too long; is this machine very busy?"
    except (HandfastError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        why = str(error)
    return ShownFact(scene.__name__.replace("_", " "), f"could not be shown: {why}", true=False)
