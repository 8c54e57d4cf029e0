from pathlib import Path

import pytest
from litestar import Litestar

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api
from handfast.engine.system import System
from handfast.wiring import load_settings
from tests.support.calling import OPERATOR_TOKEN
from tests.support.matched import Pair, matched
from tests.support.systems import whole_system


@pytest.fixture
def system(database: Database, dsn: str, tmp_path: Path) -> System:
    return whole_system(load_settings(data_dir=tmp_path), database, Target(dsn))


@pytest.fixture
def api(system: System) -> Litestar:
    return create_api(
        system, OPERATOR_TOKEN, idempotency_secret="one-secret-for-all-processes-of-a-test"
    )


@pytest.fixture
async def pair(api: Litestar) -> Pair:
    return await matched(api)
