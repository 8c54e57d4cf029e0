from collections.abc import AsyncIterator

import pytest

from handfast.db.pool import Database
from tests.support.desk import Desk
from tests.support.sink import Sink, open_sink


@pytest.fixture
def desk(database: Database) -> Desk:
    return Desk(database)


@pytest.fixture
async def sink() -> AsyncIterator[Sink]:
    async with open_sink() as sink:
        yield sink
