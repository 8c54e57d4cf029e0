"""A system with everything switched on, around a database that a test has opened."""

from pydantic import SecretStr

from handfast.base.settings import Settings
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.db.redis import GuardedRedis
from handfast.engine.system import System
from handfast.wiring import chosen
from tests.support.signed_in import TEST_SECRET


def whole_system(
    settings: Settings, database: Database, direct: Target, redis: GuardedRedis | None = None
) -> System:
    if getattr(settings, "identity_secret", "") is None:  # else it is kept in somebody's folder
        settings = settings.model_copy(update={"identity_secret": SecretStr(TEST_SECRET)})
    return System(settings, database, direct, chosen(), redis)
