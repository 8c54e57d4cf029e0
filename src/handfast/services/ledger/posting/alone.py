"""One statement that commits by itself: one round trip, and again when others got in the way."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import asyncpg

from handfast.db.errors import TransactionContention
from handfast.db.pool import ATTEMPTS_MAX, BACKOFF_SECONDS, Database
from handfast.db.transaction import Queryable, constraints_named

T = TypeVar("T")


async def by_itself(database: Database, statement: Callable[[Queryable], Awaitable[T]]) -> T:
    """Nothing is left of an attempt that lost against another transaction."""
    for attempt in range(1, ATTEMPTS_MAX + 1):
        try:
            async with database.connection() as connection:
                with constraints_named():
                    return await statement(connection)
        except (asyncpg.SerializationError, asyncpg.DeadlockDetectedError) as lost:
            if attempt == ATTEMPTS_MAX:
                raise TransactionContention(
                    f"Transfers lost against others {attempt} times in a row: {lost}.",
                    hint="Nothing was stored. Try again.",
                ) from lost
        await asyncio.sleep(BACKOFF_SECONDS * 2**attempt * random.random())  # noqa: S311
    raise AssertionError("the loop above returns or raises")
