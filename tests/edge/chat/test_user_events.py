"""``GET /events``: who hears of what, in order, each once, resumed exactly, and ended with the
sign-in."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from litestar import Litestar

from handfast.engine.streams.hub import USER_STREAMS_MAX
from handfast.engine.system import System
from handfast.services.identity.deletion import delete
from handfast.services.identity.suspension import reinstate, suspend
from tests.support.calling import OPERATOR_TOKEN, calling
from tests.support.matched import Pair, listening
from tests.support.people import Caller, somebody
from tests.support.signed_in import sign_in

Deed = Callable[[Pair], Awaitable[Any]]


async def events_of(pair: Pair, who: Caller) -> list[tuple[str, str]]:
    """On a user's stream, in order: type and data."""
    async with pair.database.connection() as connection:
        rows = await connection.fetch(
            "SELECT e.type, e.data::text FROM handfast_engine.user_events AS t "
            "JOIN handfast_engine.events AS e ON e.id = t.event_id "
            "WHERE t.user_id = $1 ORDER BY t.number",
            who.id,
        )
    return [(row[0], row[1]) for row in rows]


async def test_messages_come_in_order_each_once(api: Litestar, pair: Pair) -> None:
    async with listening(api, pair.ada) as ada, listening(api, pair.bob) as bob:
        ids = [await pair.sent(who, "hi") for who in (pair.ada, pair.bob, pair.ada)]
        await pair.read(pair.bob)
        for reader in (ada, bob):
            await reader.until(4)
            assert reader.names == [*["chat.message_sent"] * 3, "chat.read"]
            assert [event.data["data"]["messageId"] for event in reader.events[:3]] == ids
            assert [event.id for event in reader.events] == ["1", "2", "3", "4"]
        read = ada.events[3].data["data"]
        assert read == {
            "matchId": str(pair.match_id),
            "userId": str(pair.bob.id),
            "upToMessageId": ids[2],
        }


async def test_a_stream_goes_on_where_it_ended(api: Litestar, pair: Pair) -> None:
    async with listening(api, pair.bob) as first:
        await pair.sent(pair.ada, "one")
        last = (await first.until(1))[0].id
    ids = [await pair.sent(pair.ada, text) for text in ("two", "three")]
    async with listening(api, pair.bob, after=last) as second:
        await second.until(2)
        assert [event.data["data"]["messageId"] for event in second.events] == ids
    async with listening(api, pair.bob, after="999") as lost:
        await lost.until(1)
        assert lost.names == ["reset"]


async def by_logout(pair: Pair, _: System) -> None:
    assert (await pair.bob.send("POST", "/auth/logout")).status_code == 204


async def by_revoking(pair: Pair, _: System) -> None:
    path = f"/auth/sessions/{pair.bob.person.sign_in_id}"
    assert (await pair.bob.send("DELETE", path)).status_code == 204


async def by_an_operator(pair: Pair, system: System) -> None:
    async with system.database.transaction() as tx:
        await suspend(tx, system.hooks, pair.bob.id)


async def by_deletion(pair: Pair, system: System) -> None:
    async with system.database.transaction() as tx:
        await delete(tx, system.hooks, pair.bob.id)


async def by_five_newer_sign_ins(pair: Pair, system: System) -> None:
    for _ in range(5):
        await sign_in(system, pair.bob.person.phone)


ENDS = [by_logout, by_revoking, by_an_operator, by_deletion, by_five_newer_sign_ins]


@pytest.mark.parametrize("end", ENDS)
async def test_it_ends_with_the_sign_in(
    api: Litestar, system: System, pair: Pair, end: Callable[[Pair, System], Awaitable[None]]
) -> None:
    async with listening(api, pair.bob) as bob:
        await pair.sent(pair.ada, "before")
        await bob.until(1)
        await end(pair, system)
        await bob.until_ended()
        assert "auth.signed_out" not in bob.names
    refused = await pair.bob.get("/events")
    assert refused.status_code in (401, 403)


async def test_other_sign_ins_go_on(api: Litestar, system: System, pair: Pair) -> None:
    phone = Caller(await sign_in(system, pair.bob.person.phone), pair.bob.client)
    async with listening(api, phone) as stays, listening(api, pair.bob) as ends:
        await pair.bob.send("POST", "/auth/logout")
        await ends.until_ended()
        await pair.sent(pair.ada, "after")
        await stays.until(2)
        assert stays.names == ["auth.signed_out", "chat.message_sent"]
        assert not stays.ended


async def test_a_suspension_that_is_over_ends_no_stream(
    api: Litestar, system: System, pair: Pair
) -> None:
    """Resumed after it, the two events are history."""
    async with system.database.transaction() as tx:
        await suspend(tx, system.hooks, pair.bob.id)
    async with system.database.transaction() as tx:
        await reinstate(tx, system.hooks, pair.bob.id)
    async with listening(api, pair.bob, after="0") as bob:
        await bob.until(2)
        assert bob.names == ["user.suspended", "user.reinstated"]
        await pair.sent(pair.ada, "hello again")
        await bob.until(3)


async def test_a_sign_in_that_ended_between_the_guard_and_the_stream(
    api: Litestar, system: System, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The event came before the stream began: what is asked at its beginning tells."""
    hub = api.state.host.hub
    opened = hub.stream_of_user

    async def slow(*args: Any, **more: Any) -> Any:
        await by_logout(pair, system)
        return await opened(*args, **more)

    monkeypatch.setattr(hub, "stream_of_user", slow)
    async with listening(api, pair.bob) as bob:
        await bob.until_ended()
        assert bob.events == []


async def test_streams_that_one_user_opens_without_end(api: Litestar, pair: Pair) -> None:
    opened = [listening(api, pair.bob) for _ in range(USER_STREAMS_MAX)]
    readers = [await one.__aenter__() for one in opened]
    assert {one.status for one in readers} == {200}
    for _ in range(100):
        refused = await pair.bob.get("/events")
        assert (refused.status_code, refused.json()["code"]) == (429, "TOO_MANY_STREAMS")
    await opened[0].__aexit__(None, None, None)
    async with listening(api, pair.bob) as again:
        assert again.status == 200
    for one in opened[1:]:
        await one.__aexit__(None, None, None)


async def test_it_is_for_users_alone(api: Litestar, pair: Pair) -> None:
    async with calling(api) as stranger, calling(api, OPERATOR_TOKEN) as operator:
        assert (await stranger.get("/events")).status_code == 401
        assert (await operator.get("/events")).status_code in (401, 403)
    bad = await pair.bob.client.get(
        "/events", headers={**pair.bob.person.headers, "Last-Event-ID": "9" * 101}
    )
    assert bad.status_code == 400


# --- who learns of what ---------------------------------------------------------------------------


async def message(pair: Pair) -> None:
    await pair.sent(pair.ada, "Secret words.")


async def read_mark(pair: Pair) -> None:
    await message(pair)
    await pair.read(pair.bob)


async def unmatched(pair: Pair) -> None:
    await pair.ada.send("POST", f"{pair.path}/unmatch", json={"reason": "inappropriate"})


async def blocked(pair: Pair) -> None:
    await pair.ada.send("POST", "/safety/block", json={"userId": str(pair.bob.id)})


async def deleted(pair: Pair) -> None:
    await pair.ada.send("DELETE", "/users/me")


async def reported(pair: Pair) -> None:
    body = {"type": "user", "subjectId": str(pair.bob.id), "category": "scam"}
    answer = await pair.ada.send("POST", "/safety/report", json=body)
    assert answer.status_code == 201


SENT, READ, CLOSED = "chat.message_sent", "chat.read", "match.closed"
# What Ada does; what each of them hears; what each of them sees of the match (who has deleted the
# account sees nothing). Offers and how they end in a match: tests/edge/offers/test_offers_http.py.
AUDIENCE: dict[str, tuple[Deed, list[str], list[str], str | None, str | None]] = {
    "message": (message, [SENT], [SENT], None, None),
    "read": (read_mark, [SENT, READ], [SENT, READ], None, None),
    "unmatch": (unmatched, [CLOSED], [CLOSED], "unmatched", "unmatched"),
    "block": (blocked, [CLOSED], [CLOSED], "blocked", "unmatched"),
    "deletion": (deleted, [CLOSED, "user.deleted"], [CLOSED], "signed out", "deleted"),
    "report": (reported, [], [], None, None),
}


@pytest.mark.parametrize("deed", AUDIENCE)
async def test_who_learns_of_what(api: Litestar, pair: Pair, deed: str) -> None:
    act, adas, bobs, own_reason, reason = AUDIENCE[deed]
    eve = await somebody(api)
    await act(pair)
    told = {
        "ada": await events_of(pair, pair.ada),
        "bob": await events_of(pair, pair.bob),
        "eve": await events_of(pair, eve),
    }
    assert [name for name, _ in told["ada"]] == adas
    assert [name for name, _ in told["bob"]] == bobs
    assert told["eve"] == []
    for _, data in told["bob"]:
        assert "Secret" not in data
        assert "block" not in data, "nobody learns of a block"
    shown = await pair.match(pair.bob)
    assert shown.get("closedReason") == reason
    listed = (await pair.bob.get("/matches?status=all")).json()["matches"]
    assert [one.get("closedReason") for one in listed] == [reason]
    assert "block" not in str(listed)
    said = await pair.say(pair.bob, "Are you there?")
    assert said.status_code == (201 if reason is None else 409)
    assert "block" not in said.text
    own = await pair.ada.get(pair.path)
    if own_reason == "signed out":
        assert own.status_code == 401
    else:
        assert own.json().get("closedReason") == own_reason
