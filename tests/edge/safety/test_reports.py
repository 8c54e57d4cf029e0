"""Reports over HTTP: with evidence, once an hour, and nobody whom one cannot see."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import httpx2
from litestar import Litestar

from handfast.apps.chat.evidence import NEWEST_MAX
from handfast.apps.safety.views import QueuePlace
from handfast.db.pool import Database
from tests.support.calling import OPERATOR_TOKEN, calling
from tests.support.clock import freeze
from tests.support.matched import Pair, matched, offer_each_other
from tests.support.people import Caller, key, somebody

ALL = [
    *("harassment", "inappropriate_content", "scam", "violence", "self_harm", "child_safety"),
    "other",
]


def about(subject: object, **more: Any) -> dict[str, Any]:
    return {"type": "user", "subjectId": str(subject), "category": "scam"} | more


async def report(who: Caller, body: dict[str, Any]) -> httpx2.Response:
    return await who.send("POST", "/safety/report", json=body)


async def queue(api: Litestar, **query: Any) -> list[dict[str, Any]]:
    async with calling(api, OPERATOR_TOKEN) as operator:
        answer = await operator.get("/admin/reports", params=query)
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["reports"]
        return found


async def test_a_report(api: Litestar, pair: Pair) -> None:
    answer = await report(pair.ada, about(pair.bob.id, description="Wants money."))
    assert answer.status_code == 201, answer.text
    assert set(answer.json()) == {"reportId", "estimatedResponse"}
    (found,) = await queue(api)
    assert found["id"] == answer.json()["reportId"]
    assert (found["userId"], found["reporterId"]) == (str(pair.bob.id), str(pair.ada.id))
    assert (found["severity"], found["status"]) == ("standard", "open")
    assert found["description"] == "Wants money."


async def test_when_to_expect_an_answer(api: Litestar, pair: Pair) -> None:
    for category, asked, severity, hours in (
        ("scam", None, "standard", 72),
        ("other", "high", "high", 24),
        ("harassment", "critical", "critical", 1),
        ("violence", None, "high", 24),
        ("child_safety", "standard", "critical", 1),
    ):
        more = {"category": category} | ({} if asked is None else {"severity": asked})
        answer = await report(pair.ada, about(pair.bob.id, **more))
        (found,) = [one for one in await queue(api) if one["category"] == category]
        assert found["severity"] == severity
        expected = datetime.fromisoformat(answer.json()["estimatedResponse"])
        since = datetime.fromisoformat(found["createdAt"])
        assert expected - since == timedelta(hours=hours)


async def test_the_same_again_within_the_hour(
    api: Litestar, pair: Pair, database: Database
) -> None:
    now: datetime = await pair.value("SELECT handfast_db.now()")
    await freeze(database, now)
    first = await report(pair.ada, about(pair.bob.id))
    again = await report(pair.ada, about(pair.bob.id))
    assert (again.status_code, again.json()["code"]) == (409, "REPORT_DUPLICATE")
    assert again.json()["existingId"] == first.json()["reportId"]
    for category in ALL:
        if category != "scam":
            other = await report(pair.ada, about(pair.bob.id, category=category))
            assert other.status_code == 201, "other categories pass"
    eve = await somebody(api)
    assert (await report(eve, about(pair.bob.id))).status_code == 201, "other reporters pass"
    # A clock hour has begun meanwhile or not: the hour slides, from the last accepted one.
    await freeze(database, now + timedelta(minutes=59, seconds=59))
    ada = Caller((await somebody(api, pair.ada.person.phone)).person, pair.ada.client)
    assert (await report(ada, about(pair.bob.id))).status_code == 409
    await freeze(database, now + timedelta(hours=1))
    ada = Caller((await somebody(api, pair.ada.person.phone)).person, pair.ada.client)
    assert (await report(ada, about(pair.bob.id))).status_code == 201


async def test_the_same_key_replays_the_report(pair: Pair) -> None:
    same = key()
    body = about(pair.bob.id)
    first = await pair.ada.send("POST", "/safety/report", json=body, headers=same)
    again = await pair.ada.send("POST", "/safety/report", json=body, headers=same)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()


async def test_many_at_once_are_one_report(api: Litestar, pair: Pair) -> None:
    answers = await asyncio.gather(*(report(pair.ada, about(pair.bob.id)) for _ in range(20)))
    assert sorted(one.status_code for one in answers) == [201, *[409] * 19]
    assert len(await queue(api)) == 1


async def test_evidence_is_copied(api: Litestar, pair: Pair) -> None:
    first = await pair.sent(pair.bob, "Send me money.")
    mine = await pair.sent(pair.ada, "No.")
    answer = await report(pair.ada, {**about(first), "type": "message", "evidence": [mine]})
    assert answer.status_code == 201, answer.text
    await pair.value("DELETE FROM handfast_chat.chats")
    async with calling(api, OPERATOR_TOKEN) as operator:
        detail = (await operator.get(f"/admin/reports/{answer.json()['reportId']}")).json()
    assert detail["report"]["userId"] == str(pair.bob.id), "whoever sent it"
    assert {one["content"] for one in detail["evidence"]} == {"Send me money.", "No."}
    assert {one["messageId"] for one in detail["evidence"]} == {first, mine}


async def test_a_match_takes_its_newest_messages_along(api: Litestar, pair: Pair) -> None:
    for number in range(3):
        await pair.sent(pair.bob, f"{number}")
    await pair.bob.send("POST", f"{pair.path}/unmatch", json={})
    answer = await report(pair.ada, {**about(pair.match_id), "type": "match"})
    assert answer.status_code == 201, "also when the other one has closed it"
    async with calling(api, OPERATOR_TOKEN) as operator:
        detail = (await operator.get(f"/admin/reports/{answer.json()['reportId']}")).json()
    assert [one["content"] for one in detail["evidence"]] == ["2", "1", "0"]


async def test_a_match_and_a_message_that_is_not_of_its_newest(api: Litestar, pair: Pair) -> None:
    first = await pair.sent(pair.bob, "the first")
    for number in range(NEWEST_MAX + 1):
        if number % 25 == 0:  # as if a minute had gone by
            await pair.value("DELETE FROM handfast_limits.buckets")
        await pair.sent(pair.bob, f"{number}")
    body = {**about(pair.match_id), "type": "match", "evidence": [first]}
    answer = await report(pair.ada, body)
    assert answer.status_code == 201, answer.text
    async with calling(api, OPERATOR_TOKEN) as operator:
        detail = (await operator.get(f"/admin/reports/{answer.json()['reportId']}")).json()
    newest = [str(number) for number in range(NEWEST_MAX, 0, -1)]
    assert [one["content"] for one in detail["evidence"]] == [*newest, "the first"]


async def test_what_cannot_be_reported(api: Litestar, pair: Pair) -> None:
    other = await matched(api)
    foreign = await other.sent(other.ada, "Between others.")
    mine = await pair.sent(pair.ada, "Mine.")
    for body, status in (
        (about(pair.ada.id), 422),
        ({**about(mine), "type": "message"}, 422),
        (about(uuid4()), 404),
        ({**about(foreign), "type": "message"}, 404),
        ({**about(uuid4()), "type": "message"}, 404),
        ({**about(other.match_id), "type": "match"}, 404),
        ({**about(pair.bob.id), "type": "match"}, 404),
        (about(pair.bob.id, evidence=[foreign]), 404),
        (about(other.bob.id, evidence=[mine]), 404),
        (about(pair.bob.id, evidence=[str(uuid4())]), 404),
        (about(pair.bob.id, description="d" * 2001), 400),
        (about(pair.bob.id, category="rude"), 400),
        (about(pair.bob.id, severity="low"), 400),
        (about(pair.bob.id, type="photo"), 400),
        (about(pair.bob.id, colour="red"), 400),
        (about("x"), 400),
        (about(pair.bob.id, evidence=[str(uuid4())] * 51), 400),
    ):
        answer = await report(pair.ada, body)
        assert answer.status_code == status, (body, answer.text)


async def test_a_report_ends_offers_and_leaves_the_match(
    api: Litestar, pair: Pair, database: Database
) -> None:
    await offer_each_other(database, pair.ada.id, pair.bob.id)
    await report(pair.ada, about(pair.bob.id))
    live = "SELECT count(*) FROM handfast_offers.match_offers WHERE status <> 'closed'"
    assert await pair.value(live) == 0
    assert (await pair.match(pair.bob))["status"] == "active"


async def test_several_reporters_pause_somebody(api: Litestar, pair: Pair) -> None:
    """Until an operator has decided about all of it; and they stand first in the queue."""

    async def standing() -> Any:
        sql = "SELECT status || ',' || restrained FROM handfast_people.users WHERE id = $1"
        return await pair.value(sql, pair.bob.id)

    await pair.value(
        "UPDATE handfast_people.users SET verified_at = created_at, questionnaire_done = true"
    )
    grave = about((await somebody(api)).id, category="child_safety")
    assert (await report(pair.ada, grave)).status_code == 201
    for number in range(3):
        assert await standing() == "active,false"
        who = await somebody(api)
        assert (await report(who, about(pair.bob.id))).status_code == 201
        assert (await report(who, about(pair.bob.id, category="other"))).status_code == 201, number
    assert await standing() == "non_matching,true"
    found = await queue(api)
    assert [one["restrained"] for one in found] == [True] * 6 + [False]
    assert found[-1]["severity"] == "critical"
    async with calling(api, OPERATOR_TOKEN) as operator:
        for one in found[:6]:
            path = f"/admin/reports/{one['id']}/decide"
            assert (await operator.post(path, json={"decision": "dismiss"})).status_code == 200
    assert await standing() == "active,false"


async def test_a_place_in_the_queue_that_is_none(api: Litestar, pair: Pair) -> None:
    now = datetime.now(UTC)
    for rank in (-(2**31) - 1, 0, 4, 2**31, 2**63):
        after = QueuePlace(restrained=False, rank=rank, created_at=now, id=uuid4()).cursor()
        async with calling(api, OPERATOR_TOKEN) as operator:
            answer = await operator.get("/admin/reports", params={"after": after})
        assert answer.status_code == 422, answer.text


async def test_the_queue_goes_by_severity_and_age(api: Litestar, pair: Pair) -> None:
    for category in ("other", "violence", "scam", "child_safety", "self_harm"):
        assert (await report(pair.ada, about(pair.bob.id, category=category))).status_code == 201
    wanted = ["child_safety", "violence", "self_harm", "other", "scam"]
    assert [one["category"] for one in await queue(api)] == wanted
    async with calling(api, OPERATOR_TOKEN) as operator:
        seen: list[str] = []
        after: dict[str, str] = {}
        while True:
            page = (await operator.get("/admin/reports", params={"limit": 2, **after})).json()
            seen += [one["category"] for one in page["reports"]]
            if page["next"] is None:
                break
            after = {"after": page["next"]}
    assert seen == wanted
    assert await queue(api, userId=str(pair.ada.id)) == []
    assert len(await queue(api, userId=str(pair.bob.id))) == 5
