import pytest

from handfast.db.pool import Database
from tests.support.stakes_table import StakesTable


@pytest.fixture
async def table(database: Database) -> StakesTable:
    return StakesTable(database)
