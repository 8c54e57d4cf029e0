import pytest

from handfast.db.pool import Database
from tests.support.ledger_desk import LedgerDesk


@pytest.fixture
async def desk(database: Database) -> LedgerDesk:
    return LedgerDesk(database)
