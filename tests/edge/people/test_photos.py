"""Photos over HTTP: who may see which, what is kept, what goes."""

import asyncio
import os
import time
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from litestar import Litestar

from handfast.apps.people.personal_data.exports import ask_export
from handfast.apps.people.photos.folder import UNFINISHED
from handfast.apps.people.photos.orphans import remove_orphans
from handfast.apps.people.photos.store import export, full, thumbnail, verification
from handfast.apps.people.plugins import photo_store
from handfast.db.transaction import Queryable
from handfast.engine.system import System
from handfast.services.identity.suspension import suspend
from handfast.wiring import hosting, open_crews
from tests.support.calling import OPERATOR_TOKEN, calling
from tests.support.eventually import eventually_async
from tests.support.people import Caller, key, somebody
from tests.support.pictures import photo, png_of_size, with_secrets

MARKER = "MARKER-of-a-place"


async def test_from_sending_to_looking(api: Litestar) -> None:
    ada = await somebody(api)
    sent = await ada.add_photo(with_secrets(MARKER))
    assert sent.status_code == 201, sent.text
    made = sent.json()
    assert set(made) == {"id", "url", "isPrimary", "createdAt"}
    assert (made["url"], made["isPrimary"]) == (f"/photos/{made['id']}", True)
    assert (await ada.get("/users/me")).json()["photos"] == [made]
    for size in ("full", "thumbnail"):  # nobody has made one yet: the full one stands in
        seen = await ada.get(made["url"], params={"size": size})
        assert (seen.status_code, seen.headers["content-type"]) == (200, "image/jpeg")
        assert seen.content[:3] == b"\xff\xd8\xff"
        assert MARKER.encode() not in seen.content
    assert seen.headers["cache-control"] == "private, no-store"
    assert seen.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in seen.headers["content-security-policy"]
    assert (await ada.get(made["url"], params={"size": "huge"})).status_code == 400


async def test_the_same_key_is_the_same_photo_and_the_same_bytes_are_not(api: Litestar) -> None:
    ada, same = await somebody(api), key()
    first = await ada.add_photo(headers=same)
    again = await ada.add_photo(headers=same)
    assert (again.status_code, again.json()) == (201, first.json())
    twice = await ada.add_photo()
    assert (twice.status_code, twice.json()["code"]) == (409, "PHOTO_KNOWN")
    assert (await (await somebody(api)).add_photo()).status_code == 201, "another's is another's"


async def test_a_key_is_required(api: Litestar) -> None:
    ada = await somebody(api)
    files = {"photo": ("me.jpg", photo(), "image/jpeg")}
    sent = await ada.client.post("/users/me/photos", files=files, headers=ada.person.headers)
    assert sent.status_code == 400


async def test_ten_at_once_make_nine(api: Litestar) -> None:
    ada = await somebody(api)
    sent = await asyncio.gather(*(ada.add_photo(photo(seed)) for seed in range(10)))
    assert sorted(one.status_code for one in sent) == [201] * 9 + [409]
    photos = (await ada.get("/users/me")).json()["photos"]
    assert len(photos) == 9
    assert [one["isPrimary"] for one in photos] == [True] + [False] * 8


async def test_the_primary_one_moves(api: Litestar) -> None:
    ada = await somebody(api)
    first, second = [(await ada.add_photo(photo(seed))).json()["id"] for seed in (1, 2)]
    third = (await ada.add_photo(photo(3), data={"isPrimary": "true"})).json()
    assert third["isPrimary"]
    assert await shown(ada) == [third["id"], first, second]
    assert (await ada.send("DELETE", f"/users/me/photos/{third['id']}")).status_code == 204
    assert await shown(ada) == [first, second]
    assert (await ada.get("/users/me")).json()["photos"][0]["isPrimary"]
    assert (await ada.send("DELETE", f"/users/me/photos/{third['id']}")).status_code == 404
    assert (await ada.get(third["url"])).status_code == 404
    assert (await ada.add_photo(photo(3))).status_code == 201, "what is gone can be sent again"


async def shown(caller: Caller) -> list[str]:
    me = (await caller.get("/users/me")).json()
    return [one["id"] for one in me["photos"]]


@pytest.mark.parametrize(
    ("picture", "status"),
    [
        (b"", 422),
        (b"<html>", 422),
        (b"\xff\xd8\xff" + bytes(100), 422),
        (png_of_size(50_000, 50_000), 413),
        (b"\xff\xd8\xff" + bytes(10 * 1024 * 1024), 413),
        (b"\xff\xd8\xff" + bytes(12 * 1024 * 1024), 413),
    ],
)
async def test_what_is_no_photo(api: Litestar, picture: bytes, status: int) -> None:
    ada = await somebody(api)
    refused = await ada.add_photo(picture)
    assert refused.status_code == status, refused.text
    assert (await ada.get("/users/me")).json()["photos"] == []


async def test_forms_that_are_none(api: Litestar) -> None:
    ada = await somebody(api)
    file = ("me.jpg", photo(), "image/jpeg")
    for more in (
        {"json": {"photo": "x"}},
        {"content": b"x", "headers": {"content-type": "multipart/form-data"}},
        {"content": b"x", "headers": {"content-type": "multipart/form-data; boundary=abc"}},
        {"files": {"picture": file}},
        {"files": [("photo", file), ("photo", file)]},
        {"files": {"photo": file, "extra": file}},
        {"files": {"photo": file}, "data": {"isPrimary": "perhaps"}},
    ):
        refused = await ada.send("POST", "/users/me/photos", **more)
        assert refused.status_code == 422, (more, refused.text)


# --- who may see it -------------------------------------------------------------------------------


async def test_everybody_else_is_told_that_there_is_none(api: Litestar, system: System) -> None:
    ada, bob = await somebody(api), await somebody(api)
    url = (await ada.add_photo()).json()["url"]
    absent = await bob.get(f"/photos/{uuid4()}")
    seen = await bob.get(url)
    assert seen.status_code == absent.status_code == 404
    assert seen.json()["detail"] == absent.json()["detail"]
    assert (await bob.send("DELETE", f"/users/me{url}")).status_code == 404
    assert (await calling(api).get(url)).status_code == 401
    assert (await calling(api, OPERATOR_TOKEN).get(url)).status_code == 200
    async with system.database.transaction() as tx:
        await suspend(tx, system.hooks, ada.id)
    assert (await ada.get(url)).status_code == 403


async def test_whom_another_capability_shows_it_to(api: Litestar, system: System) -> None:
    """As offers and matches will; a block and a suspension go before that."""
    ada, bob, eve = [await somebody(api) for _ in range(3)]
    url = (await ada.add_photo()).json()["url"]

    async def is_shown(on: Queryable, viewer: UUID, user: UUID) -> bool:
        return (viewer, user) == (bob.id, ada.id)

    people = api.state.shared["people"]
    people.shown.append(is_shown)
    assert (await bob.get(url)).status_code == 200
    assert (await eve.get(url)).status_code == 404
    for blocker, blocked in ((ada, bob), (bob, ada)):
        body = {"userId": str(blocked.id)}
        assert (await blocker.send("POST", "/safety/block", json=body)).status_code == 200
        assert (await bob.get(url)).status_code == 404
        await blocker.send("DELETE", f"/users/me/blocks/{blocked.id}")
    assert (await bob.get(url)).status_code == 200
    async with system.database.transaction() as tx:
        await suspend(tx, system.hooks, ada.id)
    assert (await bob.get(url)).status_code == 404


# --- files ----------------------------------------------------------------------------------------


async def test_a_thumbnail_is_made_by_a_job(api: Litestar, system: System) -> None:
    ada = await somebody(api)
    made = (await ada.add_photo(photo())).json()
    store, photo_id = photo_store(system.settings), UUID(made["id"])
    async with open_crews(system, {}, lanes=("people",)) as crews, hosting(system, crews):

        async def there() -> bool:
            return await store.get(ada.id, thumbnail(photo_id)) is not None

        await eventually_async(there)
    seen = await ada.get(made["url"], params={"size": "thumbnail"})
    assert seen.status_code == 200


async def test_files_that_no_row_knows_go_after_an_hour(
    api: Litestar, system: System, tmp_path: Path
) -> None:
    ada = await somebody(api)
    kept, gone = [UUID((await ada.add_photo(photo(n))).json()["id"]) for n in (1, 2)]
    await ada.send("DELETE", f"/users/me/photos/{gone}")
    store = photo_store(system.settings)
    await store.put(ada.id, full(uuid4()), b"of an upload that was not committed")
    assert await remove_orphans(system.database, store) == 0, "they are young"
    for file in (tmp_path / "photos").glob("*/*/*"):
        os.utime(file, (time.time() - 3700, time.time() - 3700))
    assert await remove_orphans(system.database, store) == 2
    assert await store.get(ada.id, full(kept)) is not None
    assert [one.name async for one in store.files()] == [full(kept)]


def grow_old(folder: Path) -> None:
    for file in folder.glob("*/*/*"):
        os.utime(file, (time.time() - 3700, time.time() - 3700))


async def test_half_a_file_goes_and_stops_nobody(
    api: Litestar, system: System, tmp_path: Path
) -> None:
    """What a process leaves that was killed while it wrote."""
    ada = await somebody(api)
    store = photo_store(system.settings)
    await store.put(ada.id, full(uuid4()), b"of an upload that was not committed")
    [whole] = (tmp_path / "photos").glob("*/*/*")
    half = whole.with_name(f"{UNFINISHED}abc")
    half.write_bytes(b"half")
    grow_old(tmp_path / "photos")
    assert await remove_orphans(system.database, store) == 2
    assert not half.exists()


async def test_what_cannot_be_removed_keeps_no_other_file(
    api: Litestar, system: System, tmp_path: Path
) -> None:
    """What a file system or somebody else puts into a shared folder."""
    store = photo_store(system.settings)
    for _ in range(3):
        ada = await somebody(api)
        await store.put(ada.id, full(uuid4()), b"of a photo that was deleted")
    for folder in list((tmp_path / "photos").glob("*/*"))[:2]:
        (folder / ".nfs0000000000000001").write_bytes(b"removed while somebody read it")
        (folder / "@eaDir").mkdir()
    grow_old(tmp_path / "photos")
    assert await remove_orphans(system.database, store) == 3
    assert [one.name async for one in store.files() if one.name.endswith(".jpg")] == []


async def test_the_picture_of_a_session_that_was_left_goes_too(
    api: Litestar, system: System, tmp_path: Path
) -> None:
    ada = await somebody(api)
    await ada.patch(birthDate="1990-12-10")
    started = await ada.send("POST", "/verification/session", json={"consentVersion": "1"})
    assert (await ada.send("PUT", started.json()["uploadUrl"], content=photo())).status_code == 204
    session, store = UUID(started.json()["sessionId"]), photo_store(system.settings)
    grow_old(tmp_path / "photos")
    assert await remove_orphans(system.database, store) == 0, "the session is open"
    async with system.database.transaction() as tx:
        await tx.execute(
            "UPDATE handfast_people.verification_sessions SET expires_at = handfast_db.now()"
        )
    assert await remove_orphans(system.database, store) == 1
    assert await store.get(ada.id, verification(session)) is None


async def test_an_archive_that_never_became_ready_goes_too(
    api: Litestar, system: System, tmp_path: Path
) -> None:
    """Its job was cancelled or died with the archive written already."""
    ada = await somebody(api)
    store = photo_store(system.settings)
    async with system.database.transaction() as tx:
        await ask_export(tx, ada.id)
        asked = await tx.fetchval("SELECT id FROM handfast_people.exports")
    await store.put(ada.id, export(asked), b"an archive")
    grow_old(tmp_path / "photos")
    assert await remove_orphans(system.database, store) == 0, "it may still become ready"
    async with system.database.transaction() as tx:
        await tx.execute(
            "UPDATE handfast_people.exports SET requested_at = requested_at - interval '3 days'"
        )
    assert await remove_orphans(system.database, store) == 1
