"""Bodies that come in pieces, are too large or never end, and callers that go away."""

import asyncio
from typing import Any

import msgspec
import pytest

from handfast.base.errors import RequestTimeout
from handfast.db.pool import Database
from handfast.services.idempotency import required
from handfast.services.idempotency.asgi.bodies import Bodies
from tests.support.eventually import eventually_async
from tests.support.keyed_shop import Shop, Wish, new_key, open_shop

BODY = msgspec.json.encode(Wish(what="whole"))


class Caller:
    """Straight into the application, message by message."""

    def __init__(self, shop: Shop, key: str, **headers: str) -> None:
        self._shop = shop
        self._headers = {"idempotency-key": key, "x-user": "ada", **headers}
        self.sent: list[Any] = []
        self.broken = False

    async def hang(self, *parts: bytes) -> None:
        """Send these, and never the rest."""
        await self.call(*pieces(*parts, b"")[:-1], hangs=True)

    async def call(self, *messages: dict[str, Any], hangs: bool = False) -> None:
        left = list(messages)

        async def receive() -> Any:
            if not left and hangs:
                await asyncio.Event().wait()
            return left.pop(0) if left else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if self.broken:
                raise OSError("the caller has gone")
            self.sent.append(message)

        scope = {
            "type": "http",
            "method": "POST",
            "path": "/orders",
            "query_string": b"",
            "headers": [(k.encode(), v.encode()) for k, v in self._headers.items()],
        }
        await self._shop.app(scope, receive, send)

    @property
    def status(self) -> int:
        status: int = self.sent[0]["status"]
        return status


def pieces(*parts: bytes) -> list[dict[str, Any]]:
    last = len(parts) - 1
    return [
        {"type": "http.request", "body": part, "more_body": number < last}
        for number, part in enumerate(parts)
    ]


async def test_a_body_in_pieces_is_the_same_as_a_whole_one(database: Database) -> None:
    async with open_shop(database) as shop:
        key = new_key()
        first, second = Caller(shop, key), Caller(shop, key)
        await first.call(*pieces(BODY[:3], b"", BODY[3:10], BODY[10:], b""))
        await second.call(*pieces(BODY))
        assert (first.status, second.status) == (201, 201)
        assert (b"idempotent-replayed", b"true") in second.sent[0]["headers"]
        assert shop.calls == ["whole"]


async def test_a_caller_that_goes_away_in_the_middle_has_asked_nothing(database: Database) -> None:
    async with open_shop(database) as shop:
        caller = Caller(shop, new_key())
        await caller.call(pieces(BODY[:5], BODY[5:])[0])
        assert caller.sent == []
        assert shop.calls == []


async def test_a_caller_that_goes_away_before_the_answer_gets_it_when_it_returns(
    database: Database,
) -> None:
    async with open_shop(database) as shop:
        key = new_key()
        gone, back = Caller(shop, key), Caller(shop, key)
        gone.broken = True
        with pytest.raises(OSError, match="gone"):
            await gone.call(*pieces(BODY))
        await back.call(*pieces(BODY))
        assert (b"idempotent-replayed", b"true") in back.sent[0]["headers"]
        assert shop.calls == ["whole"]
        assert await shop.effects() == ["whole"]


async def test_too_large(database: Database) -> None:
    async with open_shop(database, body_max=100) as shop:
        declared = Caller(shop, new_key(), **{"content-length": "101"})
        await declared.call()  # refused before a byte of it is read
        assert declared.status == 413
        endless = Caller(shop, new_key())
        await endless.call(*pieces(*[b"x" * 60] * 1000))
        assert endless.status == 413
        problem = msgspec.json.decode(endless.sent[1]["body"])
        assert problem["code"] == "BODY_TOO_LARGE"
        assert shop.calls == []
        fits = Caller(shop, new_key(), **{"content-length": "100"})
        await fits.call(*pieces(b"x" * 100))
        assert fits.status == 201


async def test_unfinished_bodies_of_many_are_bounded_together(database: Database) -> None:
    """Sixty that send much and never end: refused when the process holds enough, and those who
    send little are served all the while."""
    piece, total = b"x" * 100_000, 1_000_000
    async with open_shop(database, bodies_max=total) as shop:
        callers = [Caller(shop, new_key()) for _ in range(60)]
        calls = [asyncio.create_task(caller.hang(piece, piece)) for caller in callers]
        refused = await eventually_async(lambda: _refused(callers, 53))
        assert {caller.status for caller in refused} == {503}
        assert (b"retry-after", b"1") in refused[0].sent[0]["headers"]
        problem = msgspec.json.decode(refused[0].sent[1]["body"])
        assert problem["code"] == "TOO_MANY_BODIES"
        small, large = Caller(shop, new_key()), Caller(shop, new_key())
        await small.call(*pieces(BODY))
        await large.call(*pieces(piece * 3))
        assert (small.status, large.status) == (201, 503)
        for call in calls:
            call.cancel()  # they go away, and what they held is free again
        await asyncio.gather(*calls, return_exceptions=True)
        again = Caller(shop, new_key())
        await again.call(*pieces(piece * 3))
        assert again.status == 201


async def _refused(callers: list[Caller], number: int) -> list[Caller]:
    found = [caller for caller in callers if caller.sent]
    return found if len(found) >= number else []


@pytest.mark.parametrize(
    ("bodies", "pause"),
    [(Bodies(silence=0.01), 60.0), (Bodies(seconds=0.05), 0.001)],
    ids=["silence", "trickle"],
)
async def test_a_body_has_a_time_to_come(bodies: Bodies, pause: float) -> None:
    async def receive() -> Any:
        await asyncio.sleep(pause)
        return {"type": "http.request", "body": b"x", "more_body": True}

    body = bodies.one(10_000_000)
    with pytest.raises(RequestTimeout, match="not whole"):
        await body.read({"headers": []}, receive)
    body.let_go()
    assert bodies.held == 0


async def test_a_route_has_its_own_limit(database: Database) -> None:
    rules = [required("POST /orders", body_max=50)]
    async with open_shop(database, body_max=100, rules=rules) as shop:
        caller = Caller(shop, new_key())
        await caller.call(*pieces(b"x" * 60))
        assert caller.status == 413
        assert b"50 bytes" in caller.sent[1]["body"]
