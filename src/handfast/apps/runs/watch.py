"""Runs as they change, for many who wait at once.

One look for all of them, and only while somebody waits, in the rhythm of the process's hub: a
thousand browsers cost two small queries a second. The end of a run is an event, which wakes the
hub, so the end is seen at once.
"""

import asyncio
from collections.abc import AsyncGenerator
from uuid import UUID

from handfast.apps.runs.records import MatchRun, runs_of
from handfast.db.transaction import Queryable
from handfast.engine.host import Host
from handfast.engine.streams.hub import Hub
from handfast.engine.system import System


class _Waiting:
    """One who waits, and the newest that is known of the run."""

    def __init__(self, run_id: UUID) -> None:
        self.run_id = run_id
        self.run: MatchRun | None = None
        self.changed = asyncio.Event()


class Watch:
    """Looks along with the hub while somebody waits."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._waiting: set[_Waiting] = set()
        hub.look_along(self)

    async def follow(
        self, run: MatchRun, *, silence: float = 1.0
    ) -> AsyncGenerator[MatchRun | None, None]:
        """The run as it is, then each change of status or step, until it has ended. None after each
        ``silence`` in which nothing happened."""
        yield run
        one = _Waiting(run.run_id)
        one.run = run
        self._waiting.add(one)
        self._hub.wake()
        try:
            while not run.ended:
                try:
                    await asyncio.wait_for(one.changed.wait(), silence)
                except TimeoutError:
                    yield None
                    continue
                one.changed.clear()
                run = one.run
                yield run
        finally:
            self._waiting.discard(one)

    async def close(self) -> None:
        """The hub ends with the process."""

    @property
    def wanted(self) -> bool:
        return bool(self._waiting)

    async def look(self, on: Queryable) -> bool:
        found = await runs_of(on, list({one.run_id for one in self._waiting}))
        known = {run.run_id: run for run in found}
        changed = False
        for one in self._waiting:
            run = known.get(one.run_id)
            if run is not None and (one.run is None or _shown(run) != _shown(one.run)):
                one.run = run
                one.changed.set()
                changed = True
        return changed


def _shown(run: MatchRun) -> tuple[str, str]:
    return run.status, run.step


def watch_of(system: System, host: Host) -> Watch:
    """For the API of a process, with the hub that it has already."""
    return Watch(host.hub)
