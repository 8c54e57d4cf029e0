"""What is in a set besides the pairs of the round: the offer of the week, the reserve, those who
come late, and half of a pair."""

from datetime import timedelta
from uuid import UUID

import pytest

from handfast.apps.offers.daily.ids import MATCHMAKING_NAMESPACE, SetType, offer_id
from handfast.apps.offers.daily.planning import choose, round_of
from handfast.apps.offers.explaining.pairs import explain_pair
from handfast.apps.offers.explaining.replaying import replay_round
from handfast.apps.offers.rounds.picks import PickKind
from handfast.apps.offers.settings import OfferRules
from handfast.db.pool import Database
from tests.support.offers import DAY, DUE_AT, NOW, PLANNED_AT, OffersDesk

SHOWN = "SELECT candidate_id FROM handfast_offers.match_offers WHERE user_id = $1 AND day = $2"


async def shown_to(desk: OffersDesk, user: UUID) -> list[UUID]:
    return [row[0] for row in await desk.fetch(f"{SHOWN} ORDER BY place", user, DAY)]


async def put_pick(desk: OffersDesk, user: UUID, candidate: UUID, kind: PickKind) -> None:
    place = "SELECT count(*) + 1 FROM handfast_offers.picks WHERE user_id = $1"
    await desk.value(
        "INSERT INTO handfast_offers.picked AS p VALUES"
        " ($1, $2, ARRAY[$3::uuid], ARRAY[$4::smallint], '{6000}', ARRAY[$5::smallint], '{values}')"
        " ON CONFLICT (day, user_id)"
        " DO UPDATE SET candidates = p.candidates || excluded.candidates,"
        " places = p.places || excluded.places, scores = p.scores || excluded.scores,"
        " kinds = p.kinds || excluded.kinds, themes = p.themes || excluded.themes",
        *(DAY, user, candidate, await desk.value(place, user), int(kind)),
    )


async def test_the_offer_of_the_week(database: Database) -> None:
    desk = OffersDesk(database, OfferRules(anchor_day=1, per_day=2))
    await desk.at(NOW)
    people = await desk.fit_for_each_other(4)
    await desk.day_passes()
    weekly = await desk.fetch(
        "SELECT id, user_id, offers FROM handfast_offers.sets WHERE type = 'weekly_anchor'"
    )
    assert sorted(row[1] for row in weekly) == people, "one for each: all are equally good"
    offers = await desk.fetch(
        "SELECT id, user_id, candidate_id, kind, place FROM handfast_offers.match_offers"
    )
    anchors = {row[1]: row for row in offers if row[3] == PickKind.ANCHOR}
    assert set(anchors) == set(people)
    for user, row in anchors.items():
        assert row[0] == offer_id(DAY, user, row[2], SetType.WEEKLY)
        assert anchors[row[2]][2] == user, "both are shown each other"
    daily = [(row[1], row[2]) for row in offers if row[3] == PickKind.MUTUAL]
    assert len(daily) == 4, "the other one of two places"
    assert not set(daily) & {(row[1], row[2]) for row in anchors.values()}
    keys = "SELECT key FROM handfast_engine.known_jobs WHERE kind = 'offers.weekly_anchor'"
    assert {row[0] for row in await desk.fetch(keys)} == {f"2026-W10:{one}" for one in people}
    await desk.at(DUE_AT + timedelta(days=1))
    await desk.look()
    await desk.work()
    count = "SELECT count(*) FROM handfast_offers.sets WHERE type = 'weekly_anchor'"
    assert await desk.value(count) == len(people), "once in a week"
    view = "SELECT job_type, attempt_count FROM handfast.matchmaking_jobs WHERE batch_date = $1"
    types = [tuple(row) for row in await desk.fetch(view, DAY)]
    assert sorted(types) == [("daily_offers", 1)] * 4 + [("weekly_anchor", 1)] * 4


def test_the_id_of_a_weekly_offer_is_pinned() -> None:
    made = offer_id(DAY, UUID(int=1), UUID(int=2), SetType.WEEKLY)
    from uuid import uuid5  # the rule, written out

    assert made == uuid5(MATCHMAKING_NAMESPACE, f"2026-W10:{UUID(int=1)}:{UUID(int=2)}")


async def test_the_reserve_takes_the_place_of_what_is_removed(database: Database) -> None:
    desk = OffersDesk(database, OfferRules(anchor_day=7, per_day=1))
    await desk.at(NOW)
    ada, bob, eve, flo, *_ = await desk.fit_for_each_other(4)
    await desk.plan()
    await desk.value("DELETE FROM handfast_offers.picked")
    await put_pick(desk, ada, bob, PickKind.MUTUAL)
    for one in (eve, flo):
        await put_pick(desk, ada, one, PickKind.RESERVE)
    await put_pick(desk, bob, eve, PickKind.MUTUAL)
    await put_pick(desk, bob, flo, PickKind.RESERVE)
    block = "INSERT INTO handfast_people.blocks VALUES ($1, $2, handfast_db.now(), NULL)"
    await desk.value(block, bob, ada)
    await desk.value("UPDATE handfast_people.users SET suspended = true WHERE id = $1", eve)
    await desk.at(DUE_AT)
    await desk.work()
    assert await shown_to(desk, ada) == [flo], "the first of the reserve must not be shown either"
    assert await shown_to(desk, bob) == [flo]
    removed = "SELECT removed FROM handfast_offers.sets WHERE user_id = $1"
    assert await desk.value(removed, ada) == [bob, eve]
    assert await desk.value(removed, bob) == [eve]


async def test_without_a_hole_the_reserve_is_not_shown(database: Database) -> None:
    desk = OffersDesk(database, OfferRules(anchor_day=7, per_day=1))
    await desk.at(NOW)
    ada, bob, eve = await desk.fit_for_each_other(3)
    await desk.plan()
    await desk.value("DELETE FROM handfast_offers.picked")
    await put_pick(desk, ada, bob, PickKind.MUTUAL)
    await put_pick(desk, ada, eve, PickKind.RESERVE)
    await desk.at(DUE_AT)
    await desk.work()
    assert await shown_to(desk, ada) == [bob]


async def test_who_comes_after_the_plan_gets_one_sided_offers(desk: OffersDesk) -> None:
    people = await desk.fit_for_each_other(5)
    late = people[2]
    await desk.value("UPDATE handfast_people.users SET matching = false WHERE id = $1", late)
    await desk.plan()
    before = await desk.value("SELECT count(*) FROM handfast_offers.picks")
    await desk.value("UPDATE handfast_people.users SET matching = true WHERE id = $1", late)
    blocked = people[0]
    block = "INSERT INTO handfast_people.blocks VALUES ($1, $2, handfast_db.now(), NULL)"
    await desk.value(block, blocked, late)
    await desk.at(DUE_AT)
    await desk.work()
    assert await shown_to(desk, late) == [one for one in people if one not in (late, blocked)]
    kinds = "SELECT DISTINCT kind FROM handfast_offers.match_offers WHERE user_id = $1"
    assert await desk.value(kinds, late) == PickKind.ONE_SIDED
    for one in people:
        assert late not in await shown_to(desk, one), "nobody else's set has changed"
    after = "SELECT count(*) FROM handfast_offers.picks WHERE user_id <> $1"
    assert await desk.value(after, late) == before
    assert await desk.value("SELECT people FROM handfast_offers.plans") == len(people) - 1


async def test_half_of_a_pair_is_no_new_pair_and_who_accepted_is_returned_to(
    desk: OffersDesk,
) -> None:
    """Ada was shown Bob, and not the other way round."""
    ada, bob = await desk.fit_for_each_other(2)
    await desk.value(
        "INSERT INTO handfast_offers.match_offers (id, user_id, candidate_id, day, place, score,"
        " kind, themes, offered_at, expires_at) VALUES (gen_random_uuid(), $1, $2, $3, 1, 9000,"
        " 2, '{}', $4, $5)",
        *(ada, bob, DAY - timedelta(days=1), NOW, DUE_AT + timedelta(days=5)),
    )
    await desk.plan()
    apart = "SELECT live, reason FROM handfast_offers.kept_apart"
    assert [tuple(row) for row in await desk.fetch(apart)] == [(1, "offered")], "to Ada alone"
    assert await desk.value("SELECT count(*) FROM handfast_offers.picks") == 0
    await desk.at(DUE_AT + timedelta(hours=1))
    await desk.value(
        "UPDATE handfast_offers.match_offers SET status = 'accepted',"
        " accepted_at = handfast_db.now()"
    )
    await desk.at(PLANNED_AT + timedelta(days=1))
    await desk.look()
    await desk.work()
    await desk.at(DUE_AT + timedelta(days=1))
    await desk.work()
    sql = "SELECT candidate_id, kind FROM handfast_offers.match_offers WHERE user_id = $1"
    returned = [tuple(row) for row in await desk.fetch(sql, bob)]
    assert returned == [(ada, PickKind.RETURN)], "accepted: Bob is shown Ada"
    assert len(await desk.fetch(sql, ada)) == 1


async def test_a_pass_keeps_both_apart_and_one_more_offer_needs_a_higher_score(
    desk: OffersDesk,
) -> None:
    ada, bob = await desk.fit_for_each_other(2)
    put = (
        "INSERT INTO handfast_offers.match_offers (id, user_id, candidate_id, day, place, score,"
        " kind, themes, offered_at, expires_at, status, acted_at, cooldown_until) VALUES"
        " (gen_random_uuid(), $1, $2, $3, 1, $4, 1, '{}', $5, $5, 'passed', $5, $6)"
    )
    long_ago, over = NOW - timedelta(days=100), NOW - timedelta(days=10)
    await desk.value(put, bob, ada, long_ago.date(), 9500, long_ago, over)
    await desk.plan()
    apart = "SELECT at_least, reason FROM handfast_offers.kept_apart WHERE day = $1"
    assert tuple((await desk.fetch(apart, DAY))[0]) == (10300, "passed_before")
    assert await desk.value("SELECT count(*) FROM handfast_offers.picks") == 0
    await desk.forget_everything()
    await desk.value(put, bob, ada, long_ago.date(), 5000, long_ago, over)
    await desk.plan()
    assert await desk.value("SELECT count(*) FROM handfast_offers.picks") == 2, "it has risen"


@pytest.mark.parametrize(
    ("status", "other_side", "said"),
    [
        ("expired", False, (None, "passed_twice")),
        ("offered", False, (None, "passed_twice")),  # its time is over, and nobody has written so
        ("expired", True, (None, "passed_twice")),
        (None, False, (5800, "passed_before")),
    ],
)
async def test_after_a_pass_there_is_one_more_offer_whatever_becomes_of_it(
    desk: OffersDesk, status: str | None, other_side: bool, said: tuple[int | None, str]
) -> None:
    ada, bob = await desk.fit_for_each_other(2)
    put = (
        "INSERT INTO handfast_offers.match_offers (id, user_id, candidate_id, day, place, score,"
        " kind, themes, offered_at, expires_at, status, acted_at, cooldown_until) VALUES"
        " (gen_random_uuid(), $1, $2, $3, 1, 5000, 1, '{}', $4, $5, $6, $7, $8)"
    )
    first, over = NOW - timedelta(days=100), NOW - timedelta(days=10)
    acted = first + timedelta(hours=2)
    await desk.value(put, bob, ada, first.date(), first, first, "passed", acted, over)
    await desk.value(put, ada, bob, first.date(), first, first, "expired", None, None)
    if status is not None:
        pair = (ada, bob) if other_side else (bob, ada)
        await desk.value(put, *pair, over.date(), over, NOW, status, None, None)
    await desk.plan()
    apart = "SELECT at_least, reason FROM handfast_offers.kept_apart WHERE day = $1"
    assert tuple((await desk.fetch(apart, DAY))[0]) == said
    picked = await desk.value("SELECT count(*) FROM handfast_offers.picks")
    assert picked == (2 if status is None else 0)


async def test_a_round_is_told_of_once(desk: OffersDesk) -> None:
    await desk.fit_for_each_other(2)
    await desk.plan()
    async with desk.database.transaction() as tx:  # somebody comes second
        await choose(tx, DAY, await round_of(tx, DAY))
    told = "SELECT aggregate, data::jsonb ->> 'offers', data::jsonb ->> 'day'"
    told += " FROM handfast_engine.events WHERE type = 'offers.round_done'"
    assert [tuple(row) for row in await desk.fetch(told)] == [(f"round:{DAY}", "2", str(DAY))]


@pytest.mark.parametrize("selection", ["top", "mutual"])
async def test_a_live_offer_keeps_its_candidate_from_its_user_only(
    selection: str, database: Database
) -> None:
    """With ``top``; a selection of pairs leaves both alone."""
    desk = OffersDesk(database, OfferRules(anchor_day=7, selection=selection, one_sided=False))
    await desk.at(NOW)
    ada, bob = await desk.fit_for_each_other(2)
    await desk.value(
        "INSERT INTO handfast_offers.match_offers (id, user_id, candidate_id, day, place, score,"
        " kind, themes, offered_at, expires_at) VALUES"
        " (gen_random_uuid(), $1, $2, $3, 1, 9000, 2, '{}', $4::timestamptz,"
        " $4 + interval '6 days')",
        *(ada, bob, NOW.date(), NOW),
    )
    await desk.day_passes()
    assert await shown_to(desk, ada) == []
    assert await shown_to(desk, bob) == ([ada] if selection == "top" else [])
    async with database.connection() as on:
        assert (await replay_round(on, DAY)).same
        refused = [
            (await explain_pair(on, DAY, one, other)).refused_by
            for one, other in ((ada, bob), (bob, ada))
        ]
    assert refused == ["offered", None if selection == "top" else "offered"]
