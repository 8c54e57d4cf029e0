"""Offers and matches over HTTP, from the plan to the end of a match."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from litestar import Litestar

from handfast.engine.system import System
from handfast.services.identity.deletion import delete as delete_account
from handfast.services.identity.suspension import reinstate as reinstate_account
from handfast.services.identity.suspension import suspend as suspend_account
from tests.support.calling import OPERATOR_TOKEN, calling
from tests.support.interleave import Stage
from tests.support.offers import DUE_AT, NOW, PLANNED_AT, OffersDesk
from tests.support.people import Caller, somebody
from tests.support.stakes_table import StakesTable


class Couple:
    """Two who were offered to each other today."""

    def __init__(self, desk: OffersDesk, ada: Caller, bob: Caller) -> None:
        self.desk, self.ada, self.bob = desk, ada, bob

    async def offer(self, who: Caller) -> dict[str, Any]:
        (offer,) = (await who.get("/matches/offers")).json()["offers"]
        found: dict[str, Any] = offer
        return found

    async def act(self, who: Caller, offer: str, action: str) -> Any:
        path = f"/matches/offers/{offer}/action"
        return await who.send("POST", path, json={"action": action})

    async def match(self) -> dict[str, Any]:
        for who in (self.ada, self.bob):
            answer = await self.act(who, (await self.offer(who))["id"], "accept")
            assert answer.status_code == 200
        (match,) = (await self.ada.get("/matches")).json()["matches"]
        found: dict[str, Any] = match
        return found


@pytest.fixture
async def couple(api: Litestar, desk: OffersDesk) -> Couple:
    ada, bob = await desk.fit_for_each_other(2)
    await desk.day_passes()
    return Couple(desk, await desk.signed_in(api, ada), await desk.signed_in(api, bob))


async def test_an_offer(couple: Couple) -> None:
    answer = (await couple.ada.get("/matches/offers")).json()
    assert set(answer) == {"batchDate", "generatedAt", "userTimezone", "offers"}
    assert (answer["batchDate"], answer["userTimezone"]) == ("2026-03-02", "Europe/Berlin")
    (offer,) = answer["offers"]
    assert set(offer) == {"id", "user", "status", "offeredAt", "expiresAt"}
    assert offer["offeredAt"] == "2026-03-02T08:00:00Z"
    assert offer["expiresAt"] == "2026-03-08T08:00:00Z"
    assert set(offer["user"]) == {
        *("id", "displayName", "age", "bio", "photos"),
        *("compatibilityScore", "compatibilityThemes"),
    }
    assert offer["user"]["id"] == str(couple.bob.id)
    assert offer["user"]["compatibilityScore"] >= 50
    assert len(offer["user"]["compatibilityThemes"]) == 3
    assert await couple.desk.events(couple.ada.id) == ["match.offer_generated"]


async def test_both_accept(couple: Couple) -> None:
    mine, theirs = await couple.offer(couple.ada), await couple.offer(couple.bob)
    first = await couple.act(couple.ada, mine["id"], "accept")
    assert first.status_code == 200
    assert first.json()["isMutual"] is False
    assert first.json()["offer"]["status"] == "accepted"
    assert (await couple.offer(couple.bob))["status"] == "offered", "the other does not learn it"
    assert await couple.desk.events(couple.bob.id) == ["match.offer_generated"]
    second = await couple.act(couple.bob, theirs["id"], "accept")
    assert second.json()["isMutual"] is True
    assert second.json()["offer"]["status"] == "matched"
    again = await couple.act(couple.ada, mine["id"], "accept")
    assert (again.status_code, again.json()["isMutual"]) == (200, True)
    assert (await couple.act(couple.ada, mine["id"], "pass")).status_code == 409
    (match,) = (await couple.ada.get("/matches")).json()["matches"]
    assert set(match) == {"id", "user", "status", "createdAt", "unreadCount"}
    assert (match["status"], match["user"]["id"]) == ("active", str(couple.bob.id))
    assert (await couple.bob.get(f"/matches/{match['id']}")).json()["user"]["id"] == str(
        couple.ada.id
    )
    assert await couple.desk.events(couple.ada.id) == [
        *("match.offer_generated", "match.accepted", "match.created"),
    ]
    assert await couple.desk.events(couple.bob.id) == [
        *("match.offer_generated", "match.accepted", "match.created"),
    ]
    assert (await couple.ada.get("/matches/offers")).json()["offers"] == []


async def test_many_accepts_at_once_make_one_match(couple: Couple) -> None:
    mine, theirs = await couple.offer(couple.ada), await couple.offer(couple.bob)
    answers = await asyncio.gather(
        *(
            couple.act(who, offer["id"], "accept")
            for _ in range(100)
            for who, offer in ((couple.ada, mine), (couple.bob, theirs))
        )
    )
    assert {answer.status_code for answer in answers} == {200}
    assert any(answer.json()["isMutual"] for answer in answers)
    assert await couple.desk.value("SELECT count(*) FROM handfast_offers.matches") == 1
    created = await couple.desk.value(
        "SELECT count(*) FROM handfast_engine.events WHERE type = 'match.created'"
    )
    assert created == 1


@pytest.mark.parametrize(
    ("steps", "statuses", "last"),
    [
        (["pass", "pass", "accept"], [200, 200, 409], "passed"),
        (["not_now", "not_now", "accept", "pass"], [200, 200, 200, 409], "accepted"),
        (["not_now", "pass", "not_now"], [200, 200, 409], "passed"),
        (["accept", "not_now", "accept"], [200, 409, 200], "accepted"),
    ],
)
async def test_actions(couple: Couple, steps: list[str], statuses: list[int], last: str) -> None:
    offer = (await couple.offer(couple.ada))["id"]
    answers = [await couple.act(couple.ada, offer, step) for step in steps]
    assert [answer.status_code for answer in answers] == statuses
    found = await couple.desk.value(
        "SELECT status FROM handfast_offers.match_offers WHERE id = $1", UUID(offer)
    )
    assert found == last
    assert (await couple.offer(couple.bob))["status"] == "offered", "theirs stays as it is"
    waits = {"passed": "2026-05-31T08:00:00Z", "not_now": "2026-04-01T08:00:00Z"}
    for answer in answers:
        if answer.status_code == 200:
            shown = answer.json()["offer"]
            assert shown.get("cooldownUntil") == waits.get(shown["status"])


async def test_an_expired_offer_takes_nothing(api: Litestar, couple: Couple) -> None:
    offer = (await couple.offer(couple.ada))["id"]
    await couple.desk.at(DUE_AT + timedelta(days=6))
    ada = await couple.desk.signed_in(api, couple.ada.id)
    answer = await couple.act(ada, offer, "accept")
    assert (answer.status_code, answer.json()["code"]) == (409, "OFFER_DECIDED")
    assert (await ada.get("/matches/offers")).json()["offers"] == []


async def test_nobody_elses(api: Litestar, couple: Couple) -> None:
    offer, match = (await couple.offer(couple.ada))["id"], (await couple.match())["id"]
    eve = await somebody(api)
    for answer in (
        await couple.act(couple.bob, offer, "accept"),
        await couple.act(eve, offer, "accept"),
        await couple.act(eve, str(uuid4()), "accept"),
        await eve.get(f"/matches/{match}"),
        await eve.send("POST", f"/matches/{match}/unmatch", json={}),
    ):
        assert answer.status_code == 404, answer.text
    bad = await couple.act(couple.ada, offer, "like")
    assert bad.status_code == 400
    keyless = await couple.ada.client.post(
        f"/matches/offers/{offer}/action",
        headers=couple.ada.person.headers,
        json={"action": "pass"},
    )
    assert keyless.status_code == 400, "a key is required"


async def test_what_operators_see(couple: Couple, api: Litestar) -> None:
    operator = {"Authorization": f"Bearer {OPERATOR_TOKEN}"}
    client = couple.ada.client
    zones = (await client.get("/admin/offers/zones?date=2026-03-02", headers=operator)).json()
    (berlin,) = zones["zones"]
    assert (berlin["zone"], berlin["expected"], berlin["made"], berlin["skipped"]) == (
        *("Europe/Berlin", 2, 2),
        0,
    )
    (made,) = (await client.get("/admin/offers/rounds", headers=operator)).json()["rounds"]
    assert (made["selection"], made["figures"]["mutualShare"]) == ("mutual", 10_000)
    path = f"/admin/offers/users/{couple.ada.id}"
    (mine,) = (await client.get(path, headers=operator)).json()["sets"]
    assert (mine["day"], mine["type"], mine["removed"]) == ("2026-03-02", "daily_offers", [])
    (offer,) = mine["offers"]
    assert (offer["why"], offer["candidateId"]) == ("mutual", str(couple.bob.id))
    nobody = await client.get(f"/admin/offers/users/{uuid4()}", headers=operator)
    assert nobody.json() == {"sets": [], "absent": "unknown"}
    for nonsense in ("/admin/offers/zones?date=soon", "/admin/offers/rounds?limit=0"):
        assert (await client.get(nonsense, headers=operator)).status_code == 400
    assert (await couple.ada.get("/admin/offers/rounds")).status_code in (401, 403)


async def test_unmatch(api: Litestar, couple: Couple) -> None:
    offer = (await couple.offer(couple.bob))["id"]
    match = (await couple.match())["id"]
    for _ in range(2):
        ended = await couple.ada.send(
            "POST", f"/matches/{match}/unmatch", json={"reason": "not_interested"}
        )
        assert (ended.status_code, ended.json()["closedReason"]) == (200, "unmatched")
    assert (await couple.bob.get("/matches")).json() == {"matches": []}
    (closed,) = (await couple.bob.get("/matches?status=closed")).json()["matches"]
    assert closed["closedReason"] == "unmatched"
    assert closed["user"]["displayName"] is None
    assert (await couple.desk.events(couple.bob.id))[-1] == "match.closed"
    assert (await couple.act(couple.bob, offer, "accept")).status_code == 404, "no card of hers"
    for hours in (23, 24):
        await couple.desk.at(DUE_AT + timedelta(days=100, hours=hours))
        await couple.desk.look()
        await couple.desk.work()
    ada = await couple.desk.signed_in(api, couple.ada.id)
    never = (await ada.get("/matches/offers")).json()
    assert (never["offers"], never["reason"]) == ([], "nobody_eligible"), "never again"


async def test_a_block_ends_everything_and_says_unmatched(couple: Couple) -> None:
    match = (await couple.match())["id"]
    await couple.ada.send("POST", "/safety/block", json={"userId": str(couple.bob.id)})
    assert (await couple.ada.get(f"/matches/{match}")).json()["closedReason"] == "blocked"
    assert (await couple.bob.get(f"/matches/{match}")).json()["closedReason"] == "unmatched"


async def test_a_block_closes_live_offers_both_ways(couple: Couple) -> None:
    offer = (await couple.offer(couple.bob))["id"]
    await couple.ada.send("POST", "/safety/block", json={"userId": str(couple.bob.id)})
    for who in (couple.ada, couple.bob):
        assert (await who.get("/matches/offers")).json()["offers"] == []
    assert (await couple.act(couple.bob, offer, "accept")).status_code == 404


async def test_a_suspension_pauses_and_a_deletion_ends(couple: Couple, system: System) -> None:
    offer = (await couple.offer(couple.bob))["id"]
    async with system.database.transaction() as tx:
        await suspend_account(tx, system.hooks, couple.ada.id)
    assert (await couple.bob.get("/matches/offers")).json()["offers"] == []
    assert (await couple.act(couple.bob, offer, "accept")).status_code == 404
    async with system.database.transaction() as tx:
        await reinstate_account(tx, system.hooks, couple.ada.id)
    assert (await couple.offer(couple.bob))["id"] == offer
    match = (await couple.match())["id"]
    async with system.database.transaction() as tx:
        await delete_account(tx, system.hooks, couple.ada.id)
    assert (await couple.bob.get(f"/matches/{match}")).json()["closedReason"] == "deleted"
    assert (await couple.desk.events(couple.bob.id))[-1] == "match.closed"
    assert (await couple.act(couple.bob, offer, "accept")).status_code == 404


async def test_who_does_the_same_again_is_not_shown_somebody_who_left(
    couple: Couple, system: System
) -> None:
    offer = (await couple.offer(couple.bob))["id"]
    assert (await couple.act(couple.bob, offer, "pass")).status_code == 200
    assert (await couple.act(couple.bob, offer, "pass")).json()["offer"]["user"]
    async with system.database.transaction() as tx:
        await suspend_account(tx, system.hooks, couple.ada.id)
    assert (await couple.act(couple.bob, offer, "pass")).status_code == 404
    async with system.database.transaction() as tx:
        await reinstate_account(tx, system.hooks, couple.ada.id)
        await delete_account(tx, system.hooks, couple.ada.id)
    assert (await couple.act(couple.bob, offer, "pass")).status_code == 404
    await couple.desk.value("DELETE FROM handfast_people.users WHERE id = $1", couple.ada.id)
    gone = await couple.act(couple.bob, offer, "pass")
    assert (gone.status_code, gone.json()["code"]) == (404, "NOT_FOUND"), "erased"


async def test_who_goes_with_a_stake_waits_for_others_and_keeps_nobody(
    couple: Couple, system: System, dsn: str
) -> None:
    """Whoever writes to the two holds the pair, and takes their streams last. So do those who go:
    the ticket that is cancelled for them is told after everything else."""
    await couple.match()
    table = StakesTable(system.database)
    await table.ledger.deposit(str(couple.ada.id), 10_000)
    await table.stakes.stake(couple.ada.id, 1000)

    async def go() -> None:
        async with system.database.transaction() as tx:
            await delete_account(tx, system.hooks, couple.ada.id)

    both = [couple.ada.id, couple.bob.id]
    async with Stage(dsn) as stage:
        (writer,) = await stage.sessions("writer")
        await writer.begin()
        await writer.run("SELECT handfast_offers.lock_pair($1, $2)", *both)
        going = asyncio.create_task(go())
        await stage.blocking("writer")
        await writer.run("SELECT handfast_engine.emit('a.b', 'a:1', '{}', $1)", both)
        await writer.commit()
        await going
    told = await couple.desk.fetch("SELECT type FROM handfast_engine.events ORDER BY ordinal")
    assert [row[0] for row in told][-4:] == [
        "a.b",
        "stake.cancelled",
        "match.closed",
        "user.deleted",
    ]


async def test_who_loses_against_another_is_told_so(couple: Couple, dsn: str) -> None:
    """A deadlock is no fault of ours: nothing is stored, and the same request works again.

    The server looks for a deadlock once, a second after a wait began: so the other one waits
    already when the request comes to what closes the circle."""
    offer = (await couple.offer(couple.ada))["id"]
    lock = "SELECT handfast_offers.lock_pair($1, $2)"
    pair = (couple.ada.id, couple.bob.id)
    events = "SELECT 1 FROM handfast_engine.user_streams WHERE user_id = $1 FOR UPDATE"
    row = "SELECT 1 FROM handfast_offers.match_offers WHERE id = $1 FOR UPDATE"
    async with Stage(dsn) as stage:
        other, gate = await stage.sessions("other", "gate")
        await other.run("SET deadlock_timeout = '1h'")
        for session in (other, gate):
            await session.begin()
        await other.run(events, couple.ada.id)
        await gate.run(row, UUID(offer))
        acting = asyncio.create_task(couple.act(couple.ada, offer, "accept"))
        await stage.blocking("gate")  # it has the pair
        late = other.start(lock, *pair)
        await stage.waiting("other")
        await gate.rollback()
        answer = await acting
        await late
        await other.rollback()
    assert (answer.status_code, answer.json()["code"]) == (503, "TRANSACTION_CONTENTION")
    assert (await couple.act(couple.ada, offer, "accept")).status_code == 200


async def test_why_there_is_nothing(api: Litestar, desk: OffersDesk) -> None:
    (user,) = await desk.fit_for_each_other(1)
    stranger = await somebody(api)
    empty = (await stranger.get("/matches/offers")).json()
    assert (empty["offers"], empty["reason"]) == ([], "questionnaire_pending")
    await desk.value("UPDATE handfast_people.users SET timezone = 'Asia/Kathmandu'")
    await desk.at(NOW + timedelta(hours=8))  # two in the morning
    await desk.look()
    who = await desk.signed_in(api, user)
    assert (await who.get("/matches/offers")).json()["reason"] == "not_due_yet"
    await desk.at(PLANNED_AT)
    for column, value, reason in (
        ("verified_at", None, "verification_pending"),
        ("matching", False, "not_matching"),
        ("timezone", None, "no_timezone"),
        ("gender", None, "no_profile"),
    ):
        sql = f"UPDATE handfast_people.users SET {column} = $2 WHERE id = $1"
        before = await desk.value(f"SELECT {column} FROM handfast_people.users WHERE id = $1", user)
        await desk.value(sql, user, value)
        who = await desk.signed_in(api, user)
        assert (await who.get("/matches/offers")).json()["reason"] == reason
        await desk.value(sql, user, before)
    who = await desk.signed_in(api, user)
    assert (await who.get("/matches/offers")).json()["reason"] == "in_preparation", (
        "past nine there"
    )


async def test_photos_are_shown_to_whom_they_are_offered(couple: Couple, api: Litestar) -> None:
    added = await couple.bob.add_photo()
    assert added.status_code == 201, added.text
    url = added.json()["url"]
    assert (await couple.offer(couple.ada))["user"]["photos"][0]["url"] == url
    assert (await couple.ada.get(url)).status_code == 200
    assert (await (await somebody(api)).get(url)).status_code == 404


async def test_why_they_were_offered(api: Litestar, couple: Couple) -> None:
    ada, bob = str(couple.ada.id), str(couple.bob.id)
    async with calling(api, OPERATOR_TOKEN) as operator:
        where = {"user": ada, "candidate": bob}
        told = (await operator.get("/admin/offers/explain", params=where)).json()
        assert told["verdict"] == "Taken: mutual, at place 1."
        assert told["sees"]["shared"] > 0
        assert [one["candidateId"] for one in told["got"]] == [bob]
        stranger = where | {"candidate": str(uuid4())}
        nobody = (await operator.get("/admin/offers/explain", params=stranger)).json()
        assert "is in no snapshot" in nobody["verdict"]
        never = await operator.get("/admin/offers/explain", params=where | {"date": "2020-01-01"})
        assert never.status_code == 404
