"""A process of a fleet to which one of its chores has come round, without its loop."""

from handfast.db.pool import Database
from handfast.engine.maintenance.chores import Chore, take_turns


class FleetMember:
    def __init__(self, database: Database, chore: Chore) -> None:
        self._database = database
        self._chore = chore
        self._interval = chore.at_start or chore.every

    async def come_round(self) -> bool:
        """Do it to the end if it is our turn; answers whether it was."""
        async with self._database.connection() as connection:
            turns = await take_turns(connection, {self._chore.name: self._interval})
        self._interval = self._chore.every
        if not turns[self._chore.name].ours:
            return False
        while await self._chore.work() is not None:
            pass
        return True
