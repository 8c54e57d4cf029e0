"""Finishing many attempts at once: the short way (one token, no results) and the long way."""

import pytest

from tests.support.workers_here import Workers

pytestmark = pytest.mark.on_every_postgres

CLAIM = "SELECT id FROM handfast_engine.claim(NULL, '{default}', 10, '1 hour') ORDER BY id"


@pytest.fixture
async def ids(shop: Workers) -> list[int]:
    for key in "abcd":
        await shop.enqueue("t.job", key)
    found: list[int] = await shop.column(CLAIM)
    await shop.fetch("UPDATE handfast_engine.live SET token = 1")  # easier to read than the clock's
    return found


async def finished(shop: Workers) -> list[int]:
    return await shop.column(
        "SELECT id FROM handfast_engine.jobs WHERE state = 'succeeded' ORDER BY id"
    )


@pytest.mark.parametrize("result", [None, "{}"])
async def test_only_the_holder_of_the_token_finishes(
    shop: Workers, ids: list[int], result: str | None
) -> None:
    """``b`` was taken from us and given to somebody else, ``c`` is waiting again."""
    await shop.fetch("UPDATE handfast_engine.live SET token = 2 WHERE key = 'b'")
    await shop.fetch(
        "SELECT handfast_engine.hand_back(ARRAY[$1::bigint], ARRAY[1::bigint])", ids[2]
    )
    results = None if result is None else [result] * 4
    finish = "SELECT handfast_engine.finish($1, $2, $3::jsonb[])"
    accepted = await shop.fetch(finish, ids, [1] * 4, results)
    assert sorted(accepted) == [ids[0], ids[3]] == await finished(shop)
    assert await shop.fetch(finish, ids, [1] * 4, results) == []
    assert await shop.column(
        "SELECT job_id FROM handfast_engine.attempts WHERE outcome = 'succeeded' ORDER BY job_id"
    ) == [
        ids[0],
        ids[3],
    ]


async def test_different_tokens_each_with_its_own_job(shop: Workers, ids: list[int]) -> None:
    await shop.fetch("UPDATE handfast_engine.live SET token = 7 WHERE key = 'b'")
    accepted = await shop.fetch("SELECT handfast_engine.finish($1, $2)", ids, [1, 7, 1, 7])
    assert sorted(accepted) == ids[:3] == await finished(shop)
    tokens = await shop.column(
        "SELECT token FROM handfast_engine.jobs WHERE id = ANY ($1) ORDER BY id", ids
    )
    assert tokens == [1, 7, 1, 0]


async def test_a_list_that_is_too_short_finishes_nothing_more(
    shop: Workers, ids: list[int]
) -> None:
    assert await shop.fetch("SELECT handfast_engine.finish($1, $2)", ids, [1]) == ids[:1]


async def test_nothing_at_all(shop: Workers) -> None:
    assert await shop.fetch("SELECT handfast_engine.finish('{}', '{}')") == []
