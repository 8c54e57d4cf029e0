"""From a report to an appeal: what operators decide, and what those see to whom something is
done."""

import asyncio
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from litestar import Litestar

from handfast.apps.chat.describing import own_data as chat_data
from handfast.apps.safety.following import own_data
from handfast.apps.safety.watching import LATE, watch_queue
from handfast.db.pool import Database
from handfast.engine.operating.alerts import list_alerts
from handfast.engine.system import System
from handfast.services.identity.accounts import get_account
from handfast.services.identity.deletion import delete, erase
from handfast.services.identity.otp.signing_in import sign_in
from handfast.services.identity.secret import IdentitySecret
from tests.edge.safety.test_reports import about, queue, report
from tests.support.calling import OPERATOR_TOKEN, VIEWER_TOKEN, calling
from tests.support.clock import freeze
from tests.support.eventually import eventually_async
from tests.support.lock_waits import HOW_MANY_WAIT
from tests.support.matched import Pair
from tests.support.people import Caller, somebody
from tests.support.signed_in import TEST_SECRET


class Desk:
    """An operator with a report about Bob."""

    def __init__(self, api: Litestar, pair: Pair) -> None:
        self.api, self.pair = api, pair

    async def reported(self, **more: Any) -> str:
        answer = await report(self.pair.ada, about(self.pair.bob.id, **more))
        assert answer.status_code == 201, answer.text
        return str(answer.json()["reportId"])

    async def post(self, path: str, **body: Any) -> httpx2.Response:
        async with calling(self.api, OPERATOR_TOKEN) as operator:
            return await operator.post(path, json=body)

    async def decide(self, report_id: str, decision: str, **more: Any) -> httpx2.Response:
        return await self.post(f"/admin/reports/{report_id}/decide", decision=decision, **more)

    async def settle(self, appeal_id: str, outcome: str) -> Any:
        answer = await self.post(f"/admin/appeals/{appeal_id}/decide", outcome=outcome)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def get(self, path: str) -> Any:
        async with calling(self.api, OPERATOR_TOKEN) as operator:
            answer = await operator.get(path)
            assert answer.status_code == 200, answer.text
            return answer.json()


@pytest.fixture
def desk(api: Litestar, pair: Pair) -> Desk:
    return Desk(api, pair)


async def gone(system: System, who: Caller) -> None:
    """Deleted, and erased as after 30 days."""
    async with system.database.transaction() as tx:
        await delete(tx, system.hooks, who.id)
        await erase(tx, system.hooks, IdentitySecret([TEST_SECRET]), who.id)


async def appeal(who: Caller, action: object, reason: str = "It was a joke.") -> httpx2.Response:
    body = {"actionId": str(action), "reason": reason}
    return await who.send("POST", "/safety/appeal", json=body)


async def test_a_suspension_from_report_to_appeal(desk: Desk, pair: Pair) -> None:
    decided = await desk.decide(await desk.reported(), "suspend", days=3, note="Scam.")
    assert decided.status_code == 200, decided.text
    action = decided.json()["actionId"]
    refused = await pair.bob.get("/matches")
    assert (refused.status_code, refused.json()["code"]) == (403, "ACCOUNT_SUSPENDED")
    assert refused.json()["actionId"] == action
    until = datetime.fromisoformat(refused.json()["until"])
    assert until == datetime.fromisoformat(decided.json()["until"])
    assert (await queue(desk.api)) == []
    (done,) = await queue(desk.api, status="decided")
    assert done["decidedAt"] is not None
    appealed = await appeal(pair.bob, action)
    assert appealed.status_code == 201, "a suspension leaves it"
    (waiting,) = (await desk.get("/admin/appeals"))["appeals"]
    assert (waiting["id"], waiting["actionId"]) == (appealed.json()["appealId"], action)
    settled = await desk.post(f"/admin/appeals/{waiting['id']}/decide", outcome="overturned")
    assert (settled.status_code, settled.json()["outcome"]) == (200, "overturned")
    assert (await pair.bob.get("/matches")).status_code == 200
    assert (await desk.get("/admin/appeals"))["appeals"] == []
    (decided_one,) = (await desk.get("/admin/appeals?status=decided"))["appeals"]
    assert decided_one["id"] == waiting["id"]


async def test_an_appeal_that_fails_changes_nothing(desk: Desk, pair: Pair) -> None:
    action = (await desk.decide(await desk.reported(), "ban")).json()["actionId"]
    appeal_id = (await appeal(pair.bob, action)).json()["appealId"]
    settled = await desk.post(f"/admin/appeals/{appeal_id}/decide", outcome="upheld", note="No.")
    assert settled.status_code == 200
    assert (await pair.bob.get("/matches")).status_code == 403
    again = await desk.post(f"/admin/appeals/{appeal_id}/decide", outcome="overturned")
    assert (again.status_code, again.json()["code"]) == (409, "APPEAL_DECIDED")


async def test_appeals_that_are_none(api: Litestar, desk: Desk, pair: Pair) -> None:
    action = (await desk.decide(await desk.reported(), "warn")).json()["actionId"]
    dismissed = (await desk.decide(await desk.reported(category="other"), "dismiss")).json()
    for who, what in (
        (pair.ada, action),
        (pair.bob, uuid4()),
        (pair.bob, dismissed["actionId"]),
    ):
        assert (await appeal(who, what)).status_code == 404
    for reason in ("", "   ", "r" * 2001, "\0"):
        assert (await appeal(pair.bob, action, reason)).status_code == 400
    first = await appeal(pair.bob, action)
    again = await appeal(pair.bob, action, "Once more.")
    assert (again.status_code, again.json()["code"]) == (409, "APPEAL_DUPLICATE")
    assert again.json()["existingId"] == first.json()["appealId"]
    await desk.post(f"/admin/appeals/{first.json()['appealId']}/decide", outcome="upheld")
    late = await appeal(pair.bob, action)
    assert (late.status_code, late.json()["code"]) == (409, "APPEAL_DECIDED")
    assert late.json()["existingId"] == first.json()["appealId"]


async def test_a_suspension_by_hand_can_be_appealed_against(desk: Desk, pair: Pair) -> None:
    done = await desk.post(f"/admin/users/{pair.bob.id}/suspend", reason="By phone.", days=2)
    action = done.json()["actionId"]
    appealed = await appeal(pair.bob, action)
    assert appealed.status_code == 201, appealed.text
    path = f"/admin/appeals/{appealed.json()['appealId']}/decide"
    assert (await desk.post(path, outcome="overturned")).status_code == 200
    assert (await pair.bob.get("/matches")).status_code == 200


async def test_who_comes_back_under_a_ban_can_appeal_against_it(
    api: Litestar, system: System, desk: Desk, pair: Pair
) -> None:
    action = (await desk.decide(await desk.reported(), "ban")).json()["actionId"]
    await gone(system, pair.bob)
    back = await somebody(api, pair.bob.person.phone)
    refused = await back.get("/matches")
    assert (refused.status_code, refused.json()["actionId"]) == (403, action)
    appealed = await appeal(back, action)
    assert appealed.status_code == 201, appealed.text
    settled = await desk.settle(appealed.json()["appealId"], "overturned")
    assert settled["userId"] == str(back.id)
    assert (await back.get("/matches")).status_code == 200


async def test_an_appeal_goes_along_with_who_comes_back(
    api: Litestar, system: System, desk: Desk, pair: Pair
) -> None:
    action = (await desk.decide(await desk.reported(), "ban")).json()["actionId"]
    appealed = (await appeal(pair.bob, action)).json()["appealId"]
    await gone(system, pair.bob)
    back = await somebody(api, pair.bob.person.phone)
    again = await appeal(back, action)
    assert (again.status_code, again.json()["existingId"]) == (409, appealed)
    await desk.settle(appealed, "overturned")
    assert (await back.get("/matches")).status_code == 200


async def test_a_ban_that_is_overturned_after_the_erasure_is_over(
    api: Litestar, system: System, desk: Desk, pair: Pair
) -> None:
    action = (await desk.decide(await desk.reported(), "ban")).json()["actionId"]
    appealed = (await appeal(pair.bob, action)).json()["appealId"]
    await gone(system, pair.bob)
    await desk.settle(appealed, "overturned")
    back = await somebody(api, pair.bob.person.phone)
    assert (await back.get("/matches")).status_code == 200


async def test_who_comes_back_while_their_ban_is_overturned(
    api: Litestar, system: System, desk: Desk, pair: Pair
) -> None:
    action = (await desk.decide(await desk.reported(), "ban")).json()["actionId"]
    appealed = (await appeal(pair.bob, action)).json()["appealId"]
    await gone(system, pair.bob)
    secret = IdentitySecret([TEST_SECRET])
    async with system.database.transaction() as tx:
        back = await sign_in(tx, system.hooks, secret, pair.bob.person.phone)
        settled = asyncio.create_task(desk.settle(appealed, "overturned"))

        async def waits() -> bool:
            return bool(await pair.value(HOW_MANY_WAIT))

        await eventually_async(waits)
    assert (await settled)["userId"] == str(back.user_id)
    async with pair.database.connection() as connection:
        assert (await get_account(connection, back.user_id)).status == "active"


async def test_a_later_suspension_is_not_ended_by_an_appeal_against_an_older(
    desk: Desk, pair: Pair
) -> None:
    first = (await desk.decide(await desk.reported(), "suspend")).json()["actionId"]
    appealed = (await appeal(pair.bob, first)).json()["appealId"]
    await desk.post(f"/admin/users/{pair.bob.id}/reinstate", reason="Time.")
    second = (await desk.decide(await desk.reported(category="other"), "ban")).json()
    assert second["decision"] == "ban"
    settled = await desk.post(f"/admin/appeals/{appealed}/decide", outcome="overturned")
    assert settled.status_code == 200
    refused = await pair.bob.get("/matches")
    assert (refused.status_code, refused.json()["actionId"]) == (403, second["actionId"])


async def test_a_message_is_removed(desk: Desk, pair: Pair) -> None:
    message = await pair.sent(pair.bob, "Something vile.")
    reported = await desk.reported(type="message", subjectId=message)
    assert (await desk.decide(reported, "remove")).status_code == 200
    for who in (pair.ada, pair.bob):
        (shown,) = (await pair.shown(who))["messages"]
        assert shown["id"] == message
        assert "content" not in shown
        assert shown["removedAt"]
    detail = await desk.get(f"/admin/reports/{reported}")
    assert detail["evidence"][0]["content"] == "Something vile.", "the copy stays"


async def test_a_profile_is_cleared(desk: Desk, pair: Pair) -> None:
    await pair.bob.patch(bio="Something vile.")
    assert (await pair.bob.add_photo()).status_code == 201
    assert (await desk.decide(await desk.reported(), "remove")).status_code == 200
    me = (await pair.bob.get("/users/me")).json()
    assert (me.get("bio"), me["photos"]) == (None, [])


async def test_decisions_that_are_none(desk: Desk, pair: Pair) -> None:
    match = await desk.reported(type="match", subjectId=str(pair.match_id))
    assert (await desk.decide(match, "remove")).status_code == 422
    assert (await desk.decide(match, "warn", days=3)).status_code == 422
    assert (await desk.decide(match, "forgive")).status_code == 400
    assert (await desk.decide(match, "suspend", days=0)).status_code == 400
    assert (await desk.decide(str(uuid4()), "warn")).status_code == 404
    done = await desk.decide(match, "warn")
    again = await desk.decide(match, "dismiss")
    assert (again.status_code, again.json()["code"]) == (409, "REPORT_DECIDED")
    assert again.json()["actionId"] == done.json()["actionId"]
    assert (
        await desk.post(f"/admin/appeals/{uuid4()}/decide", outcome="upheld")
    ).status_code == 404


async def test_who_is_suspended_already(desk: Desk, pair: Pair) -> None:
    await desk.decide(await desk.reported(), "suspend")
    other = await desk.reported(category="other")
    refused = await desk.decide(other, "ban")
    assert (refused.status_code, refused.json()["code"]) == (409, "ALREADY_SUSPENDED")
    (still,) = await queue(desk.api)
    assert still["id"] == other, "nothing of it was done"
    assert (await desk.decide(other, "warn")).status_code == 200


async def test_history_and_notes(desk: Desk, pair: Pair) -> None:
    await desk.decide(await desk.reported(), "warn", note="First time.")
    reported = await desk.reported(category="harassment")
    noted = await desk.post(f"/admin/reports/{reported}/notes", note="Asked the reporter.")
    assert noted.status_code == 201, noted.text
    assert (await desk.post(f"/admin/reports/{reported}/notes", note="")).status_code == 400
    assert (await desk.post(f"/admin/reports/{uuid4()}/notes", note="x")).status_code == 404
    await pair.ada.send("POST", "/safety/block", json={"userId": str(pair.bob.id)})
    detail = await desk.get(f"/admin/reports/{reported}")
    assert [one["note"] for one in detail["notes"]] == ["Asked the reporter."]
    history = detail["history"]
    assert (history["reports"], history["openReports"], history["reporters"]) == (2, 1, 1)
    assert history["blockedBy"] == 1
    (action,) = history["actions"]
    assert (action["decision"], action["note"]) == ("warn", "First time.")


async def test_nobody_else_sees_the_queue(api: Litestar, desk: Desk, pair: Pair) -> None:
    reported = await desk.reported()
    for token in (VIEWER_TOKEN, pair.bob.person.access_token):
        async with calling(api, token) as other:
            for path in ("/admin/reports", f"/admin/reports/{reported}", "/admin/appeals"):
                assert (await other.get(path)).status_code in (401, 403)


async def test_events_carry_ids_and_reach_whom_they_concern(desk: Desk, pair: Pair) -> None:
    reported = await desk.reported(description="Private words.")
    await desk.decide(reported, "warn", note="Private note.")
    async with pair.database.connection() as connection:
        rows = await connection.fetch(
            "SELECT e.type, e.data::text, t.user_id FROM handfast_engine.events AS e "
            "LEFT JOIN handfast_engine.user_events AS t ON t.event_id = e.id "
            "WHERE e.type LIKE 'safety.%' ORDER BY e.ordinal"
        )
    assert [(row[0], row[2]) for row in rows] == [
        ("safety.report_submitted", None),
        ("safety.moderation_decided", pair.bob.id),
    ]
    for row in rows:
        assert "Private" not in row[1]
        assert str(pair.ada.id) not in row[1], "nobody learns who reported"


async def test_a_critical_report_that_waits_is_an_alert(
    database: Database, desk: Desk, pair: Pair
) -> None:
    async def alerts() -> set[str]:
        async with database.transaction() as tx:
            await watch_queue(tx)
            return {one.name for one in await list_alerts(tx) if one.raised}

    now: datetime = await pair.value("SELECT handfast_db.now()")
    await freeze(database, now)
    await desk.reported(category="child_safety")
    assert LATE not in await alerts()
    await freeze(database, now + timedelta(hours=1, seconds=1))
    assert LATE in await alerts()


async def test_what_stays_of_somebody_who_is_erased(system: System, desk: Desk, pair: Pair) -> None:
    message = await pair.sent(pair.bob, "Bob's words.")
    reported = await desk.reported(type="message", subjectId=message, description="Ada's words.")
    action = (await desk.decide(reported, "warn")).json()["actionId"]
    appealed = (await appeal(pair.bob, action, "Bob's reason.")).json()["appealId"]
    await desk.post(f"/admin/appeals/{appealed}/decide", outcome="upheld")
    for who in (pair.bob, pair.ada):
        async with system.database.transaction() as tx:
            await delete(tx, system.hooks, who.id)
            await erase(tx, system.hooks, IdentitySecret([TEST_SECRET]), who.id)
    detail = await desk.get(f"/admin/reports/{reported}")
    assert "words" not in str(detail)
    assert detail["evidence"][0]["senderId"] == str(pair.bob.id)
    assert "reason." not in str(await desk.get("/admin/appeals?status=decided"))
    assert await pair.value("SELECT count(*) FROM handfast_chat.messages") == 0


async def test_what_was_open_when_they_were_erased(system: System, desk: Desk, pair: Pair) -> None:
    """It stays as evidence until it is decided, and goes with that."""
    message = await pair.sent(pair.bob, "Bob's words.")
    warned = (await desk.decide(await desk.reported(), "warn")).json()["actionId"]
    appealed = (await appeal(pair.bob, warned, "Bob's reason.")).json()["appealId"]
    reported = await desk.reported(type="message", subjectId=message, description="Ada's words.")
    for who in (pair.bob, pair.ada):
        async with system.database.transaction() as tx:
            await delete(tx, system.hooks, who.id)
            await erase(tx, system.hooks, IdentitySecret([TEST_SECRET]), who.id)
    assert str(await desk.get(f"/admin/reports/{reported}")).count("words") == 2
    assert (await desk.decide(reported, "dismiss")).status_code == 200
    assert "words" not in str(await desk.get(f"/admin/reports/{reported}"))
    await desk.post(f"/admin/appeals/{appealed}/decide", outcome="upheld")
    assert "reason." not in str(await desk.get("/admin/appeals?status=decided"))


async def test_the_own_copy_has_actions_and_no_reporters(
    api: Litestar, desk: Desk, pair: Pair
) -> None:
    await pair.sent(pair.bob, "Bob's words.")
    await pair.sent(pair.ada, "Ada's words.")
    action = (await desk.decide(await desk.reported(), "warn")).json()["actionId"]
    async with pair.database.connection() as connection:
        found = await own_data(connection, pair.bob.id)
        written = await chat_data(connection, pair.bob.id)
    assert [UUID(one["id"]) for one in found["enforcementActions"]] == [UUID(action)]
    assert str(pair.ada.id) not in str(found)
    assert [one["content"] for one in written["messages"]] == ["Bob's words."]
    stranger = await somebody(api)
    async with pair.database.connection() as connection:
        assert await own_data(connection, stranger.id) == {"enforcementActions": [], "appeals": []}
