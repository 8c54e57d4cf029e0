"""A system with identity in it."""

import pytest

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.engine.system import System
from handfast.services.identity.authority import TokenAuthority
from handfast.wiring import load_settings
from tests.support.systems import whole_system


@pytest.fixture
def system(database: Database, dsn: str) -> System:
    return whole_system(load_settings(), database, Target(dsn))


@pytest.fixture
def authority(system: System) -> TokenAuthority:
    return TokenAuthority(system.settings)
