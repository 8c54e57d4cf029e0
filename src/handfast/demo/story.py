"""The scenes in order, on workers of this process, and then whatever goes on without an end."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial

from handfast.base import supervise
from handfast.base.logs import get_logger
from handfast.base.settings import Settings
from handfast.demo.program import LANE, TABLES, program
from handfast.demo.scenes import (
    chain,
    dead_letter,
    gap,
    killed,
    one_identity,
    retries,
    schedule,
)
from handfast.demo.stage import Scene, ShownFact, Stage
from handfast.demo.traffic import shop
from handfast.engine.capability import each
from handfast.engine.crew import WorkerOptions
from handfast.engine.host import Host

log = get_logger(__name__)

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
            await tx.execute(shop.TABLE)
        try:
            await start(WorkerOptions(lanes=(LANE, shop.LANE), name="demo"))
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
    *,
    traffic: bool,
) -> None:
    """Show every scene, then keep working until cancelled, on traffic or on what you enqueue."""
    async with working(settings, where, url) as stage:
        began = time.monotonic()
        on = (await stage.hf.open()).capabilities.on
        for scene in (*SCENES, *each(on, "scene").values()):
            show(await play(scene, stage))
        done(time.monotonic() - began)
        moving = [shop.orders, *each(on, "traffic").values()] if traffic else []
        tasks = [supervise.start(one.__name__, partial(one, stage)) for one in moving]
        try:
            await asyncio.Event().wait()
        finally:
            await supervise.cancel(tasks)


async def play(scene: Scene, stage: Stage) -> ShownFact:
    """A scene that breaks is a fact too, and the others are shown all the same."""
    try:
        return await scene(stage)
    except TimeoutError:
        why = "it took too long; is this machine very busy?"
    except Exception as error:
        log.warning("scene_failed", scene=scene.__name__, reason=repr(error))
        why = str(error) or type(error).__name__
    return ShownFact(scene.__name__.replace("_", " "), f"could not be shown: {why}", true=False)
