"""Old addresses of startups."""

import asyncio
from types import NoneType

import asyncpg
import pytest

from tests.support.startups import list_startups, startup_of

Alias = tuple[str, str]


async def note(connection: "asyncpg.Connection", old: str, new: str) -> None:
    await connection.execute(
        "INSERT INTO handfast_runs.aliases (canonical_url, target) VALUES ($1, $2)", old, new
    )


async def noted(connection: "asyncpg.Connection") -> set[Alias]:
    rows = await connection.fetch("SELECT canonical_url, target FROM handfast_runs.aliases")
    return {(row["canonical_url"], row["target"]) for row in rows}


async def test_an_old_address_leads_to_the_new(connection: "asyncpg.Connection") -> None:
    await list_startups(connection, ["https://new.com"])
    await note(connection, "HTTP://www.old.com/", "new.com/?utm_source=x")
    assert await noted(connection) == {("https://old.com", "https://new.com")}
    for url in ("old.com", "https://old.com/pricing?x=1", "app.old.com"):
        assert await startup_of(connection, url) == "https://new.com"
    apply = "SELECT handfast_runs.apply_alias(handfast_runs.canonicalize_url($1))"
    assert await connection.fetchval(apply, "www.old.com") == "https://new.com"
    assert await connection.fetchval(apply, "www.new.com") == "https://new.com"


async def test_the_corpus_may_still_know_the_old_one(connection: "asyncpg.Connection") -> None:
    await list_startups(connection, ["https://old.com"])
    await note(connection, "old.com", "new.com")
    await note(connection, "older.com", "new.com")
    for url in ("old.com", "new.com/x", "older.com"):
        assert await startup_of(connection, url) == "https://old.com"


async def test_the_present_address_comes_first(connection: "asyncpg.Connection") -> None:
    await list_startups(connection, ["https://old.com", "https://new.com"])
    await note(connection, "old.com", "new.com")
    assert await startup_of(connection, "old.com") == "https://new.com"


async def test_part_of_a_site_can_move(connection: "asyncpg.Connection") -> None:
    await list_startups(connection, ["https://big.com", "https://spun-off.com"])
    await note(connection, "big.com/labs", "spun-off.com")
    assert await startup_of(connection, "big.com/labs/x") == "https://spun-off.com"
    assert await startup_of(connection, "big.com/about") == "https://big.com"


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (1, 2, 0)])
async def test_a_chain_is_written_flat(
    connection: "asyncpg.Connection", order: tuple[int, ...]
) -> None:
    chain = [("a.com", "b.com"), ("b.com", "c.com"), ("c.com", "d.com")]
    for index in order:
        await note(connection, *chain[index])
    assert await noted(connection) == {
        (f"https://{name}.com", "https://d.com") for name in ("a", "b", "c")
    }


async def test_a_cycle_is_refused(connection: "asyncpg.Connection") -> None:
    await note(connection, "a.com", "b.com")
    await note(connection, "b.com", "c.com")
    for old, new in (("c.com", "a.com"), ("c.com", "b.com"), ("x.com", "www.x.com")):
        with pytest.raises(asyncpg.CheckViolationError) as refused:
            await note(connection, old, new)
        assert refused.value.constraint_name == "alias_elsewhere"
        assert "Delete the alias" in str(refused.value.hint)
    assert len(await noted(connection)) == 2


async def test_two_at_once_make_no_cycle(dsn: str, connection: "asyncpg.Connection") -> None:
    other = await asyncpg.connect(dsn)
    try:
        for n in range(10):
            results = await asyncio.gather(
                note(connection, f"a{n}.com", f"b{n}.com"),
                note(other, f"b{n}.com", f"a{n}.com"),
                return_exceptions=True,
            )
            assert {type(result) for result in results} == {asyncpg.CheckViolationError, NoneType}
        async with connection.transaction():
            await note(connection, "m.com", "n.com")
            waiting = asyncio.create_task(note(other, "n.com", "m.com"))
            await asyncio.sleep(0.1)
            assert not waiting.done()
        with pytest.raises(asyncpg.CheckViolationError):
            await waiting
    finally:
        await other.close()
    both = await noted(connection)
    assert {target for _, target in both}.isdisjoint({old for old, _ in both})


async def test_what_is_no_url_is_refused(connection: "asyncpg.Connection") -> None:
    with pytest.raises(asyncpg.PostgresError) as refused:
        await note(connection, "javascript:alert(1)", "a.com")
    assert refused.value.sqlstate == "HF002"
