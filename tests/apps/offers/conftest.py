import pytest

from handfast.db.pool import Database
from tests.support.offers import NOW, OffersDesk


@pytest.fixture
async def desk(database: Database) -> OffersDesk:
    made = OffersDesk(database)
    await made.at(NOW)
    return made
