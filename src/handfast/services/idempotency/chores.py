"""What is done for idempotency records now and then. Apart from the store, which a program may use
without the engine."""

from datetime import timedelta

from handfast.db.pool import Database
from handfast.engine.maintenance.chores import Chore
from handfast.services.idempotency.stores.retention import prune

EVERY = timedelta(minutes=10)


def chores(database: Database) -> list[Chore]:
    """So that what no request visits any more is deleted too, by one of the fleet."""

    async def work() -> None:
        await prune(database)

    return [Chore("idempotency", work, EVERY)]
