import pytest

from handfast.db.pool import Database
from tests.support.webhooks_harness import WebhooksHarness


@pytest.fixture
def desk(database: Database) -> WebhooksHarness:
    return WebhooksHarness(database)
