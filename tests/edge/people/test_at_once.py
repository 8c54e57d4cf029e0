"""What one person does twice at once, and what another person's ids tell: nothing."""

import asyncio
from uuid import uuid4

from litestar import Litestar

from handfast.db.pool import Database
from tests.support.people import Caller, somebody
from tests.support.pictures import photo

CONSENT = {"consentVersion": "2026-11"}


async def test_primary_photos_at_once_leave_one(api: Litestar) -> None:
    ada = await somebody(api)
    sent = await asyncio.gather(
        *(ada.add_photo(photo(n), data={"isPrimary": "true"}) for n in range(1, 6))
    )
    assert {one.status_code for one in sent} == {201}
    shown = (await ada.get("/users/me")).json()["photos"]
    assert [one["isPrimary"] for one in shown] == [True] + [False] * 4


async def test_blocking_and_unblocking_at_once(api: Litestar, database: Database) -> None:
    ada, bob = await somebody(api), await somebody(api)
    answers = await asyncio.gather(
        *(
            ada.send("POST", "/safety/block", json={"userId": str(bob.id)})
            if n % 2
            else ada.send("DELETE", f"/users/me/blocks/{bob.id}")
            for n in range(12)
        ),
        *(bob.send("POST", "/safety/block", json={"userId": str(ada.id)}) for _ in range(4)),
    )
    assert {one.status_code for one in answers} <= {200, 204, 404}
    async with database.connection() as connection:
        assert await connection.fetchval("SELECT count(*) FROM handfast_people.blocks") in (1, 2)


async def test_sessions_begun_at_once_are_one(api: Litestar) -> None:
    ada = await somebody(api)
    await ada.patch(birthDate="1990-12-10")
    begun = await asyncio.gather(
        *(ada.send("POST", "/verification/session", json=CONSENT) for _ in range(8))
    )
    assert {one.status_code for one in begun} == {201}
    assert len({one.json()["sessionId"] for one in begun}) == 1


async def everything_of(ada: Caller) -> list[tuple[str, str]]:
    """Method and path of what is hers alone; the id is in braces."""
    picture = (await ada.add_photo()).json()["id"]
    started = await ada.send("POST", "/verification/session", json=CONSENT)
    session = started.json()["sessionId"]
    return [
        ("GET", f"/photos/{{{picture}}}"),
        ("DELETE", f"/users/me/photos/{{{picture}}}"),
        ("DELETE", f"/auth/sessions/{{{ada.person.sign_in_id}}}"),
        ("PUT", f"/verification/session/{{{session}}}/picture"),
        ("POST", f"/verification/session/{{{session}}}/complete"),
    ]


async def test_anothers_ids_answer_as_if_there_were_none(api: Litestar) -> None:
    ada, bob = await somebody(api), await somebody(api)
    await ada.patch(birthDate="1990-12-10")
    for method, path in await everything_of(ada):
        hers = path.split("{")[1].split("}")[0]
        told = []
        for name in (hers, str(uuid4())):
            at = path.replace(f"{{{hers}}}", name)
            answer = await bob.send(method, at, content=photo() if method == "PUT" else None)
            told.append((answer.status_code, answer.text.replace(name, "…")))
        assert told[0] == told[1], (method, path)
        assert told[0][0] == 404
