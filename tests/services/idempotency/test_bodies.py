"""Bodies that come in pieces, are too large or never end, and callers that go away."""

from typing import Any

import msgspec
import pytest

from handfast.db.pool import Database
from tests.support.keyed_shop import Shop, Wish, new_key, open_shop

BODY = msgspec.json.encode(Wish(what="whole"))


class Caller:
    """Straight into the application, message by message."""

    def __init__(self, shop: Shop, key: str, **headers: str) -> None:
        self._shop = shop
        self._headers = {"idempotency-key": key, "x-user": "ada", **headers}
        self.sent: list[Any] = []
        self.broken = False

    async def call(self, *messages: dict[str, Any]) -> None:
        left = list(messages)

        async def receive() -> Any:
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
