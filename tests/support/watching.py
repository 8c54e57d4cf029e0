"""Somebody who reads a stream of the hub, and what they have been told."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from handfast.db.listen import Listener
from handfast.db.pool import Database
from handfast.engine.streams.hub import Hub
from handfast.engine.streams.stream import EventStream, StreamMessage
from tests.support.eventually import eventually_async


class Reader:
    """Reads in the background, to be asked what has come."""

    def __init__(self, stream: EventStream) -> None:
        self.stream = stream
        self.told: list[StreamMessage] = []
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        async for message in self.stream.messages(silence=0.05):
            if message is not None:
                self.told.append(message)

    @property
    def names(self) -> list[str]:
        """The aggregates of events, and what else was said."""
        return [one.event.aggregate if one.event else one.name for one in self.told]

    @property
    def ids(self) -> list[str | None]:
        return [one.id for one in self.told]

    async def sees(self, *names: str) -> None:
        await eventually_async(lambda: asyncio.sleep(0, set(names) <= set(self.names)))

    async def ends(self) -> None:
        await asyncio.wait_for(self._task, 60)

    async def close(self) -> None:
        self.stream.close()
        await self.ends()


@asynccontextmanager
async def hub_on(
    database: Database, *, listening: bool = True, poll: float = 0.1, patience: float = 30.0
) -> AsyncIterator[Hub]:
    """A hub with a listener of its own; without, it is told of nothing."""
    listener = Listener(database.target, through=database)
    hub = Hub(database, listener if listening else None, poll=poll, patience=patience)
    async with listener:
        try:
            yield hub
        finally:
            await hub.close()
