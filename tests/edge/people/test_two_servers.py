"""The rows of the contract's table that are about people: what a repetition does, also when another
server gets it; and what a request costs."""

from pathlib import Path
from typing import Any

import httpx2
import pytest
from bench.roundtrips import counted
from litestar import Litestar

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api
from handfast.engine.system import System
from handfast.wiring import load_settings
from tests.support.calling import OPERATOR_TOKEN, calling
from tests.support.people import PROFILE, Caller, key, somebody
from tests.support.pictures import photo
from tests.support.systems import whole_system

SECRET = "one-secret-for-all-processes-of-a-test"


@pytest.fixture
async def other(dsn: str, system: System) -> Any:
    """A server with connections, caches and a queue of its own, on the same database and folder."""
    async with await Database.open(Target(dsn), pool_size=4) as database:
        again = whole_system(system.settings, database, Target(dsn))
        yield create_api(again, OPERATOR_TOKEN, idempotency_secret=SECRET)


async def test_each_row_of_the_table(api: Litestar, other: Litestar) -> None:
    ada, bob = await somebody(api), await somebody(api)
    elsewhere = Caller(ada.person, calling(other))
    await ada.patch(birthDate="1990-12-10")
    requests: dict[tuple[str, str], tuple[dict[str, Any], int, int]] = {
        ("PATCH", "/users/me"): ({"json": {"bio": "Lakes."}}, 200, 200),
        ("POST", "/users/me/photos"): ({"files": {"photo": ("a.jpg", photo())}}, 201, 409),
        ("POST", "/compatibility/responses"): (
            {"json": {"version": 1, "responses": [{"questionId": "time_alone", "answer": 3}]}},
            200,
            200,
        ),
        ("POST", "/verification/session"): ({"json": {"consentVersion": "1"}}, 201, 201),
        ("POST", "/safety/block"): ({"json": {"userId": str(bob.id)}}, 200, 200),
    }
    for (method, path), (body, status, again) in requests.items():
        same = key()
        first = await ada.send(method, path, headers=same, **body)
        assert first.status_code == status, first.text
        replayed = await elsewhere.send(method, path, headers=same, **body)
        assert (replayed.status_code, replayed.json()) == (status, first.json()), path
        assert replayed.headers["idempotent-replayed"] == "true"
        fresh = await elsewhere.send(method, path, **body)
        assert fresh.status_code == again, (path, fresh.text)
        if again != 409 and method == "POST":
            assert fresh.json() == first.json(), f"{path}: the same session, block or progress"
    photos = (await elsewhere.get("/users/me")).json()["photos"]
    assert len(photos) == 1
    assert (await elsewhere.get(photos[0]["url"])).status_code == 200
    assert (await elsewhere.send("DELETE", f"/users/me{photos[0]['url']}")).status_code == 204
    assert (await ada.send("DELETE", f"/users/me{photos[0]['url']}")).status_code == 404


async def test_a_read_of_oneself_is_two_round_trips(dsn: str, tmp_path: Path) -> None:
    async with counted(dsn) as wire, await Database.open(Target(wire.dsn), pool_size=1) as database:
        system = whole_system(load_settings(data_dir=tmp_path), database, Target(wire.dsn))
        ada = await somebody(create_api(system, OPERATOR_TOKEN))
        headers = ada.person.headers

        async def trips(method: str, **more: Any) -> int:
            for _ in range(2):  # statements are prepared once on each connection
                wire.reset()
                answer: httpx2.Response = await ada.client.request(
                    method, "/users/me", headers=headers, **more
                )
                assert answer.status_code == 200
            return wire.trips

        assert await trips("GET") == 2  # who it is, and what they are
        assert await trips("PATCH", json=PROFILE) <= 4  # and a transaction around one statement
