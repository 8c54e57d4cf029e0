"""A copy of one's own data, and its end: over HTTP, with the jobs."""

import asyncio
import io
import json
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from litestar import Litestar

from handfast.apps.people.personal_data.copying import remove_old_exports
from handfast.apps.people.plugins import photo_store
from handfast.db.pool import Database
from handfast.engine.system import System
from handfast.services.identity.deletion import erase
from handfast.services.identity.suspension import suspend
from handfast.wiring import hosting, open_crews
from tests.support.calling import OPERATOR_TOKEN, calling
from tests.support.eventually import eventually_async
from tests.support.people import Caller, somebody, somebody_whole
from tests.support.signed_in import sign_in

NOW = datetime(2026, 11, 17, 12, tzinfo=UTC)


@asynccontextmanager
async def at_work(system: System) -> AsyncIterator[None]:
    async with open_crews(system, {}, lanes=("people",)) as crews, hosting(system, crews):
        yield


async def exported(ada: Caller, system: System) -> str:
    """The link, once it is there."""
    async with at_work(system):

        async def is_ready() -> bool:
            return bool((await ada.get("/users/me/export")).json()["status"] == "ready")

        await eventually_async(is_ready)
    return str((await ada.get("/users/me/export")).json()["url"])


async def test_a_copy(api: Litestar, system: System) -> None:
    ada, bob = await somebody_whole(api), await somebody_whole(api)
    await ada.add_photo()
    await ada.send("PUT", "/users/me/preferences", json={"theme": "dark"})
    await ada.send("POST", "/safety/block", json={"userId": str(bob.id)})
    await bob.send("POST", "/safety/block", json={"userId": str(ada.id)})
    assert (await ada.get("/users/me/export")).status_code == 404
    asked = await ada.send("POST", "/users/me/export")
    assert (asked.status_code, asked.json()["status"]) == (202, "pending")
    fetched = await ada.get(await exported(ada, system))
    assert fetched.headers["content-type"] == "application/zip"
    assert fetched.headers["cache-control"] == "private, no-store"
    with zipfile.ZipFile(io.BytesIO(fetched.content)) as archive:
        names = archive.namelist()
        people = json.loads(archive.read("people.json"))
        assert archive.read(names[-1])[:3] == b"\xff\xd8\xff"
    assert people["user"]["displayName"] == "Ada"
    assert people["preferences"] == {"theme": "dark"}
    assert len(people["responses"]) == 26
    assert [one["userId"] for one in people["blocks"]] == [str(bob.id)]
    assert people["verifications"][0]["status"] == "verified"
    assert len(people["signIns"]) == 1
    said = json.dumps(people)
    assert bob.person.phone not in said, "nobody else's profile"
    assert said.count(str(bob.id)) == 1, "nor who blocked"


async def test_a_link_is_for_one_sign_in_and_a_quarter_of_an_hour(
    api: Litestar, system: System, database: Database
) -> None:
    ada = await somebody(api)
    await ada.send("POST", "/users/me/export")
    link = await exported(ada, system)
    elsewhere = Caller(await sign_in(api, ada.person.phone), calling(api))
    assert elsewhere.id == ada.id
    bob = await somebody(api)
    assert (await ada.get(link)).status_code == 200
    assert (await elsewhere.get(link)).status_code == 404
    assert (await bob.get(link)).status_code == 404
    assert (await calling(api).get(link)).status_code == 401
    assert (await calling(api, OPERATOR_TOKEN).get(link)).status_code == 401
    assert (await ada.get(f"/users/me/export/{uuid4()}")).status_code == 404
    own = (await elsewhere.get("/users/me/export")).json()["url"]
    assert (await elsewhere.get(own)).status_code == 200
    async with database.transaction() as tx:
        await tx.execute(
            "UPDATE handfast_people.export_links SET expires_at = handfast_db.now()"
            " WHERE id = $1::uuid",
            link.rpartition("/")[2],
        )
    assert (await ada.get(link)).status_code == 404


async def test_one_a_day_and_gone_after_a_day(
    api: Litestar, system: System, database: Database, tmp_path: Path
) -> None:
    ada = await somebody(api)
    await ada.send("POST", "/users/me/export")
    link = await exported(ada, system)
    soon = await ada.send("POST", "/users/me/export")
    assert (soon.status_code, soon.json()["code"]) == (429, "EXPORT_TOO_SOON")
    assert 86_000 < int(soon.headers["retry-after"]) <= 86_401
    async with database.transaction() as tx:
        await tx.execute(
            "UPDATE handfast_people.exports SET requested_at = requested_at - interval '25 h',"
            " ready_at = ready_at - interval '25 h'"
        )
    assert (await ada.get("/users/me/export")).json()["status"] == "expired"
    assert await remove_old_exports(database, photo_store(system.settings)) == 1
    assert list((tmp_path / "photos").glob("*/*/*")) == []
    assert (await ada.get(link)).status_code == 404
    assert (await ada.send("POST", "/users/me/export")).status_code == 202


async def test_a_copy_that_cannot_be_removed_keeps_no_other(
    api: Litestar, system: System, database: Database, tmp_path: Path
) -> None:
    ada, bob = await somebody(api), await somebody(api)
    for one in (ada, bob):
        await one.send("POST", "/users/me/export")
        await exported(one, system)
    [of_ada] = (tmp_path / "photos").glob(f"*/{ada.id}/*")
    of_ada.unlink()
    of_ada.mkdir()
    async with database.transaction() as tx:
        await tx.execute("UPDATE handfast_people.exports SET ready_at = ready_at - interval '25 h'")
    assert await remove_old_exports(database, photo_store(system.settings)) == 1
    assert list((tmp_path / "photos").glob("*/*/*")) == [of_ada]
    of_ada.rmdir()
    assert await remove_old_exports(database, photo_store(system.settings)) == 1, "tried again"


async def test_ten_who_ask_at_once_get_one(api: Litestar, database: Database) -> None:
    ada = await somebody(api)
    asked = await asyncio.gather(*(ada.send("POST", "/users/me/export") for _ in range(10)))
    assert sorted(one.status_code for one in asked) == [202] + [429] * 9
    async with database.connection() as connection:
        assert await connection.fetchval("SELECT count(*) FROM handfast_people.exports") == 1


async def test_asking_for_the_link_all_day_makes_no_row_each_time(
    api: Litestar, system: System, database: Database
) -> None:
    ada = await somebody(api)
    await ada.send("POST", "/users/me/export")
    await exported(ada, system)
    links = {(await ada.get("/users/me/export")).json()["url"] for _ in range(10)}
    assert len(links) == 1
    async with database.connection() as connection:
        rows = await connection.fetch("SELECT id FROM handfast_people.export_links")
    assert len(rows) == 1


async def test_a_suspension_leaves_this(api: Litestar, system: System) -> None:
    ada = await somebody(api)
    async with system.database.transaction() as tx:
        await suspend(tx, system.hooks, ada.id)
    assert (await ada.get("/users/me")).json()["status"] == "suspended"
    assert (await ada.patch(bio="x")).json()["code"] == "ACCOUNT_SUSPENDED"
    assert (await ada.get("/compatibility/questions")).status_code == 403
    assert (await ada.send("POST", "/users/me/export")).status_code == 202
    assert (await ada.get("/users/me/export")).status_code == 200
    assert (await ada.send("DELETE", "/users/me")).status_code == 202


async def test_deletion_hides_and_is_undone_by_signing_in(api: Litestar) -> None:
    ada = await somebody_whole(api)
    gone = await ada.send("DELETE", "/users/me")
    assert (gone.status_code, gone.json()) == (202, {"erasedAfterDays": 30})
    assert (await ada.get("/users/me")).status_code == 401
    operator = calling(api, OPERATOR_TOKEN)
    seen = (await operator.get(f"/admin/people/{ada.id}")).json()
    assert seen["user"]["status"] == "deleted"
    back = Caller(await sign_in(api, ada.person.phone), calling(api))
    me = (await back.get("/users/me")).json()
    assert (back.id, me["status"], me["displayName"]) == (ada.id, "active", "Ada")


async def test_erasure_takes_everything_of_one_and_nothing_of_another(
    api: Litestar, system: System, database: Database
) -> None:
    ada, bob = await somebody_whole(api), await somebody_whole(api)
    for one, other in ((ada, bob), (bob, ada)):
        await one.add_photo()
        await one.send("POST", "/safety/block", json={"userId": str(other.id)})
        await one.send("PUT", "/users/me/preferences", json={"theme": "dark"})
        await one.send("POST", "/users/me/export")
    await ada.send("DELETE", "/users/me")
    store, secret = photo_store(system.settings), api.state.shared["identity"].secret
    async with database.transaction() as tx:
        await erase(tx, system.hooks, secret, ada.id)
    async with at_work(system):

        async def all_done() -> bool:
            async with database.connection() as connection:
                return not await connection.fetchval(
                    "SELECT count(*) FROM handfast_engine.live"
                    " WHERE lane = 'people' AND due_at <= handfast_db.now()"
                )

        await eventually_async(all_done)
    assert {file.user_id async for file in store.files()} == {bob.id}, "her copy was not made"
    async with database.connection() as connection:
        left = await connection.fetch(
            "SELECT c.table_name, c.column_name FROM information_schema.columns AS c"
            " JOIN information_schema.tables AS t USING (table_schema, table_name)"
            " WHERE c.table_schema = 'handfast_people' AND c.udt_name = 'uuid'"
            " AND t.table_type = 'BASE TABLE'"
        )
        found = {
            (table, column)
            for table, column in left
            if await connection.fetchval(
                f"SELECT count(*) FROM handfast_people.{table} WHERE {column} = $1", ada.id
            )
        }
    assert found == {("blocks", "blocked_id")}, "an id that means nothing any more"
    assert (await bob.get("/users/me")).json()["displayName"] == "Ada"
