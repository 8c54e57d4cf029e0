"""The lines as Redis has them. Every call may raise ``RedisAway``: there is always another way."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import uuid4

import msgspec

from handfast.apps.stakes.fast import scripts
from handfast.db.redis import GuardedRedis

PREFIX = "queue:stake:"
VISIBLE_MS = 2000  # for how long a line is one matchmaker's: a claim takes a hundredth of it
KEPT_MS = 24 * 3600 * 1000  # a line that nobody has come to for a day: an amount no longer offered
ID_MAX = 2**63 - 1


class TicketPlace(msgspec.Struct, frozen=True):
    """Where a ticket stands, as the database says; None where it stands in no line."""

    id: int
    stake: int | None
    place: int | None


class Proposal(msgspec.Struct, frozen=True):
    """The oldest of one line, as Redis has them: members may be anything."""

    stake: int
    members: list[bytes]


class Taken(msgspec.Struct, frozen=True):
    """``busy``: somebody else is at a line."""

    token: str
    proposals: list[Proposal]
    busy: bool


class RedisLines:
    """``stakes`` are those that are looked at; others may be told of."""

    def __init__(self, redis: GuardedRedis, stakes: Iterable[int], *, prefix: str = PREFIX) -> None:
        self._redis = redis
        self.stakes = tuple(stakes)
        self._prefix = prefix
        self._take = redis.script(scripts.TAKE)
        self._settle = redis.script(scripts.SETTLE)
        self._reflect = redis.script(scripts.REFLECT)
        self._clean = redis.script(scripts.CLEAN)

    @property
    def away(self) -> bool:
        return self._redis.away

    def key(self, stake: int) -> str:
        return f"{self._prefix}{stake}"

    async def take(self, most: int, *, visible_ms: int = VISIBLE_MS) -> Taken:
        """The oldest of each line in which there are two or more; they are ours until they are
        settled, or ``visible_ms`` have passed."""
        token = uuid4().hex

        def read(answers: Any) -> Taken:
            found = [
                Proposal(stake, [_member(one) for one in answer[1:]])
                for stake, answer in zip(self.stakes, answers, strict=True)
            ]
            busy = any(int(answer[0]) for answer in answers)
            return Taken(token, [one for one in found if one.members], busy)

        return await self._take.run(
            self._keys(self.stakes), [most, visible_ms, token, KEPT_MS], read=read
        )

    async def settle(self, token: str, over: Mapping[int, Sequence[bytes]]) -> None:
        """Of what was taken, these of each stake are over; the others go back to their places."""
        arguments: list[Any] = [token, KEPT_MS]
        for members in over.values():
            arguments += [len(members), *members]
        await self._settle.run(self._keys(over), arguments, read=int)

    async def reflect(self, tickets: Sequence[TicketPlace]) -> int:
        """Let Redis have it as the database says; answers how many it had otherwise."""
        stakes = [*{*self.stakes, *(one.stake for one in tickets if one.stake is not None)}]
        number = {stake: n for n, stake in enumerate(stakes, 1)}
        keys = [key for stake in stakes for key in self._keys([stake])[:2]]
        arguments: list[Any] = [KEPT_MS]
        for one in tickets:
            home = 0 if one.stake is None else number[one.stake]
            arguments += [home, one.place or 0, one.id]
        return await self._reflect.run(keys, arguments, read=int)

    async def page(self, stake: int, offset: int, size: int) -> list[bytes]:
        """Whoever stands in a line, from the front."""
        return await self._redis.call(
            lambda client: client.zrange(self.key(stake), offset, offset + size - 1),
            read=lambda answer: [_member(one) for one in answer],
        )

    async def remove(self, stake: int, members: Sequence[bytes]) -> int:
        return await self._redis.call(
            lambda client: client.zrem(self.key(stake), *members), read=int
        )

    async def clean(self, stakes: Iterable[int]) -> int:
        """Keys of another type than ours go; answers how many."""
        return await self._clean.run(self._keys(stakes), [], read=int)

    async def length(self, stake: int) -> int:
        """How many stand in a line, taken or not."""
        line, processing, _ = self._keys([stake])
        waiting: int = await self._redis.call(lambda client: client.zcard(line), read=int)
        return waiting + await self._redis.call(lambda client: client.zcard(processing), read=int)

    def _keys(self, stakes: Iterable[int]) -> list[str]:
        return [
            key
            for stake in stakes
            for key in (
                self.key(stake),
                f"{self.key(stake)}:processing",
                f"{self.key(stake)}:taken",
            )
        ]


def ticket_id(member: bytes) -> int | None:
    """Which ticket a member is; None if it can be none of ours."""
    if not member.isdigit() or len(member) > len(str(ID_MAX)):
        return None
    found = int(member)
    return found if 0 < found <= ID_MAX and str(found).encode() == member else None


def _member(said: Any) -> bytes:
    if not isinstance(said, bytes):
        raise TypeError(f"not a member of a set: {said!r}")
    return said
