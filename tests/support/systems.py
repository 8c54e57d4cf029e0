"""A system with everything switched on, around a database that a test has opened."""

from handfast.base.settings import Settings
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.db.redis import GuardedRedis
from handfast.engine.system import System
from handfast.wiring import chosen


def whole_system(
    settings: Settings, database: Database, direct: Target, redis: GuardedRedis | None = None
) -> System:
    return System(settings, database, direct, chosen(), redis)
