"""Lines in a Redis that all tests of a process share: each has a prefix of its own."""

from collections.abc import AsyncIterator
from itertools import count

import pytest

from handfast.apps.stakes.fast.lines import RedisLines
from handfast.db.redis import GuardedRedis
from tests.support.patient_lines import PatientLines

NUMBERS = count(1)
STAKES = (1000, 5000)


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[GuardedRedis]:
    async with GuardedRedis(redis_url, call_seconds=5.0) as redis:
        yield redis


@pytest.fixture
async def lines(redis: GuardedRedis) -> RedisLines:
    return PatientLines(redis, STAKES, prefix=f"test-{next(NUMBERS)}:queue:stake:")
