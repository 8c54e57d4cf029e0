"""Messages over HTTP: once each, in pages that stay, marked as read, and nowhere they do not
belong."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from bench.roundtrips import counted
from litestar import Litestar

from handfast.apps.chat.messages import send_message
from handfast.apps.chat.settings import ChatSettings
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api
from handfast.engine.system import System
from handfast.wiring import load_settings
from tests.support.calling import OPERATOR_TOKEN, calling
from tests.support.matched import Pair, match_up, matched
from tests.support.people import Caller, key, somebody
from tests.support.systems import whole_system

HTML = "<script>alert('hello')</script> & <b>bold</b>"


async def test_a_message(pair: Pair) -> None:
    sent = await pair.say(pair.ada, "Hello, Bob.", "phone-1")
    assert sent.status_code == 201
    message = sent.json()
    assert set(message) == {
        *("id", "matchId", "senderId", "createdAt", "content", "clientMessageId")
    }
    assert message["content"] == "Hello, Bob."
    assert (message["matchId"], message["senderId"]) == (str(pair.match_id), str(pair.ada.id))
    page = await pair.shown(pair.bob)
    assert page["hasMore"] is False
    assert [one["id"] for one in page["messages"]] == [message["id"]]
    assert "clientMessageId" not in page["messages"][0], "the sender's own"
    assert (await pair.shown(pair.ada))["messages"] == [message]


async def test_what_is_sent_is_kept_as_it_was(pair: Pair) -> None:
    for content in (
        *(HTML, "a" * 2000, "👩‍👩‍👧‍👦", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"),
        *("two\nlines\r\n\ttabbed", "\u200bhidden\u200b space", "😀" * 2000),
    ):
        sent = await pair.say(pair.ada, content)
        assert (sent.status_code, sent.json()["content"]) == (201, content)
        answer = await pair.bob.get(f"{pair.path}/messages")
        assert answer.json()["messages"][0]["content"] == content
        assert answer.headers["content-type"] == "application/json"


async def test_what_cannot_be_sent(pair: Pair) -> None:
    for content, status in (
        ("a" * 2001, 400),
        ("", 400),
        (None, 400),
        (5, 400),
        ("\0", 400),
        ("   \n\t ", 422),
        ("\u200b\u200c\u200d\ufeff\u2060", 422),
        ("\u3164\u2800\u00ad", 422),
        ("bell\u0007", 422),
    ):
        answer = await pair.ada.send("POST", f"{pair.path}/messages", json={"content": content})
        assert answer.status_code == status, answer.text
    assert (await pair.shown(pair.ada))["messages"] == []


async def test_bodies_that_are_none(pair: Pair) -> None:
    bodies: list[Any] = [
        {"content": "hi", "colour": "red"},
        {"content": "hi", "clientMessageId": ""},
        {"content": "hi", "clientMessageId": "c" * 101},
        {"content": "hi", "clientMessageId": 7},
        {},
        [],
    ]
    for body in bodies:
        answer = await pair.ada.send("POST", f"{pair.path}/messages", json=body)
        assert answer.status_code == 400, body
    for body in ({"upToMessageId": "x"}, {"upTo": str(uuid4())}):
        answer = await pair.ada.send("POST", f"{pair.path}/read", json=body)
        assert answer.status_code == 400, body
    keyless = await pair.ada.client.post(
        f"{pair.path}/messages", headers=pair.ada.person.headers, json={"content": "hi"}
    )
    assert keyless.status_code == 400, "a key is required"


async def test_the_same_message_again(pair: Pair) -> None:
    first = await pair.say(pair.ada, "Once.", "c-1")
    again = await pair.say(pair.ada, "Once.", "c-1")
    assert (again.status_code, again.json()) == (200, first.json())
    other = await pair.say(pair.ada, "Twice.", "c-1")
    assert (other.status_code, other.json()["code"]) == (409, "MESSAGE_ID_REUSED")
    assert other.json()["existingId"] == first.json()["id"]
    theirs = await pair.say(pair.bob, "Mine.", "c-1")
    assert theirs.status_code == 201, "another sender's id is another id"
    for _ in range(2):
        assert (await pair.say(pair.ada, "Hm.")).status_code == 201, "without one: two messages"
    contents = [one["content"] for one in (await pair.shown(pair.bob))["messages"]]
    assert contents == ["Hm.", "Hm.", "Mine.", "Once."]


async def test_the_same_id_in_another_match(api: Litestar, pair: Pair) -> None:
    eve = await somebody(api)
    elsewhere = await match_up(pair.database, pair.ada.id, eve.id)
    body = {"content": "Hello.", "clientMessageId": "c-1"}
    assert (await pair.say(pair.ada, "Hello.", "c-1")).status_code == 201
    answer = await pair.ada.send("POST", f"/matches/{elsewhere}/messages", json=body)
    assert answer.status_code == 201


async def test_a_hundred_sends_of_one_id_are_one_message(system: System, pair: Pair) -> None:
    """Beside HTTP, whose limit would stop most of them."""

    async def send() -> bool:
        async with system.database.transaction() as tx:
            _, new = await send_message(tx, pair.ada.id, pair.match_id, "Once.", "c-1")
            return new

    assert sum(await asyncio.gather(*(send() for _ in range(100)))) == 1
    assert len((await pair.shown(pair.bob))["messages"]) == 1
    told = "SELECT count(*) FROM handfast_engine.events WHERE type = 'chat.message_sent'"
    assert await pair.value(told) == 1


async def test_pages_stay_as_they_are_while_messages_arrive(pair: Pair) -> None:
    ids = [await pair.sent(pair.ada, f"{number}") for number in range(7)]
    page = await pair.shown(pair.bob, limit=3)
    seen = [one["id"] for one in page["messages"]]
    while page["hasMore"]:
        await pair.sent(pair.bob, "meanwhile")
        page = await pair.shown(pair.bob, limit=3, before=seen[-1])
        seen += [one["id"] for one in page["messages"]]
    assert seen == ids[::-1]
    assert len((await pair.shown(pair.ada))["messages"]) == 9
    empty = await pair.shown(pair.bob, before=ids[0])
    assert empty == {"messages": [], "hasMore": False}


async def test_pages_that_are_none(api: Litestar, pair: Pair) -> None:
    other = await matched(api)
    foreign = await other.sent(other.ada, "Not yours.")
    for query, status in (
        ({"limit": 101}, 400),
        ({"limit": 0}, 400),
        ({"before": "x"}, 400),
        ({"before": str(uuid4())}, 422),
        ({"before": foreign}, 422),
    ):
        answer = await pair.ada.get(f"{pair.path}/messages", params=query)
        assert answer.status_code == status, query


async def test_read_marks(pair: Pair) -> None:
    ids = [await pair.sent(pair.ada, f"{number}") for number in range(4)]
    mine = await pair.sent(pair.bob, "mine")
    assert (await pair.match(pair.bob))["unreadCount"] == 4
    assert (await pair.match(pair.ada))["unreadCount"] == 1
    done = await pair.read(pair.bob, ids[1])
    assert (done.status_code, done.json()) == (
        200,
        {"matchId": str(pair.match_id), "unreadCount": 2, "upToMessageId": ids[1]},
    )
    back = await pair.read(pair.bob, ids[0])
    assert back.json() == done.json(), "a mark never goes back"
    read = [one for one in (await pair.shown(pair.ada))["messages"] if "readAt" in one]
    assert [one["id"] for one in read] == [ids[1], ids[0]]
    everything = await pair.read(pair.bob)
    assert everything.json()["unreadCount"] == 0
    assert everything.json()["upToMessageId"] == mine
    assert (await pair.match(pair.bob))["unreadCount"] == 0
    told = "SELECT count(*) FROM handfast_engine.events WHERE type = 'chat.read'"
    assert await pair.value(told) == 2, "what changes nothing is no news"
    await pair.read(pair.bob)
    assert await pair.value(told) == 2


async def test_a_read_mark_of_nothing(api: Litestar, pair: Pair) -> None:
    nothing = await pair.read(pair.ada)
    assert nothing.json() == {"matchId": str(pair.match_id), "unreadCount": 0}
    other = await matched(api)
    for message in (await other.sent(other.ada, "Not yours."), str(uuid4())):
        answer = await pair.read(pair.ada, message)
        assert answer.status_code == 404, answer.text


async def test_the_list_of_matches(api: Litestar, pair: Pair) -> None:
    eve = await somebody(api)
    silent = await match_up(pair.database, pair.ada.id, eve.id)
    last = await pair.say(pair.bob, "Hello.")
    matches = {one["id"]: one for one in (await pair.ada.get("/matches")).json()["matches"]}
    written = matches[str(pair.match_id)]
    assert (written["unreadCount"], written["lastMessageAt"]) == (1, last.json()["createdAt"])
    assert matches[str(silent)]["unreadCount"] == 0
    assert "lastMessageAt" not in matches[str(silent)]


async def test_another_ones_match_is_not_there(api: Litestar, pair: Pair) -> None:
    await pair.sent(pair.ada, "For Bob.")
    eve = await somebody(api)
    for path in (pair.path, f"/matches/{uuid4()}"):
        for answer in (
            await eve.get(f"{path}/messages"),
            await eve.send("POST", f"{path}/messages", json={"content": "hi"}),
            await eve.send("POST", f"{path}/read", json={}),
        ):
            assert answer.status_code == 404, answer.text


@pytest.mark.parametrize("how", ["unmatch", "block"])
async def test_a_closed_match_refuses(pair: Pair, how: str) -> None:
    message = await pair.say(pair.ada, "Hello.", "c-1")
    if how == "unmatch":
        await pair.bob.send("POST", f"{pair.path}/unmatch", json={})
    else:
        await pair.bob.send("POST", "/safety/block", json={"userId": str(pair.ada.id)})
    for who in (pair.ada, pair.bob):
        refused = await pair.say(who, "Still there?")
        assert (refused.status_code, refused.json()["code"]) == (409, "MATCH_CLOSED")
        assert len((await pair.shown(who))["messages"]) == 1, "kept for a while"
    again = await pair.say(pair.ada, "Hello.", "c-1")
    assert (again.status_code, again.json()) == (200, message.json()), "it was sent before"
    unread = await pair.read(pair.bob)
    assert (unread.status_code, unread.json()["code"]) == (409, "MATCH_CLOSED")


async def test_limits(system: System) -> None:
    few = system.settings.model_copy(update={"chat_messages_per_minute": 2})
    assert few.of(ChatSettings).chat_messages_per_minute == 2
    api = create_api(
        System(few, system.database, system.direct, system.capabilities),
        OPERATOR_TOKEN,
        idempotency_secret="one-secret-for-all-processes-of-a-test",
    )
    pair = await matched(api)
    statuses = [(await pair.say(pair.ada, "hi")).status_code for _ in range(4)]
    assert statuses == [201, 201, 429, 429]
    assert (await pair.say(pair.bob, "hi")).status_code == 201, "each has their own"


async def test_the_limits_of_the_contract(system: System) -> None:
    ours = system.settings.of(ChatSettings)
    assert (ours.chat_messages_per_minute, ours.chat_messages_per_hour) == (30, 200)
    assert timedelta(days=ours.chat_kept_days) == timedelta(days=30)


async def test_a_key_is_a_key(pair: Pair) -> None:
    same = key()
    sent = [
        await pair.ada.send(
            "POST", f"{pair.path}/messages", json={"content": "Hello."}, headers=same
        )
        for _ in range(2)
    ]
    assert [one.status_code for one in sent] == [201, 201]
    assert sent[0].json() == sent[1].json()
    other = await pair.ada.send(
        "POST", f"{pair.path}/messages", json={"content": "Other."}, headers=same
    )
    assert other.status_code == 409


async def test_round_trips_of_a_message(dsn: str, pair: Pair, tmp_path: Path) -> None:
    """Who it is, the limits, the key; then BEGIN, the message, and the record with COMMIT."""
    async with counted(dsn) as wire, await Database.open(Target(wire.dsn), pool_size=2) as through:
        system = whole_system(load_settings(data_dir=tmp_path), through, Target(wire.dsn))
        proxied = create_api(system, OPERATOR_TOKEN, idempotency_secret="s" * 40)
        ada = Caller(pair.ada.person, calling(proxied))
        for number in range(3):  # keys are read and statements prepared the first time
            wire.reset()
            assert (await pair.say(ada, "Hello.", f"c-{number}")).status_code == 201
        assert wire.trips == 6
