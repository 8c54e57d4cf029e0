"""Users as operators see them, and what they may correct."""

from typing import Any
from uuid import uuid4

from litestar import Litestar

from handfast.apps.people.generator.loading import load_people
from handfast.db.pool import Database
from handfast.engine.operating.audit import list_audit
from tests.support.calling import OPERATOR_TOKEN, VIEWER_TOKEN, calling
from tests.support.people import somebody_whole


async def test_finding_users(api: Litestar, database: Database) -> None:
    ada = await somebody_whole(api)
    await load_people(database, 30, seed=3, responses=False)
    operator = calling(api, OPERATOR_TOKEN)
    by_phone = (await operator.get("/admin/people", params={"phone": ada.person.phone})).json()
    assert [one["id"] for one in by_phone["users"]] == [str(ada.id)]
    by_name = (
        await operator.get("/admin/people", params={"name": "aD", "status": "active"})
    ).json()
    assert str(ada.id) in {one["id"] for one in by_name["users"]}
    assert all(one["displayName"].lower().startswith("ad") for one in by_name["users"])
    assert (await operator.get("/admin/people", params={"name": "%"})).json()["users"] == []
    wrong = {"phone": ada.person.phone, "status": "suspended"}
    assert (await operator.get("/admin/people", params=wrong)).json()["users"] == []
    assert (await operator.get("/admin/people", params={"after": "Wx"})).status_code == 422


async def test_each_list_goes_on_where_it_ended(api: Litestar, database: Database) -> None:
    await load_people(database, 30, seed=3, responses=False)
    async with database.connection() as connection:
        await connection.execute("""
            UPDATE handfast_people.users SET display_name = 'Twin ' || (id < (
                SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY id) FROM handfast_people.users
            )), matching = NOT starts_with(display_name, 'A')
        """)
        named = await connection.fetch("""
            SELECT id::text FROM handfast_people.users ORDER BY lower(display_name) COLLATE "C", id
        """)
        newest = await connection.fetch("""
            SELECT id::text, status FROM handfast_people.users ORDER BY created_at DESC, id DESC
        """)
    operator = calling(api, OPERATOR_TOKEN)

    async def paged(**where: str) -> list[str]:
        seen: list[str] = []
        page: dict[str, Any] = {"next": None}
        while not seen or page["next"]:
            params = where | {"limit": "7"} | ({"after": page["next"]} if page["next"] else {})
            page = (await operator.get("/admin/people", params=params)).json()
            seen += [one["id"] for one in page["users"]]
        return seen

    assert await paged(name="tWIN ") == [one["id"] for one in named]
    assert sorted(await paged()) == sorted(one["id"] for one in newest)
    for status in {one["status"] for one in newest}:
        assert await paged(status=status) == [
            one["id"] for one in newest if one["status"] == status
        ]
    elsewhere = (await operator.get("/admin/people", params={"limit": 1})).json()["next"]
    refused = await operator.get("/admin/people", params={"name": "twin", "after": elsewhere})
    assert refused.status_code == 422, "a place in another list"


async def test_showing_and_correcting_one(api: Litestar, database: Database) -> None:
    ada = await somebody_whole(api)
    operator = calling(api, OPERATOR_TOKEN)
    url = f"/admin/people/{ada.id}"
    shown = (await operator.get(url)).json()
    assert (shown["user"]["displayName"], shown["answers"], shown["reported"]) == ("Ada", 26, 0)
    fixed = await operator.patch(url, json={"birthDate": "1991-12-10", "gender": "non_binary"})
    assert fixed.status_code == 200, fixed.text
    me = (await ada.get("/users/me")).json()
    assert (me["birthDate"], me["gender"]) == ("1991-12-10", "non_binary")
    assert (await operator.patch(url, json={"birthDate": "2020-01-01"})).status_code == 422
    async with database.connection() as connection:
        entries = (await list_audit(connection)).entries
    assert [(one.action, one.subject) for one in entries] == [("user.correct", f"user:{ada.id}")]
    nobody = f"/admin/people/{uuid4()}"
    assert (await operator.get(nobody)).status_code == 404
    assert (await operator.patch(nobody, json={})).status_code == 404


async def test_viewers_see_nobody(api: Litestar) -> None:
    viewer = calling(api, VIEWER_TOKEN)
    assert (await viewer.get("/admin/people")).status_code == 403
