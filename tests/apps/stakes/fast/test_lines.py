"""What Redis does in one step, on a real one."""

import asyncio
from typing import Any

import pytest

from handfast.apps.stakes.fast.lines import RedisLines, TicketPlace, ticket_id
from handfast.db.errors import RedisAway
from handfast.db.redis import GuardedRedis
from tests.support.eventually import eventually_async
from tests.support.odd_redis import answering

pytestmark = pytest.mark.on_every_redis


async def put(lines: RedisLines, stake: int, *tickets: int) -> None:
    """Each at the place that is its number."""
    await lines.reflect([TicketPlace(ticket, stake, ticket) for ticket in tickets])


async def standing(lines: RedisLines, stake: int = 1000) -> list[int]:
    return [int(member) for member in await lines.page(stake, 0, 1000)]


async def taken(lines: RedisLines, most: int = 100, **visible: int) -> tuple[str, dict[int, Any]]:
    found = await lines.take(most, **visible)
    return found.token, {one.stake: [int(m) for m in one.members] for one in found.proposals}


async def test_the_oldest_are_taken_by_their_places(lines: RedisLines) -> None:
    await lines.reflect([TicketPlace(7, 1000, 30), TicketPlace(8, 1000, 10)])
    await lines.reflect(
        [TicketPlace(9, 1000, 20), TicketPlace(4, 5000, 1), TicketPlace(5, 5000, 2)]
    )
    _, found = await taken(lines, 2)
    assert found == {1000: [8, 9], 5000: [4, 5]}
    assert await standing(lines) == [7]
    assert await standing(lines, 5000) == []
    assert await lines.length(1000) == 3, "who is taken is not gone"


async def test_one_alone_is_left_where_it_is(lines: RedisLines) -> None:
    await put(lines, 1000, 1)
    _, found = await taken(lines)
    assert found == {}
    assert await standing(lines) == [1]


async def test_a_line_is_one_matchmakers_at_a_time(lines: RedisLines) -> None:
    await put(lines, 1000, 1, 2, 3, 4)
    token, _ = await taken(lines, 2)
    second = await lines.take(2)
    assert (second.proposals, second.busy) == ([], True)
    await lines.settle(token, {1000: [b"1", b"2"]})
    third = await lines.take(2)
    assert [one.members for one in third.proposals] == [[b"3", b"4"]]


async def test_the_survivor_goes_back_to_its_place(lines: RedisLines) -> None:
    await put(lines, 1000, 1, 2, 3, 4)
    token, found = await taken(lines, 3)
    assert found == {1000: [1, 2, 3]}
    await lines.settle(token, {1000: [b"1"]})
    assert await standing(lines) == [2, 3, 4]


async def test_whoever_dies_holds_a_line_for_its_time_and_not_longer(lines: RedisLines) -> None:
    await put(lines, 1000, 1, 2, 3)
    await taken(lines, 2, visible_ms=300)

    async def free() -> dict[int, Any]:
        return (await taken(lines, 2))[1]

    assert await eventually_async(free) == {1000: [1, 2]}, "at their places, before the third"


async def test_who_comes_late_settles_nothing_of_anothers(lines: RedisLines) -> None:
    await put(lines, 1000, 1, 2, 3, 4)
    late, _ = await taken(lines, 2, visible_ms=1)
    await asyncio.sleep(0.01)
    token, found = await taken(lines, 2)
    assert found == {1000: [1, 2]}
    await lines.settle(late, {1000: [b"1"]})
    assert (await lines.take(2)).busy, "still the other's"
    await lines.settle(token, {1000: []})
    assert await standing(lines) == [2, 3, 4], "what it found over is over, and only that"


async def test_a_changed_stake_is_in_one_line(lines: RedisLines) -> None:
    await put(lines, 1000, 1, 2)
    assert await lines.reflect([TicketPlace(1, 5000, 9)]) == 2
    assert [await standing(lines), await standing(lines, 5000)] == [[2], [1]]
    assert await lines.reflect([TicketPlace(1, 5000, 9)]) == 0
    assert await lines.reflect([TicketPlace(1, None, None)]) == 1
    assert await standing(lines, 5000) == []


async def test_told_again_while_it_is_taken(lines: RedisLines) -> None:
    """At the same place: it stays with who has it. At another: it came back, behind the others."""
    await put(lines, 1000, 1, 2, 3)
    token, _ = await taken(lines, 2)
    assert await lines.reflect([TicketPlace(1, 1000, 1)]) == 0
    assert await lines.reflect([TicketPlace(2, 1000, 12)]) == 1
    await lines.settle(token, {1000: []})
    assert await standing(lines) == [1, 3, 2]


async def test_who_is_taken_is_not_in_line_as_well(lines: RedisLines, redis: GuardedRedis) -> None:
    """Somebody else put it there."""
    await put(lines, 1000, 1, 2)
    token, _ = await taken(lines)
    await redis.client.zadd(lines.key(1000), {"1": 99})
    assert await lines.reflect([TicketPlace(1, 1000, 1)]) == 1
    await lines.settle(token, {1000: []})
    assert await standing(lines) == [1, 2]


async def test_places_are_exact(lines: RedisLines) -> None:
    last = 2**53
    await lines.reflect([TicketPlace(n, 1000, last - n) for n in range(1, 6)])
    token, _ = await taken(lines)
    await lines.settle(token, {1000: [b"3"]})
    assert await standing(lines) == [5, 4, 2, 1]


async def test_a_mark_that_never_ends_is_none_of_ours(
    lines: RedisLines, redis: GuardedRedis
) -> None:
    await put(lines, 1000, 1, 2)
    await redis.client.set(f"{lines.key(1000)}:taken", "for ever")
    assert (await taken(lines))[1] == {1000: [1, 2]}


async def test_what_is_of_another_type_goes(lines: RedisLines, redis: GuardedRedis) -> None:
    await redis.client.set(lines.key(1000), "somebody else's")
    await redis.client.rpush(f"{lines.key(5000)}:processing", "a", "list")
    with pytest.raises(RedisAway, match="WRONGTYPE"):
        await lines.take(2)
    assert await lines.clean(lines.stakes) == 2
    assert await lines.clean(lines.stakes) == 0
    await put(lines, 1000, 1, 2)
    assert (await taken(lines))[1] == {1000: [1, 2]}


async def test_keys_end_when_nobody_comes(lines: RedisLines, redis: GuardedRedis) -> None:
    await put(lines, 1000, 1, 2, 3)
    await taken(lines, 2)
    for key in (lines.key(1000), f"{lines.key(1000)}:processing", f"{lines.key(1000)}:taken"):
        assert await redis.client.pttl(key) > 0


@pytest.mark.parametrize("answer", [b":5\r\n", b"*1\r\n:1\r\n", b"*2\r\n*1\r\n+x\r\n*1\r\n:0\r\n"])
async def test_something_else_that_answers(answer: bytes) -> None:
    async with answering(answer) as url, GuardedRedis(url, call_seconds=5.0) as odd:
        with pytest.raises(RedisAway, match="something else"):
            await RedisLines(odd, (1000, 5000)).take(2)


@pytest.mark.parametrize(
    ("member", "number"),
    [
        (b"17", 17),
        (b"9223372036854775807", 2**63 - 1),
        (b"9223372036854775808", None),
        (b"017", None),
        (b"0", None),
        (b"-3", None),
        (b"\xd9\xa3", None),
        (b"", None),
        (b"9" * 5000, None),
    ],
)
def test_which_members_are_tickets(member: bytes, number: int | None) -> None:
    assert ticket_id(member) == number
