import pytest

from handfast.db.pool import Database
from tests.support.workers_here import Workers


@pytest.fixture
def shop(database: Database) -> Workers:
    return Workers(database)
