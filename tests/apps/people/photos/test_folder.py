"""A folder as the store: each user's files apart."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from handfast.apps.people.photos.folder import FolderStore
from handfast.apps.people.photos.store import full, id_of, thumbnail


async def test_put_get_remove(tmp_path: Path) -> None:
    store, user, photo = FolderStore(tmp_path), uuid4(), uuid4()
    assert await store.get(user, full(photo)) is None
    await store.put(user, full(photo), b"one")
    await store.put(user, full(photo), b"two")
    assert await store.get(user, full(photo)) == b"two"
    assert await store.get(uuid4(), full(photo)) is None
    await store.remove(user, full(photo))
    await store.remove(user, full(photo))
    assert await store.get(user, full(photo)) is None


async def test_one_users_end_is_not_anothers(tmp_path: Path) -> None:
    store, one, other, photo = FolderStore(tmp_path), uuid4(), uuid4(), uuid4()
    for user in (one, other):
        await store.put(user, full(photo), b"x")
        await store.put(user, thumbnail(photo), b"y")
    await store.remove_all(one)
    await store.remove_all(one)
    assert {file.user_id async for file in store.files()} == {other}
    assert await store.get(other, thumbnail(photo)) == b"y"


async def test_files_say_whose_they_are_and_how_old(tmp_path: Path) -> None:
    store, user, photo = FolderStore(tmp_path), uuid4(), uuid4()
    await store.put(user, full(photo), b"x")
    (tmp_path / "notes.txt").write_text("not ours")
    [file] = [file async for file in store.files()]
    assert (file.user_id, file.name, id_of(file.name)) == (user, full(photo), photo)
    assert abs(datetime.now(UTC) - file.modified_at) < timedelta(minutes=5)
    assert oct((tmp_path / user.hex[-2:] / str(user) / file.name).stat().st_mode)[-3:] == "600"


@pytest.mark.parametrize("name", ["../x", "a/b", ".hidden", "/etc/passwd"])
async def test_names_that_lead_elsewhere(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="no name"):
        await FolderStore(tmp_path).put(uuid4(), name, b"x")


async def test_an_empty_or_missing_folder_has_no_files(tmp_path: Path) -> None:
    assert [file async for file in FolderStore(tmp_path / "none").files()] == []
