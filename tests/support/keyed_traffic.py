"""Clients that repeat themselves against several servers, and believe nothing that they are told.

Every key is used by two users at once, with the same body: only the number of the order that was
made tells whose answer it is. Each order is sent ten times at
once to servers taken at random, and again later; now and then its key is sent with another body.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import asyncpg
import msgspec

from tests.support.keyed_server import Keyed
from tests.support.keyed_shop import Wish, new_key

AT_ONCE = 10
CLIENTS = 2
USERS = ("ada", "eve")
SECONDS_MAX = 60.0  # for whatever is waited for


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def code(self) -> str:
        """The problem's."""
        return str(msgspec.json.decode(self.body)["code"])

    @property
    def replayed(self) -> bool:
        return self.headers.get("idempotent-replayed") == "true"


async def call(server: Keyed, request: str, body: bytes = b"", **headers: str) -> Reply:
    """One request on a connection of its own: two hundred at once must not queue in a client."""
    lines = [f"{request} HTTP/1.1", "host: shop", "connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    lines += [f"content-length: {len(body)}", "", ""]
    async with asyncio.timeout(SECONDS_MAX):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        try:
            writer.write("\r\n".join(lines).encode() + body)
            head, _, rest = (await reader.read(-1)).partition(b"\r\n\r\n")
        finally:
            writer.close()
    first, *fields = head.decode().split("\r\n")
    pairs = (field.split(": ", 1) for field in fields)
    found = {name.lower(): value for name, value in pairs}
    assert len(rest) == int(found.get("content-length", len(rest))), "a whole answer"
    return Reply(int(first.split()[1]), found, rest)


@dataclass(frozen=True)
class Order:
    user: str
    key: str
    what: str
    seconds: float = 0.0


@dataclass
class Told:
    """What the clients were told about one order."""

    bodies: set[bytes] = field(default_factory=set)
    firsts: int = 0  # answers that were no replays
    replays: int = 0


class _Made(msgspec.Struct):
    id: int
    what: str


class Traffic:
    """Runs while its block does; what a client finds wrong ends the block's test."""

    def __init__(self, servers: Sequence[Keyed]) -> None:
        self._servers = servers
        self.told: dict[Order, Told] = {}
        self.conflicts = 0
        self._stopping = False
        self._clients: list[asyncio.Task[None]] = []

    def new(self, seconds: float = 0.0) -> list[Order]:
        """One key, an order of each user under it."""
        key = new_key()
        return [Order(user, key, f"order {key}", seconds) for user in USERS]

    async def ask(self, order: Order, server: Keyed | None = None) -> Reply:
        """Until it is answered. No other answer than the order's own is accepted."""
        while True:
            reply = await self._post(order, order.what, server)
            if reply.status != 409:
                break
            assert reply.code == "IDEMPOTENCY_IN_PROGRESS", reply
        assert reply.status == 201, reply
        made = msgspec.json.decode(reply.body, type=_Made)
        assert made.what == order.what, "the answer to something else"
        assert reply.headers["location"] == f"/orders/{made.id}"
        told = self.told.setdefault(order, Told())
        told.bodies.add(reply.body)
        told.replays += reply.replayed
        told.firsts += not reply.replayed
        return reply

    async def misuse(self, order: Order) -> None:
        """The order's key with another body."""
        reply = await self._post(order, "something else", None)
        assert reply.status == 409, reply
        assert reply.code == "IDEMPOTENCY_KEY_REUSED"
        self.conflicts += 1

    async def _post(self, order: Order, what: str, server: Keyed | None) -> Reply:
        body = msgspec.json.encode(Wish(what=what, seconds=order.seconds))
        chosen = server or random.choice(self._servers)  # noqa: S311
        return await call(
            chosen, "POST /orders", body, x_user=order.user, idempotency_key=order.key
        )

    async def _client(self) -> None:
        while not self._stopping:
            pair = self.new(seconds=random.uniform(0, 0.2))  # noqa: S311
            await asyncio.gather(*(self.ask(order) for order in pair for _ in range(AT_ONCE)))
            before = random.choices(list(self.told), k=5)  # noqa: S311
            await asyncio.gather(*(self.ask(order) for order in before))
            await self.misuse(random.choice(before))  # noqa: S311

    def check(self) -> None:
        """Raise what a client has found wrong so far."""
        for client in self._clients:
            if client.done():
                client.result()

    async def orders(self, more: int) -> None:
        """Wait until so many further orders have been answered."""
        wanted = len(self.told) + more
        async with asyncio.timeout(SECONDS_MAX):
            while len(self.told) < wanted:
                self.check()
                await asyncio.sleep(0.02)

    async def agrees_with(self, look: asyncpg.Connection) -> None:
        """Each order was carried out once, and everybody was told of that one."""
        rows = await look.fetch("SELECT id, who, what FROM effects")
        done = Counter((row["who"], row["what"]) for row in rows)
        assert done == {(f"user:{order.user}", order.what): 1 for order in self.told}
        numbers = {(row["who"], row["what"]): row["id"] for row in rows}
        for order, told in self.told.items():
            assert len(told.bodies) == 1, order
            (body,) = told.bodies
            made = msgspec.json.decode(body, type=_Made)
            assert made.id == numbers[f"user:{order.user}", order.what], "somebody else's answer"
            assert told.firsts == 1, order

    async def __aenter__(self) -> Self:
        self._clients = [asyncio.create_task(self._client()) for _ in range(CLIENTS)]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """The clients finish what they are at."""
        self._stopping = True
        async with asyncio.timeout(SECONDS_MAX):
            found = await asyncio.gather(*self._clients, return_exceptions=True)
        if error is None:
            for wrong in found:
                if isinstance(wrong, BaseException):
                    raise wrong
