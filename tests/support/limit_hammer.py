"""A process that asks a limit as fast as it can: python -m tests.support.limit_hammer DSN …"""

import asyncio
import sys
from datetime import timedelta

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.db.redis import GuardedRedis
from handfast.services.limits.limit import Limit
from handfast.services.limits.limiter import Limiter


async def hammer(dsn: str, redis_url: str, name: str, quota: int, asks: int) -> int:
    limit = Limit(name, quota, timedelta(days=30), durable=not redis_url)
    redis = GuardedRedis(redis_url, call_seconds=5.0) if redis_url else None
    async with await Database.open(Target(dsn), pool_size=5) as database:
        limiter = Limiter(database, redis)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        admitted = 0
        for _ in range(asks // 10):
            verdicts = await asyncio.gather(*(limiter.take(limit, "x") for _ in range(10)))
            admitted += sum(verdict.admitted for verdict in verdicts)
    if redis is not None:
        await redis.close()
    return admitted


if __name__ == "__main__":
    dsn, redis_url, name, quota, asks = sys.argv[1:]
    given = asyncio.run(hammer(dsn, redis_url, name, int(quota), int(asks)))
    sys.stdout.write(f"{given}\n")
