"""A hub as a process of its own, to be killed: ``… stream_process DSN USER [AFTER]``. Prints the id
and the aggregate of each event as it reads it."""

import asyncio
import sys
from uuid import UUID

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.engine.host import Host


async def main(dsn: str, user: str, after: str | None) -> None:
    async with await Database.open(Target(dsn), pool_size=2) as database:
        host = Host(database, database.target)
        async with host.listener:
            stream = await host.hub.stream_of_user(UUID(user), after=after)
            sys.stdout.write("open\n")
            sys.stdout.flush()
            async for message in stream.messages():
                if message is not None:
                    name = message.event.aggregate if message.event else message.name
                    sys.stdout.write(f"{message.id} {name}\n")
                    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3] if sys.argv[3:] else None))
