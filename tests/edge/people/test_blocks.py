"""Blocks over HTTP, and the fact that they state."""

from uuid import UUID, uuid4

import pytest
from litestar import Litestar

from handfast.db.transaction import Transaction
from handfast.engine.system import System
from tests.support.people import key, somebody


async def test_block_list_unblock(api: Litestar) -> None:
    ada, bob = await somebody(api), await somebody(api)
    body = {"userId": str(bob.id), "reason": "harassment"}
    first = await ada.send("POST", "/safety/block", json=body)
    assert first.status_code == 200
    assert set(first.json()) == {"userId", "blockedAt"}
    again = await ada.send("POST", "/safety/block", json={"userId": str(bob.id)})
    assert again.json() == first.json(), "a second one changes nothing"
    assert (await ada.get("/users/me/blocks")).json() == {"blocks": [first.json()]}
    assert (await bob.get("/users/me/blocks")).json() == {"blocks": []}
    assert (await bob.send("DELETE", f"/users/me/blocks/{ada.id}")).status_code == 404
    assert (await ada.send("DELETE", f"/users/me/blocks/{bob.id}")).status_code == 204
    assert (await ada.send("DELETE", f"/users/me/blocks/{bob.id}")).status_code == 404
    assert (await ada.get("/users/me/blocks")).json() == {"blocks": []}


async def test_who_cannot_be_blocked(api: Litestar) -> None:
    ada = await somebody(api)
    for body, status in (
        ({"userId": str(uuid4())}, 404),
        ({"userId": str(ada.id)}, 422),
        ({"userId": "x"}, 400),
        ({}, 400),
        ({"userId": str(uuid4()), "reason": "envy"}, 400),
        ({"userId": str(uuid4()), "more": 1}, 400),
    ):
        assert (await ada.send("POST", "/safety/block", json=body)).status_code == status, body


async def test_the_same_key(api: Litestar) -> None:
    ada, bob, same = await somebody(api), await somebody(api), key()
    body = {"userId": str(bob.id)}
    first = await ada.send("POST", "/safety/block", json=body, headers=same)
    await ada.send("DELETE", f"/users/me/blocks/{bob.id}")
    again = await ada.send("POST", "/safety/block", json=body, headers=same)
    assert again.json() == first.json()
    assert (await ada.get("/users/me/blocks")).json() == {"blocks": []}, "it was not done again"


async def test_the_fact_is_stated_once_in_the_same_transaction(
    api: Litestar, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob, eve = [await somebody(api) for _ in range(3)]
    stated: list[tuple[UUID, UUID]] = []

    async def follow(tx: Transaction, user_id: UUID, blocked_id: UUID) -> None:
        sql = "SELECT count(*) FROM handfast_people.blocks WHERE (user_id, blocked_id) = ($1, $2)"
        assert await tx.fetchval(sql, user_id, blocked_id) == 1
        stated.append((user_id, blocked_id))
        if blocked_id == eve.id:
            raise RuntimeError("what must follow cannot")

    monkeypatch.setitem(system.hooks._calls, "pair.blocked", [follow])
    for _ in range(2):
        await ada.send("POST", "/safety/block", json={"userId": str(bob.id)})
    assert stated == [(ada.id, bob.id)]
    failed = await ada.send("POST", "/safety/block", json={"userId": str(eve.id)})
    assert failed.status_code == 500
    blocks = (await ada.get("/users/me/blocks")).json()["blocks"]
    assert [one["userId"] for one in blocks] == [str(bob.id)]
