"""What the server says of itself."""

from datetime import datetime

import msgspec

from handfast.db.statements import statement
from handfast.db.transaction import Queryable


class ServerFacts(msgspec.Struct, frozen=True):
    version: str
    database: str
    now: datetime
    size_bytes: int
    connections: int
    transactions: int


_SERVER = statement("db.server", row=ServerFacts)


async def read_server(on: Queryable) -> ServerFacts:
    return await _SERVER.one(on)
