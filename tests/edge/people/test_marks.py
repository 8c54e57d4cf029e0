"""Marks planted in names, phones, places and words are found where they belong, and nowhere else:
in no event, payload, log line or kept answer in the clear."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from litestar import Litestar

from handfast.db.pool import Database
from handfast.engine.system import System
from handfast.services.idempotency import Need
from handfast.services.identity.suspension import reinstate, suspend
from handfast.wiring import hosting, open_crews
from tests.support.calling import OPERATOR_TOKEN, calling
from tests.support.eventually import eventually_async
from tests.support.matched import offer_each_other
from tests.support.people import PROFILE, key, somebody, somebody_whole
from tests.support.pictures import photo, with_secrets

PHONE = "+4930987654321"
MARKS = ("Markname", "Markbio", "Markcity", "Markword", "Markpref", "Markpicture", PHONE[1:])
ELSEWHERE = ("engine", "idempotency", "limits", "webhooks")
WHO_SOMEBODY_IS = {"phoneNumber", "displayName", "bio", "birthDate", "latitude", "city"}


@pytest.fixture
async def logged(capsys: pytest.CaptureFixture[str]) -> pytest.CaptureFixture[str]:
    capsys.readouterr()
    return capsys


async def test_marks_are_found_nowhere_else(
    api: Litestar,
    system: System,
    database: Database,
    logged: pytest.CaptureFixture[str],
) -> None:
    ada, bob = await somebody(api, PHONE), await somebody(api)
    place = {**PROFILE["location"], "city": "Markcity"}
    marked = {**PROFILE, "displayName": "Markname", "bio": "Markbio", "location": place}
    assert (await ada.patch(**marked)).status_code == 200
    for wrong in (
        {"displayName": "Markname\u202e"},
        {"timezone": "Markcity/Berlin"},
        {"bio": "Markbio" * 200},
        {"discoveryPreferences": {"minAgePreference": 60, "maxAgePreference": 50}},
        {"discoveryPreferences": {"maxAgePreference": 20}},
        {"birthDate": "2020-01-01", "bio": "Markbio"},
    ):
        assert (await ada.patch(**wrong)).status_code == 422, wrong
    await ada.send("PUT", "/users/me/preferences", json={"note": "Markpref"})
    await ada.send("PUT", "/users/me/preferences", json={"Markpref": "Markpref"})
    await ada.add_photo(with_secrets("Markpicture"))
    await ada.add_photo(b"Markpicture")
    said = {"questionId": "good_evening", "answer": "Markword"}
    for question in ("good_evening", "children"):
        body = {"version": 1, "responses": [{**said, "questionId": question}]}
        await ada.send("POST", "/compatibility/responses", json=body)
    assert (await ada.answer_all()).status_code == 200
    assert (await ada.verify(photo())).status_code == 200
    await bob.send("POST", "/safety/block", json={"userId": str(ada.id)})
    assert (await ada.patch(bio="Markbio again", headers=key())).status_code == 400
    async with database.transaction() as tx:
        await suspend(tx, system.hooks, ada.id)
    assert (await ada.send("POST", "/users/me/export")).status_code == 202
    async with open_crews(system, {}, lanes=("people",)) as crews, hosting(system, crews):

        async def is_ready() -> bool:
            return bool((await ada.get("/users/me/export")).json()["status"] == "ready")

        await eventually_async(is_ready)
    async with database.transaction() as tx:
        await reinstate(tx, system.hooks, ada.id)
    assert (await ada.send("DELETE", "/users/me")).status_code == 202

    assert await found(database, ("people",)) >= {"Markname", "Markbio", "Markcity", "Markpref"}
    assert await found(database, ("identity",)) == {PHONE[1:]}
    assert await found(database, ELSEWHERE) == set()
    told = logged.readouterr()
    assert "request" in told.out + told.err, "there was a log"
    assert [mark for mark in MARKS if mark in told.out + told.err] == []


async def test_what_others_are_shown_of_somebody_is_not_kept_in_the_clear(
    api: Litestar, database: Database
) -> None:
    ada, bob = await somebody(api, PHONE), await somebody_whole(api)
    await ada.patch(**{**PROFILE, "displayName": "Markname", "bio": "Markbio"})
    await ada.answer_all()
    assert (await ada.verify()).status_code == 200
    await offer_each_other(database, ada.id, bob.id)
    [offer] = (await bob.get("/matches/offers")).json()["offers"]
    [back] = (await ada.get("/matches/offers")).json()["offers"]
    accept = {"action": "accept"}
    await ada.send("POST", f"/matches/offers/{back['id']}/action", json=accept)
    answers = [await bob.send("POST", f"/matches/offers/{offer['id']}/action", json=accept)]
    asked: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", f"/admin/users/{ada.id}/suspend", {}),
        ("POST", f"/admin/users/{ada.id}/reinstate", {}),
        ("PATCH", f"/admin/people/{ada.id}", {"gender": "female"}),
        ("POST", f"/admin/people/{ada.id}/verification", {"decision": "reset"}),
    ]
    async with calling(api, OPERATOR_TOKEN) as operator:
        for method, path, body in asked:
            said = {**body, "reason": "why"}
            answers += [await operator.request(method, path, json=said, headers=key())]
    for answer in answers:
        assert answer.status_code == 200, answer.text
        assert any(mark in answer.text for mark in MARKS), answer.text
    assert await found(database, ELSEWHERE) == set()


async def test_every_answer_that_says_who_somebody_is_is_kept_encrypted(api: Litestar) -> None:
    described = api.openapi_schema.to_schema()
    clear = []
    for one in api.state.routes.routes:
        if one.policy.key.need is Need.IGNORED or one.policy.key.encrypted:
            continue
        path = re.sub(r":[a-z]+}", "}", str(one.route.path))
        answers = described["paths"][path][one.route.method.lower()]["responses"].items()
        good = [answer for status, answer in answers if status < "300"]
        if WHO_SOMEBODY_IS & set(members(good, described["components"]["schemas"], set())):
            clear.append(str(one))
    assert clear == []


def members(described: Any, schemas: dict[str, Any], seen: set[str]) -> Iterator[str]:
    """The names of what is in there, however deep."""
    if isinstance(described, list):
        for one in described:
            yield from members(one, schemas, seen)
    elif isinstance(described, dict):
        name = str(described.get("$ref", "")).rpartition("/")[2]
        if name and name not in seen:
            seen.add(name)
            yield from members(schemas[name], schemas, seen)
        yield from described.get("properties", {})
        yield from members(list(described.values()), schemas, seen)


async def found(database: Database, schemas: tuple[str, ...]) -> set[str]:
    """The marks that some row of these schemas has, as text or as bytes."""
    names = [f"handfast_{schema}" for schema in schemas]
    seen: set[str] = set()
    async with database.connection() as connection:
        tables = await connection.fetch(
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname = ANY ($1)", names
        )
        assert tables
        for schema, table in tables:
            rows = await connection.fetch(f'SELECT t::text AS row FROM {schema}."{table}" AS t')
            text = json.dumps([row["row"] for row in rows])
            seen |= {mark for mark in MARKS if mark in text or mark.encode().hex() in text}
    return seen
