"""A chain that cannot be made says so at enqueue time, by name."""

import pytest

from handfast.db.pool import Database
from handfast.engine.errors import ChainInvalid
from handfast.engine.jobs.enqueue import enqueue
from handfast.engine.jobs.options import Options


async def test_a_prerequisite_that_is_not_there(database: Database) -> None:
    with pytest.raises(ChainInvalid, match="does not exist: enqueue it first"):
        async with database.transaction() as tx:
            await enqueue(tx, "t.job", "two", {}, options=Options(requires=[("t.job", "one")]))
    async with database.connection() as connection:
        assert await connection.fetchval("SELECT count(*) FROM handfast_engine.jobs") == 0


async def test_a_job_cannot_wait_for_itself(database: Database) -> None:
    with pytest.raises(ChainInvalid):
        async with database.transaction() as tx:
            await enqueue(tx, "t.job", "one", {}, options=Options(requires=[("t.job", "one")]))
