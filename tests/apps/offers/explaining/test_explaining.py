"""Replay, explain, compare, by hand: from what is stored."""

from datetime import timedelta
from uuid import UUID, uuid4

import msgspec
import pytest

from handfast.apps.offers.errors import SnapshotGone
from handfast.apps.offers.explaining.comparing import compare
from handfast.apps.offers.explaining.generating import generate, lacking
from handfast.apps.offers.explaining.pairs import explain_pair, latest_plan
from handfast.apps.offers.explaining.replaying import replay_round, replay_set
from handfast.apps.offers.explaining.views import list_rounds, list_sets, list_zones, offer_stats
from handfast.apps.offers.users.following import on_erased
from handfast.base.errors import InvalidRequest, NotFound
from handfast.engine.operating.audit import Actor
from tests.support.offers import DAY, DUE_AT, PLANNED_AT, OffersDesk

BY_HAND = Actor("cli:test")


async def test_a_round_and_its_sets_are_computed_again(desk: OffersDesk) -> None:
    await desk.move_in(60)
    await desk.plan()
    await desk.value(
        "INSERT INTO handfast_people.blocks SELECT c.user_id, c.candidate_id, handfast_db.now()"
        " FROM handfast_offers.picks AS c ORDER BY c.user_id, c.place LIMIT 1"
    )
    await desk.move_in(10, seed=2)
    await desk.at(DUE_AT)
    await desk.work()
    user: UUID = (await desk.offers())[0][1]
    async with desk.database.connection() as on:
        whole = await replay_round(on, await latest_plan(on))
        assert whole.same
        assert whole.compared > 20
        for one in {row[1] for row in await desk.offers()}:
            assert (await replay_set(on, DAY, one)).same
        removed = await desk.value(
            "SELECT count(*) FROM handfast_offers.sets WHERE removed <> '{}'"
        )
        assert removed == 2, "both sides of the block"
        with pytest.raises(NotFound):
            await replay_set(on, DAY, uuid4())
        with pytest.raises(NotFound):
            await replay_round(on, DAY - timedelta(days=400))
    await desk.value(
        "UPDATE handfast_offers.picked SET scores = ARRAY(SELECT s + 1 FROM unnest(scores) AS s)"
        " WHERE user_id = $1",
        user,
    )
    await desk.value(
        "UPDATE handfast_offers.match_offers SET score = score + 2 WHERE user_id = $1", user
    )
    async with desk.database.connection() as on:
        differing = await replay_round(on, DAY)
        assert str(user) in differing.differences[0]
        assert not (await replay_set(on, DAY, user)).same
    async with desk.database.transaction() as tx:
        await on_erased(tx, user)
        with pytest.raises(SnapshotGone):
            await replay_round(tx, DAY)


async def test_why_two_were_taken_or_not(desk: OffersDesk) -> None:
    people = await desk.fit_for_each_other(6)
    ada, bob, *_ = people
    stranger = uuid4()
    block = "INSERT INTO handfast_people.blocks VALUES ($1, $2, handfast_db.now(), NULL)"
    await desk.value(block, ada, people[1])
    await desk.value(
        "UPDATE handfast_people.users SET max_distance_km = 1 WHERE id = $1", people[5]
    )
    await desk.value(
        "UPDATE handfast_people.users SET place_x = place_x + 1000 WHERE id = $1", people[5]
    )
    await desk.plan()
    async with desk.database.connection() as on:

        async def verdict(one: UUID, other: UUID) -> str:
            return (await explain_pair(on, DAY, one, other)).verdict

        assert await verdict(ada, bob) == "Not eligible: blocked."
        assert await verdict(ada, people[5]) == "Not eligible: distance."
        assert await verdict(ada, stranger) == f"{stranger} is in no snapshot: unknown."
        assert await verdict(ada, people[2]) == "Taken: mutual, at place 1."
        explained = await explain_pair(on, DAY, ada, people[2])
        assert explained.fit is not None
        assert explained.score is not None
        assert explained.fit > explained.score > 9000, "some answers are missing"
        assert explained.sees == explained.is_seen, "they have answered alike"
    await desk.value("UPDATE handfast_offers.round_members SET places = 1")
    await desk.value("DELETE FROM handfast_offers.picked WHERE user_id <> $1", ada)
    await desk.value(
        "UPDATE handfast_offers.picked SET candidates = candidates[1:1], places = places[1:1],"
        " scores = scores[1:1], kinds = kinds[1:1], themes = themes[1:1]"
    )
    async with desk.database.connection() as on:
        said = (await explain_pair(on, DAY, ada, people[3])).verdict
        assert said.startswith(f"Not taken: no place left for {ada}")


async def test_both_selections_on_one_snapshot(desk: OffersDesk) -> None:
    desk.rules = msgspec.structs.replace(desk.rules, one_sided=False)
    await desk.move_in(60)
    await desk.day_passes()
    async with desk.database.connection() as on:
        mutual, top = await compare(on, DAY)
        assert (mutual.selection, mutual.chosen, mutual.figures.mutual_share) == (
            *("mutual", True),
            10_000,
        )
        assert (top.selection, top.chosen) == ("top", False)
        assert top.figures.mutual_share <= 10_000
        assert top.figures.offers >= mutual.figures.offers
        assert mutual.matches_expected is None, "nobody has decided yet"
        (made,) = await list_rounds(on, None, 10)
        assert made.figures == mutual.figures, "stored as they are computed again"
    await desk.value(
        "UPDATE handfast_offers.match_offers SET status = 'accepted', accepted_at = offered_at"
    )
    async with desk.database.connection() as on:
        mutual, _ = await compare(on, DAY)
        assert mutual.matches_expected == mutual.figures.offers / 2, "all accept: all match"


async def test_what_operators_see(desk: OffersDesk) -> None:
    await desk.move_in(40)
    await desk.plan()
    async with desk.database.connection() as on:
        (berlin,) = await list_zones(on, DAY)
        assert (berlin.zone, berlin.made, berlin.skipped) == ("Europe/Berlin", 0, 0)
    await desk.at(DUE_AT)
    await desk.work()
    async with desk.database.connection() as on:
        (made,) = await list_zones(on, DAY)
        assert made.expected == berlin.expected == made.made > made.empty > 0
        user = (await desk.offers())[0][1]
        (mine,) = await list_sets(on, user, None, 10)
        assert [one.why for one in mine.offers] == ["mutual"] * len(mine.offers)
        found = await offer_stats(on, DAY, 7)
        assert sum(found.sets.values()) == made.made
        assert found.offers == {"offered": made.offers}


async def test_sets_by_hand(desk: OffersDesk) -> None:
    await desk.move_in(40)
    await desk.at(PLANNED_AT - timedelta(hours=2))
    await desk.look()
    with pytest.raises(NotFound):  # not due anywhere
        await lacking(desk.database, DAY, None, None)
    with pytest.raises(InvalidRequest):
        await lacking(desk.database, DAY + timedelta(days=30), None, None)
    await desk.at(DUE_AT)
    with pytest.raises(NotFound):
        await lacking(desk.database, DAY, "Atlantis/Capital", None)
    found, by_zone = await lacking(desk.database, DAY, "Europe/Berlin", None)
    assert (found.users, found.has_round, await desk.sets()) == (33, False, [])
    (zone,) = by_zone
    few = {zone: by_zone[zone][:5]}
    said: list[tuple[int, int]] = []
    made = await generate(
        desk.database, desk.rules, DAY, few, lambda *now: said.append(now), actor=BY_HAND
    )
    assert (made, said[-1]) == (5, (5, 5))
    first = await desk.sets()
    assert [row[1] for row in first] == by_zone[zone][:5]
    await generate(desk.database, desk.rules, DAY, by_zone, lambda *_: None, actor=BY_HAND)
    sets = await desk.sets()
    assert (len(sets), sets[:5]) == (found.users, first), "those that were there stay"
    nothing, _ = await lacking(desk.database, DAY, None, None)
    assert nothing.users == 0
