import pytest

from handfast.db.pool import Database
from tests.support.working import Shop


@pytest.fixture
def shop(database: Database) -> Shop:
    return Shop(database)
