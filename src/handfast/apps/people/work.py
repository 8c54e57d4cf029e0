"""Who does the work of people: thumbnails, copies of data, files that have to go."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from handfast.apps.people.people import people_of
from handfast.apps.people.personal_data import erasure, exports
from handfast.apps.people.personal_data.copying import Copying, removing_exports
from handfast.apps.people.photos import thumbnails
from handfast.apps.people.photos.orphans import removing_orphans
from handfast.engine.capability import each
from handfast.engine.crew import Crew, WorkerOptions
from handfast.engine.jobs.kinds import Kind, Kinds, payload_of
from handfast.engine.system import System, Wanted
from handfast.engine.work.worker import default_name

LANE = "people"
CONCURRENCY = 4  # a picture takes a processor's time, and nobody waits for these


@asynccontextmanager
async def open_work(system: System, wanted: Wanted) -> AsyncIterator[list[Crew]]:
    yield [people_crew(system)]


def people_crew(system: System) -> Crew:
    people = people_of(system)
    database, store = system.database, people.store
    handlers: dict[str, Callable[..., Any]] = {
        thumbnails.KIND: thumbnails.Thumbnails(database, store, people.pictures).make,
        exports.KIND: Copying(database, store, each(system.capabilities.on, "personal_data")).copy,
        erasure.KIND: erasure.RemovingFiles(store).remove,
    }
    kinds = Kinds()
    for name, handler in handlers.items():
        kinds.add(Kind(name=name, handler=handler, payload=payload_of(handler), lane=LANE))
    options = WorkerOptions(lanes=(LANE,), concurrency=CONCURRENCY, name=f"{default_name()}:{LANE}")
    chores = [removing_orphans(database, store), removing_exports(database, store)]
    return Crew(kinds, options, chores=chores)
