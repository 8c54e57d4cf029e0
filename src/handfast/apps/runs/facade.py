"""What a program holds to start match runs and read them."""

from typing import Any
from uuid import UUID

from handfast.apps.runs import records
from handfast.apps.runs.matches import PAGE_MAX, MatchPage, get_matches
from handfast.apps.runs.records import MatchRun, RunPage, StartedRun
from handfast.base.errors import Conflict
from handfast.db.pool import Database


class MatchRuns:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def start(self, url: str, *, fresh: bool = False) -> StartedRun:
        """The one run of an address: ready, under way or new. Raises ``InvalidUrl``."""
        async with self._database.connection() as connection:
            return await records.start_run(connection, url, fresh=fresh)

    async def get(self, run_id: UUID) -> MatchRun:
        async with self._database.connection() as connection:
            return await records.get_run(connection, run_id)

    async def matches(
        self, run_id: UUID, *, after: str | None = None, limit: int = PAGE_MAX
    ) -> MatchPage:
        """A page of a ready run, the best first, each match with its reasons."""
        async with self._database.connection() as connection:
            run = await records.get_run(connection, run_id)
            if run.status != "ready":
                raise Conflict(
                    f"Run {run_id} is {run.status}, and has no matches"
                    + (" yet." if not run.ended else "."),
                    hint="Ask for it until its status is ready or error.",
                )
            return await get_matches(connection, run, after=after, limit=limit)

    async def list(self, *, after: UUID | None = None, limit: int = 100) -> RunPage:
        """The newest first."""
        async with self._database.connection() as connection:
            return await records.list_runs(connection, after=after, limit=limit)

    async def debug(self, run_id: UUID) -> dict[str, Any]:
        """Everything that is known of a run: steps with their times, the job, its attempts."""
        async with self._database.connection() as connection:
            return await records.debug_run(connection, run_id)
