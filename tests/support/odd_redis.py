"""Something that speaks like Redis and answers every command with the same bytes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.support.tcp_servers import serving


@asynccontextmanager
async def answering(answer: bytes) -> AsyncIterator[str]:
    """Serve; gives the address."""

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            for _ in range(int(line[1:])):  # a command is an array of strings with lengths
                size = int((await reader.readline())[1:])
                await reader.readexactly(size + 2)
            writer.write(answer)

    async with serving(converse) as port:
        yield f"redis://127.0.0.1:{port}/0?protocol=2"
