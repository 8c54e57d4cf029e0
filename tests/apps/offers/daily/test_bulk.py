"""What must not cost more for each the more there are."""

from uuid import UUID

from handfast.apps.offers.daily.apart import (
    PAIR,
    KeptApart,
    apart_pairs,
    kept_apart,
    read_apart,
    shown,
)
from handfast.apps.offers.rounds.making import NEVER
from tests.support.offers import DAY, OffersDesk, people
from tests.support.rows_read import rows_read

SCHEMAS = ("handfast_offers", "handfast_people")
PLAN = (
    "INSERT INTO handfast_offers.plans (day, pinned_at, people, score, selection, settings)"
    " VALUES ($1, now(), 0, 'v1', 'mutual', '{}')"
)
APART = "INSERT INTO handfast_offers.kept_apart VALUES ($1, $2, $3, $4, $5, $6)"


async def test_publishing_looks_at_the_rows_of_its_batch_alone(desk: OffersDesk) -> None:
    """Also while the database knows nothing of tables that a day has just filled: by its own
    guess each batch read all sets, all live offers and all users."""
    await desk.move_in(120)
    await desk.day_passes()
    users = [row[1] for row in (await desk.sets())[:5]]
    days, zones = [DAY] * 5, ["Europe/Berlin"] * 5
    async with desk.database.transaction() as tx:
        before = await rows_read(tx, *SCHEMAS)
        standing = await tx.fetch(
            "SELECT has_set FROM handfast_offers.publishable($1, $2, $3, 'daily_offers')",
            *(days, users, zones),
        )
        picks = await tx.fetch(
            "SELECT is_removed FROM handfast_offers.picks_of($1, $2, '{0,1,2,3}')", days, users
        )
        late = await tx.fetch("SELECT * FROM handfast_offers.latecomers($1, $2)", days, users)
        after = await rows_read(tx, *SCHEMAS)
    assert [row[0] for row in standing] == [True] * 5
    assert len(picks) > 5, "all of them are live offers by now, or in reserve"
    assert {row[0] for row in picks} == {True, False}
    assert late == []
    for table, most in {
        "sets": 5,
        "round_members": 2 * 5,
        "picked": 5,
        "match_offers": len(picks),
        "users": 5 + len(picks),
    }.items():
        assert after[table].scans == before[table].scans, table
        assert after[table].rows - before[table].rows <= most, table


async def test_pairs_are_read_page_by_page(desk: OffersDesk) -> None:
    ids = sorted(one.id for one in people(6))
    stranger = UUID(int=2**128 - 1)
    rows = [
        KeptApart(ids[0], ids[1], None, 3, "blocked"),
        KeptApart(ids[0], ids[2], None, 1, "offered"),
        KeptApart(ids[0], ids[3], None, 3, "offered"),
        KeptApart(ids[1], ids[2], 6000, 0, "passed_before"),
        KeptApart(ids[4], ids[5], None, 2, "offered"),
        KeptApart(ids[4], stranger, None, 3, "offered"),
    ]
    async with desk.database.transaction() as tx:
        await tx.execute(PLAN, DAY)
        for one in rows:
            values = (one.low_id, one.high_id, one.at_least, one.live, one.reason)
            await tx.execute(APART, DAY, *values)
        expected = apart_pairs(ids, rows)
        for page in (1, 2, 5, 6, 7):
            assert (await read_apart(tx, DAY, ids, page) == expected).all(), page
        assert len(await read_apart(tx, DAY, [])) == 0
    assert kept_apart(expected).tolist() == [
        *([0, 1, NEVER], [0, 2, NEVER], [0, 3, NEVER], [1, 2, 6000], [4, 5, NEVER])
    ]
    offered = expected[expected["offered"]]
    assert sorted(shown(offered).tolist()) == [[0, 2], [0, 3], [3, 0], [5, 4]]
    assert expected.dtype == PAIR
