"""Two people who are matched, without offers before it; and their streams of events, read without a
socket."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID, uuid4

import httpx2
from litestar import Litestar

from handfast.db.pool import Database
from handfast.edge.http.app import surrounded
from handfast.engine.system import System
from tests.support.eventually import eventually_async
from tests.support.people import Caller, somebody

MATCH = (
    "INSERT INTO handfast_offers.matches (id, low_id, high_id, created_at)"
    " VALUES ($1, least($2::uuid, $3::uuid), greatest($2::uuid, $3::uuid), handfast_db.now())"
)
OFFER = (
    "INSERT INTO handfast_offers.match_offers"
    " (id, user_id, candidate_id, offered_at, expires_at, day, place, score, kind, themes)"
    " VALUES ($1, $2, $3, handfast_db.now(), handfast_db.now() + interval '6 days',"
    " handfast_db.now()::date, 1, 9000, 1, '{}')"
)


async def match_up(database: Database, one: UUID, other: UUID) -> UUID:
    match_id = uuid4()
    async with database.transaction() as tx:
        await tx.execute(MATCH, match_id, one, other)
    return match_id


async def offer_each_other(database: Database, one: UUID, other: UUID) -> None:
    async with database.transaction() as tx:
        for user, candidate in ((one, other), (other, one)):
            await tx.execute(OFFER, uuid4(), user, candidate)


@dataclass
class Pair:
    """Ada and Bob, and the match that they have."""

    database: Database
    ada: Caller
    bob: Caller
    match_id: UUID

    @property
    def path(self) -> str:
        return f"/matches/{self.match_id}"

    async def say(self, who: Caller, content: str, client_id: str | None = None) -> httpx2.Response:
        body = {"content": content} | ({} if client_id is None else {"clientMessageId": client_id})
        return await who.send("POST", f"{self.path}/messages", json=body)

    async def sent(self, who: Caller, content: str) -> str:
        """The id of a message that was sent."""
        answer = await self.say(who, content)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    async def read(self, who: Caller, up_to: str | None = None) -> httpx2.Response:
        body = {} if up_to is None else {"upToMessageId": up_to}
        return await who.send("POST", f"{self.path}/read", json=body)

    async def shown(self, who: Caller, **query: Any) -> Any:
        answer = await who.get(f"{self.path}/messages", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def match(self, who: Caller) -> Any:
        answer = await who.get(self.path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def value(self, sql: str, *args: Any) -> Any:
        async with self.database.connection() as connection:
            return await connection.fetchval(sql, *args)


async def matched(api: Litestar) -> Pair:
    system: System = api.state.system
    ada, bob = await somebody(api), await somebody(api)
    return Pair(system.database, ada, bob, await match_up(system.database, ada.id, bob.id))


@dataclass
class ReadEvent:
    """As a client of the stream has it."""

    id: str | None
    name: str
    data: Any


class UserStreamReader:
    """``GET /events`` as somebody: what has come so far, and whether it has ended."""

    def __init__(self, api: Litestar, who: Caller, after: str | None = None) -> None:
        self.events: list[ReadEvent] = []
        self.status = 0
        self.ended = False
        self._api, self._who, self._after = api, who, after
        self._rest = b""
        self._gone = asyncio.Event()

    async def run(self) -> None:
        headers = [(b"authorization", self._who.person.headers["Authorization"].encode())]
        if self._after is not None:
            headers.append((b"last-event-id", self._after.encode()))
        scope = {
            "type": "http",
            "method": "GET",
            "path": "/events",
            "raw_path": b"/events",
            "root_path": "",
            "query_string": b"",
            "headers": headers,
            "client": ("127.0.0.1", 1),
        }
        await cast("Any", surrounded(self._api))(scope, self._receive, self._send)

    async def _receive(self) -> Any:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        self.status = message.get("status", self.status)
        if message["type"] == "http.response.body" and not message.get("more_body"):
            self.ended = True
            self._gone.set()  # as a server says once all is sent
        *whole, self._rest = (self._rest + message.get("body", b"")).split(b"\r\n\r\n")
        for block in whole:
            fields = dict(
                line.split(": ", 1) for line in block.decode().split("\r\n") if ": " in line
            )
            if "event" in fields:
                self.events.append(
                    ReadEvent(fields.get("id"), fields["event"], json.loads(fields["data"]))
                )

    def leave(self) -> None:
        self._gone.set()

    @property
    def names(self) -> list[str]:
        return [event.name for event in self.events]

    async def until(self, count: int) -> Sequence[ReadEvent]:
        """Exactly so many have come, sooner or later."""
        await eventually_async(lambda: _true(len(self.events) >= count))
        assert len(self.events) == count, self.names
        return self.events

    async def until_ended(self) -> None:
        await eventually_async(lambda: _true(self.ended))


async def _true(value: bool) -> bool:
    return value


@asynccontextmanager
async def listening(
    api: Litestar, who: Caller, after: str | None = None
) -> AsyncIterator[UserStreamReader]:
    """Open when the block begins, unless it was refused."""
    reader = UserStreamReader(api, who, after)
    task = asyncio.create_task(reader.run())
    try:
        await eventually_async(lambda: _true(bool(reader.status)))
        yield reader
    finally:
        reader.leave()
        with contextlib.suppress(asyncio.CancelledError):
            await task
