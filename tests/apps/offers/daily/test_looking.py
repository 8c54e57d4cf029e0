"""The look at the clock: jobs for what is due, and none where there is nothing to do."""

from datetime import timedelta

import pytest

from handfast.apps.offers.daily.expectations import expectations
from handfast.apps.offers.rounds.picks import Pick
from handfast.apps.offers.rounds.registry import SELECTIONS
from handfast.apps.offers.rounds.selections import mutual
from handfast.apps.offers.settings import OfferRules
from handfast.apps.offers.work import offers_crew
from handfast.db.pool import Database
from handfast.engine.gaps.expectation import Expectations
from handfast.engine.gaps.listing import list_gaps
from tests.support.offers import DAY, DUE_AT, NOW, PLANNED_AT, OffersDesk

pytestmark = pytest.mark.on_every_postgres

JOBS = "SELECT kind, key FROM handfast_engine.known_jobs ORDER BY kind, key"


async def test_where_nobody_is_there_is_nothing_to_do(desk: OffersDesk) -> None:
    for hours in range(0, 72, 6):
        await desk.at(PLANNED_AT + timedelta(hours=hours))
        await desk.look()
    assert await desk.fetch(JOBS) == []
    assert await desk.value("SELECT count(*) FROM handfast_offers.days") == 0
    crew = offers_crew(desk.database, desk.rules)
    assert list(crew.schedules) == [], "no schedule: an idle process comes to rest"


async def test_two_looks_enqueue_once_and_a_zone_that_comes_later_is_found(
    desk: OffersDesk,
) -> None:
    (user, *_) = await desk.fit_for_each_other(3)
    await desk.at(PLANNED_AT)
    for _ in range(2):
        await desk.look()
    assert [tuple(row) for row in await desk.fetch(JOBS)] == [("offers.plan", str(DAY))]
    await desk.work()
    fan_out = [row[1] for row in await desk.fetch(JOBS) if row[0] == "offers.fan_out"]
    assert fan_out == [f"{DAY}:Europe/Berlin"], "enqueued with the round"
    await desk.value(
        "UPDATE handfast_people.users SET timezone = 'Africa/Cairo' WHERE id = $1", user
    )
    await desk.look()
    keys = {row[1] for row in await desk.fetch(JOBS) if row[0] == "offers.fan_out"}
    assert keys == {f"{DAY}:Europe/Berlin", f"{DAY}:Africa/Cairo"}
    await desk.at(DUE_AT)
    await desk.work()
    zones = "SELECT zone FROM handfast_offers.sets WHERE user_id = $1"
    assert [row[0] for row in await desk.fetch(zones, user)] == ["Africa/Cairo"], "nine in Cairo"


async def test_a_zone_that_no_longer_exists_has_no_sets(desk: OffersDesk) -> None:
    await desk.fit_for_each_other(2)
    await desk.value("UPDATE handfast_people.users SET timezone = 'Asia/Atlantis'")
    await desk.day_passes()
    assert await desk.sets() == []
    assert await desk.fetch(JOBS) == []


async def test_a_move_across_the_date_line_brings_no_second_set(desk: OffersDesk) -> None:
    """From where it is the 2nd already to where it is the 1st, and the 2nd comes again."""
    (user, *_) = await desk.fit_for_each_other(3)
    await desk.value("UPDATE handfast_people.users SET timezone = 'Pacific/Kiritimati'")
    await desk.at(DUE_AT - timedelta(hours=14))  # a while before nine there, on the 2nd
    await desk.look()
    await desk.work()
    await desk.at(DUE_AT - timedelta(hours=12))
    await desk.work()
    assert {row[0] for row in await desk.sets()} == {DAY}
    await desk.value(
        "UPDATE handfast_people.users SET timezone = 'Pacific/Pago_Pago' WHERE id = $1", user
    )
    for hours in (-11, 0, 13):  # 20:00 of the 1st there is too late, 10:00 of the 2nd is not
        await desk.at(DUE_AT + timedelta(hours=hours))
        await desk.look()
        await desk.work()
    mine = [row[0] for row in await desk.sets() if row[1] == user]
    assert mine.count(DAY) == 1


async def test_a_dead_round_is_a_gap_and_no_other_selection_takes_its_place(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> list[Pick]:
        raise TypeError("it does not work")

    monkeypatch.setitem(SELECTIONS, "broken", broken)
    desk = OffersDesk(database, OfferRules(selection="broken", anchor_day=7))
    await desk.at(NOW)
    await desk.fit_for_each_other(2)
    await desk.plan()
    state = "SELECT state::text FROM handfast_engine.known_jobs WHERE kind = 'offers.plan'"
    assert await desk.value(state) == "dead"
    await desk.at(DUE_AT + timedelta(hours=1))
    await desk.look()
    await desk.work()
    assert await desk.sets() == []
    expected = Expectations()
    for one in expectations():
        expected.add(one)
    plans, sets, _ = await list_gaps(database, expected)
    assert (plans.dead, sets.missing) == (1, 2)
    monkeypatch.setitem(SELECTIONS, "broken", mutual)
    letters = "SELECT id FROM handfast_engine.known_jobs WHERE state = 'dead'"
    await desk.value(
        "SELECT count(*) FROM handfast_engine.requeue(ARRAY[$1::bigint])", await desk.value(letters)
    )
    await desk.work()
    assert len(await desk.sets()) == 2, "made when the round is there after all"
