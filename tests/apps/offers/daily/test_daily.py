"""From the plan of a date to its sets: once each, complete, the same every time."""

import random
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from handfast.apps.offers.daily import publishing
from handfast.apps.offers.daily.expectations import expectations
from handfast.apps.offers.daily.fan_out import enqueue_sets, users_due, zones_of
from handfast.apps.offers.daily.ids import MATCHMAKING_NAMESPACE, offer_id
from handfast.apps.offers.daily.planning import pin, round_of
from handfast.apps.offers.errors import AlgorithmUnknown
from handfast.apps.offers.rounds.picks import PickKind
from handfast.apps.offers.settings import OfferRules
from handfast.apps.offers.work import offers_crew
from handfast.db.pool import Database
from handfast.engine.gaps.expectation import Expectations
from handfast.engine.gaps.listing import list_gaps
from handfast.engine.gaps.repair import repair_gaps
from tests.support.offers import DAY, DUE_AT, PLANNED_AT, OffersDesk

pytestmark = pytest.mark.on_every_postgres


async def test_plan_then_sets(desk: OffersDesk) -> None:
    await desk.move_in(120)
    await desk.at(PLANNED_AT - timedelta(seconds=1))
    await desk.look()
    assert await desk.value("SELECT count(*) FROM handfast_engine.live") == 0, "too early"
    await desk.day_passes()
    pool = await desk.value("SELECT count(*) FROM handfast_people.pool")
    sets = await desk.sets()
    assert len(sets) == pool > 80
    offers = await desk.offers()
    assert sum(row[7] for row in sets) == len(offers) > 50
    assert all((row[7] > 0) == (row[6] is None) for row in sets)
    for id_, user, candidate, day, place, score, _themes, status, offered_at, expires_at in offers:
        assert id_ == offer_id(day, user, candidate)
        assert (day, status, offered_at) == (DAY, "offered", DUE_AT), "the due instant (R4)"
        assert expires_at == datetime.fromisoformat("2026-03-08T08:00:00+00:00")
        assert 1 <= place <= 3
        assert score >= 5000
    shown = {(row[1], row[2]) for row in offers}
    mutual = "SELECT user_id, candidate_id FROM handfast_offers.picks WHERE kind = $1"
    pairs = {(row[0], row[1]) for row in await desk.fetch(mutual, PickKind.MUTUAL)}
    assert len(shown) > len(pairs) > 50
    assert pairs <= shown
    assert all((candidate, user) in pairs for user, candidate in pairs), "both see each other"


async def test_everything_again_changes_nothing(desk: OffersDesk) -> None:
    await desk.move_in(60)
    await desk.day_passes()
    before = await desk.sets(), await desk.offers()
    events = await desk.value("SELECT count(*) FROM handfast_engine.emitted_events")
    assert events == len(before[0]) + 1, "one for each set, and one for the round"
    await desk.value("UPDATE handfast_offers.days SET fanned_out_at = NULL")
    await desk.value(
        "TRUNCATE handfast_engine.jobs, handfast_engine.live CASCADE"
    )  # as if all identities had been forgotten
    await desk.value("UPDATE handfast_people.users SET timezone = 'Europe/Paris'")
    await desk.look()
    await desk.work()
    assert (await desk.sets(), await desk.offers()) == before, "nor does a change of zone (R1)"
    assert await desk.value("SELECT count(*) FROM handfast_engine.emitted_events") == events


@pytest.mark.parametrize("batch", [1, 7])
async def test_the_same_bytes_whatever_the_batches_and_the_order(
    desk: OffersDesk, batch: int, chance: random.Random
) -> None:
    await desk.move_in(60)
    await desk.day_passes()
    first = repr((await desk.sets(), await desk.offers())).encode()
    await desk.forget_everything()
    users = [row[0] for row in await desk.fetch("SELECT id FROM handfast_people.users")]
    chance.shuffle(users)
    for user in users:  # each row moves to the end of its table
        await desk.value("UPDATE handfast_people.users SET bio = bio WHERE id = $1", user)
        await desk.value(
            "UPDATE handfast_people.answers SET version = version WHERE user_id = $1", user
        )
    await desk.day_passes(batch)
    assert repr((await desk.sets(), await desk.offers())).encode() == first


async def test_a_killed_plan_goes_on_from_its_snapshot(desk: OffersDesk) -> None:
    await desk.move_in(60)
    await desk.at(PLANNED_AT - timedelta(minutes=1))
    await desk.look()
    async with desk.database.transaction() as tx:  # as far as an attempt came that was killed
        await pin(tx, DAY, desk.rules)
    async with desk.database.connection() as connection:
        pinned = (await round_of(connection, DAY)).picks
    await desk.value("UPDATE handfast_people.users SET max_age = 18, min_age = 18")
    await desk.value(
        "SELECT count(*) FROM handfast_engine.enqueue('offers.plan', $1, $2, NULL, $3)",
        str(DAY),
        f'{{"day": "{DAY}"}}',
        '{"lane": "offers"}',
    )
    await desk.work()
    picks = await desk.value("SELECT count(*) FROM handfast_offers.picks")
    assert picks == len(pinned) > 0


async def test_sets_wait_for_their_round(desk: OffersDesk) -> None:
    await desk.move_in(40)
    await desk.at(PLANNED_AT - timedelta(minutes=1))
    await desk.look()
    user = await desk.value("SELECT id FROM handfast_people.pool ORDER BY id LIMIT 1")
    await desk.fetch("SELECT * FROM handfast.generate_offers($1, 'Europe/Berlin', $2)", DAY, user)
    await desk.work()
    states = "SELECT kind, state::text FROM handfast_engine.live ORDER BY kind"
    waiting = [tuple(row) for row in await desk.fetch(states)]
    assert waiting == [("offers.daily", "blocked"), ("offers.plan", "scheduled")]
    await desk.at(DUE_AT)
    await desk.work()
    assert user in {row[1] for row in await desk.sets()}
    attempts = "SELECT count(*) FROM handfast_engine.ended_attempts WHERE outcome <> 'succeeded'"
    assert await desk.value(attempts) == 0, "waiting is no failure"


async def test_catch_up_within_the_local_day_and_not_after(desk: OffersDesk) -> None:
    await desk.move_in(40)
    await desk.at(PLANNED_AT - timedelta(minutes=1))
    await desk.look()
    await desk.at(DUE_AT + timedelta(hours=14))  # down all day, and back at 23:00
    await desk.look()
    await desk.work()
    made = await desk.sets()
    assert {row[5] for row in made} == {"completed"}
    assert {row[4] for row in made} == {DUE_AT}
    await desk.at(DUE_AT + timedelta(days=1, hours=16))  # the next day was missed
    await desk.look()
    await desk.work()
    missed = [row for row in await desk.sets() if row[0] == DAY + timedelta(days=1)]
    assert len(missed) == len(made)
    assert {row[5:7] for row in missed} == {("skipped", "missed")}


async def test_a_day_that_is_closed_while_its_sets_are_made(
    desk: OffersDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was recorded as missed has no offers: whoever wrote the set first has it."""
    await desk.move_in(40)
    await desk.plan()
    picks, closed = publishing._picks, list[UUID]()

    async def picks_and_midnight(*args: Any) -> Any:
        if not closed:
            closed.extend(row[0] for row in await desk.fetch("SELECT id FROM handfast_people.pool"))
            async with desk.database.transaction() as tx:
                await publishing.skip_missed(tx, DAY, "Europe/Berlin", DUE_AT, closed)
        return await picks(*args)

    monkeypatch.setattr(publishing, "_picks", picks_and_midnight)
    await desk.day_passes()
    assert len(closed) > 20
    assert {(row[6], row[7]) for row in await desk.sets()} == {("missed", 0)}
    assert await desk.offers() == []


async def test_what_was_parted_since_is_left_out(desk: OffersDesk) -> None:
    await desk.move_in(60)
    await desk.plan()
    picks = [
        (row[0], row[1])
        for row in await desk.fetch(
            "SELECT user_id, candidate_id FROM handfast_offers.picks WHERE kind < $1 ORDER BY 1, 2",
            PickKind.RESERVE,
        )
    ]
    (ada, bob), gone = picks[0], picks[-1][1]
    assert gone not in (ada, bob)
    await desk.value(
        "INSERT INTO handfast_people.blocks VALUES ($1, $2, handfast_db.now(), NULL)", ada, bob
    )
    await desk.value("UPDATE handfast_people.users SET suspended = true WHERE id = $1", gone)
    await desk.at(DUE_AT)
    await desk.look()
    await desk.work()
    shown = {(row[1], row[2]) for row in await desk.offers()}
    left = {one for one in picks if gone not in one and set(one) != {ada, bob}}
    assert left <= shown
    assert not any(gone in one or set(one) == {ada, bob} for one in shown)
    lost = {user for user, _ in set(picks) - left}
    assert {user for user, _ in shown - left} <= lost, "the reserve is for who has lost one"
    removed = sum(len(row[8]) for row in await desk.sets())
    assert removed == len([one for one in picks if one[0] != gone]) - len(left)


async def test_offers_expire(desk: OffersDesk) -> None:
    await desk.move_in(40)
    await desk.day_passes()
    await desk.at(DUE_AT + timedelta(days=6) - timedelta(seconds=1))
    await desk.look()
    assert {row[7] for row in await desk.offers()} == {"offered"}
    await desk.at(DUE_AT + timedelta(days=6))
    await desk.look()
    await desk.work()
    assert {row[7] for row in await desk.offers() if row[3] == DAY} == {"expired"}


async def test_the_next_day_offers_nobody_again(desk: OffersDesk) -> None:
    await desk.move_in(60)
    await desk.day_passes()
    for hours in (23, 24):
        await desk.at(DUE_AT + timedelta(hours=hours))
        await desk.look()
        await desk.work()
    offers = await desk.offers()
    assert {row[3] for row in offers} == {DAY, DAY + timedelta(days=1)}
    pairs = [(row[1], row[2]) for row in offers]
    assert len(set(pairs)) == len(pairs)


async def test_the_ledger_of_the_source(desk: OffersDesk) -> None:
    await desk.move_in(40)
    await desk.plan()
    await desk.at(DUE_AT)
    async with desk.database.transaction() as tx:  # as the fan-out does, which goes on at once
        (berlin,) = await zones_of(tx, DAY, "Europe/Berlin")
        await enqueue_sets(tx, berlin, await users_due(tx, berlin))
    sql = "SELECT * FROM handfast.matchmaking_jobs ORDER BY user_id"
    pending = await desk.fetch(sql)
    assert {(row["status"], row["batch_date"], row["timezone"]) for row in pending} == {
        ("pending", DAY, "Europe/Berlin")
    }
    await desk.work()
    done = await desk.fetch(sql)
    assert [row["idempotency_key"] for row in done] == [row["idempotency_key"] for row in pending]
    assert {row["status"] for row in done} == {"completed"}
    assert {row["attempt_count"] for row in done} == {1}
    user = next(row["user_id"] for row in done if row["offers"])
    stored = await desk.fetch(
        "SELECT * FROM handfast.generate_offers($1, 'Europe/Berlin', $2)", DAY, user
    )
    assert [row["id"] for row in stored] == [
        row[0] for row in await desk.offers() if row[1] == user
    ]


async def test_a_missing_set_is_a_gap(desk: OffersDesk) -> None:
    await desk.move_in(40)
    await desk.day_passes()
    await desk.at(DUE_AT + timedelta(hours=1))
    expected = Expectations()
    for one in expectations():
        expected.add(one)
    _, report, _ = await list_gaps(desk.database, expected)
    assert (report.expected, report.gaps) == (len(await desk.sets()), [])
    await desk.move_in(10, seed=2)  # from another zone, say: nobody has enqueued theirs
    _, report, _ = await list_gaps(desk.database, expected)
    assert 0 < report.missing == len(report.gaps) <= 10
    await repair_gaps(desk.database, expected, offers_crew(desk.database, desk.rules).kinds)
    await desk.work()
    _, report, _ = await list_gaps(desk.database, expected)
    assert report.gaps == []
    assert report.expected == len(await desk.sets())


async def test_an_unknown_selection_is_refused(database: Database) -> None:
    async with database.transaction() as tx:
        with pytest.raises(AlgorithmUnknown):
            await pin(tx, DAY, OfferRules(selection="best"))
        assert await tx.fetchval("SELECT count(*) FROM handfast_offers.plans") == 0


def test_ids_are_pinned() -> None:
    """The example of the docs: it never changes."""
    assert str(MATCHMAKING_NAMESPACE) == "1692019a-c886-5bf5-a3ad-f8addfdac39c"
    made = offer_id(date(2026, 2, 19), UUID(int=1), UUID(int=2))
    assert str(made) == "3c18a7c6-7e99-56dc-85c5-bdf1ecef8cff"
