"""``handfast up`` while PostgreSQL is away: one line when it goes, one when it is back."""

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

from handfast.db.embedded import EmbeddedServer
from tests.edge.test_up import get
from tests.support.eventually import eventually_async
from tests.support.tcp_servers import serving
from tests.support.up import Up

LOOKS = 50  # by all the loops of the process together, while the database is away


class Line:
    """The way to the server, which can be taken away and given back."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._ends: set[asyncio.StreamWriter] = set()
        self._cut = False
        self.refused = 0

    def cut(self) -> None:
        self._cut = True
        for end in self._ends:
            end.transport.abort()
        self._ends.clear()

    def mend(self) -> None:
        self._cut = False

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._cut:
            self.refused += 1
            return
        there, back = await asyncio.open_unix_connection(f"{self._folder}/.s.PGSQL.5432")
        if self._cut:  # meanwhile
            self.refused += 1
            back.transport.abort()
            return
        self._ends |= {writer, back}
        await asyncio.gather(_carry(reader, back), _carry(there, writer))


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
    except ConnectionError:
        pass
    writer.transport.abort()


async def test_a_line_when_it_goes_and_one_when_it_is_back(
    server: EmbeddedServer, dsn: str, tmp_path: Path
) -> None:
    line = Line(server.address.host)
    async with serving(line.talk) as port:
        address = f"postgresql://handfast_owner@127.0.0.1:{port}{urlsplit(dsn).path}"
        up = Up(tmp_path / "data", DATABASE_URL=address, HANDFAST_IDEMPOTENCY_SECRET="s" * 40)
        await asyncio.to_thread(up.__enter__)
        try:
            await asyncio.to_thread(get, f"{up.url}/health")  # after all that it says when ready
            known = len(up.stderr.splitlines())
            line.cut()

            async def many_have_looked() -> bool:
                return line.refused > LOOKS

            async def is_back() -> bool:
                return "database_back" in up.stderr

            await eventually_async(many_have_looked, within=60)
            line.mend()
            await eventually_async(is_back, within=60)
            told = up.stderr.splitlines()[known:]
        finally:
            await asyncio.to_thread(up.stop)
    away = [one for one in told if "database_" in one]
    assert len(told) <= LOOKS / 5, "\n".join(told)  # before, each of them wrote a line
    assert ["away" in one for one in away] == [True, False], "\n".join(told)
