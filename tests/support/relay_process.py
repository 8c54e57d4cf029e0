"""A relay as a process of its own, to be killed anywhere: ``… relay_process DSN NAME``. Slow to
commit, so that most kills come between taking rows and their commit."""

import asyncio
import sys

import asyncpg

from handfast.services.webhooks.sending.relay import relay_events

BATCH = 50


async def main(dsn: str, name: str) -> None:
    connection = await asyncpg.connect(dsn, server_settings={"application_name": name})
    while True:
        async with connection.transaction():
            await relay_events(connection, BATCH)
            await asyncio.sleep(0.01)  # somewhere in between is where it is killed


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
