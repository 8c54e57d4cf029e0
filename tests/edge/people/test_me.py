"""The own profile over HTTP: every field of the contract, and everything outside of it."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from litestar import Litestar

from handfast.db.pool import Database
from tests.support.clock import freeze
from tests.support.people import PROFILE, key, somebody, somebody_whole

USER_FIELDS = (  # SPEC section 4, written by hand
    "id phoneNumber displayName age photos status onboardingStatus createdAt lastActiveAt "
    "birthDate gender seeking bio timezone location discoveryPreferences matching"
)
DISCOVERY_FIELDS = (
    "minAgePreference maxAgePreference maxDistanceKm relationshipIntent physicalPreferences"
)


async def test_a_new_user(api: Litestar) -> None:
    me = (await (await somebody(api)).get("/users/me")).json()
    assert set(me) == set(USER_FIELDS.split())
    assert set(me["discoveryPreferences"]) == set(DISCOVERY_FIELDS.split())
    assert (me["status"], me["onboardingStatus"]) == (
        "pending_verification",
        "questionnaire_pending",
    )
    assert me["discoveryPreferences"] == {
        "minAgePreference": 18,
        "maxAgePreference": 120,
        "maxDistanceKm": 50,
        "relationshipIntent": "serious",
        "physicalPreferences": [],
    }


async def test_a_whole_profile(api: Litestar, database: Database) -> None:
    await freeze(database, datetime(2026, 12, 9, 23, tzinfo=UTC))
    ada = await somebody(api)
    changed = await ada.patch(**PROFILE)
    assert changed.status_code == 200, changed.text
    me = (await ada.get("/users/me")).json()
    assert changed.json() == me
    assert me | PROFILE == me
    assert me["age"] == 35  # the birthday is tomorrow
    assert me["phoneNumber"] == ada.person.phone


async def test_what_is_left_out_stays(api: Litestar) -> None:
    ada = await somebody(api)
    await ada.patch(**PROFILE)
    me = (await ada.patch(bio="", seeking=[], discoveryPreferences={"maxDistanceKm": 7})).json()
    assert (me["bio"], me["seeking"], me["displayName"]) == (None, [], "Ada")
    assert me["discoveryPreferences"]["maxDistanceKm"] == 7
    assert me["discoveryPreferences"]["maxAgePreference"] == 45
    assert (await ada.patch()).json() == me
    assert (await ada.patch(displayName=None)).json() == me
    moved = (await ada.patch(location={"city": "Bern"})).json()
    assert moved["location"] == {"city": "Bern"}  # the coordinates were those of another place


async def test_two_fields_at_once_both_hold(api: Litestar) -> None:
    ada = await somebody(api)
    await asyncio.gather(
        *(ada.patch(displayName="Ada", matching=True) for _ in range(5)),
        *(ada.patch(bio="Lakes.") for _ in range(5)),
    )
    me = (await ada.get("/users/me")).json()
    assert (me["displayName"], me["bio"]) == ("Ada", "Lakes.")


WRONG: list[tuple[dict[str, Any], int]] = [
    ({"displayName": "A"}, 422),
    ({"displayName": "x" * 51}, 422),
    ({"displayName": "x" * 5000}, 400),
    ({"displayName": 7}, 400),
    ({"displayName": "Ad\u200ba"}, 422),
    ({"displayName": "Ada\u202egnp"}, 422),
    ({"displayName": "Ada\x00"}, 400),
    ({"displayName": "Ada\x1b[2J"}, 422),
    ({"bio": "x" * 501}, 422),
    ({"birthDate": "2010-01-01"}, 422),
    ({"birthDate": "2999-01-01"}, 422),
    ({"birthDate": "1890-01-01"}, 422),
    ({"birthDate": "1990-02-30"}, 400),
    ({"birthDate": "yesterday"}, 400),
    ({"birthDate": 19900101}, 400),
    ({"gender": "robot"}, 400),
    ({"seeking": ["male", "robot"]}, 400),
    ({"seeking": "male"}, 400),
    ({"timezone": "Mars/Olympus"}, 422),
    ({"timezone": "../../etc/passwd"}, 422),
    ({"timezone": ""}, 422),
    ({"location": {"latitude": 91, "longitude": 0}}, 400),
    ({"location": {"latitude": 1}}, 422),
    ({"location": {"latitude": "north", "longitude": "13"}}, 400),
    ({"location": {"city": "x" * 101}}, 422),
    ({"location": {"planet": "Mars"}}, 400),
    ({"discoveryPreferences": {"minAgePreference": 17}}, 400),
    ({"discoveryPreferences": {"maxAgePreference": 121}}, 400),
    ({"discoveryPreferences": {"minAgePreference": 50, "maxAgePreference": 40}}, 422),
    ({"discoveryPreferences": {"maxDistanceKm": 0}}, 400),
    ({"discoveryPreferences": {"maxDistanceKm": 501}}, 400),
    ({"discoveryPreferences": {"maxDistanceKm": 1.5}}, 400),
    ({"discoveryPreferences": {"relationshipIntent": "forever"}}, 400),
    ({"discoveryPreferences": {"physicalPreferences": ["a"] * 6}}, 400),
    ({"discoveryPreferences": {"physicalPreferences": [""]}}, 422),
    ({"matching": "yes"}, 400),
    ({"status": "active"}, 400),
    ({"age": 30}, 400),
    ({"phoneNumber": "+4930123456"}, 400),
    ({"onboardingStatus": "complete"}, 400),
    ({"verifiedAt": "2026-01-01T00:00:00Z"}, 400),
    ({"display_name": "Ada"}, 400),
]


async def test_everything_outside_of_its_range(api: Litestar) -> None:
    ada = await somebody(api)
    before = (await ada.get("/users/me")).json()
    for fields, status in WRONG:
        refused = await ada.patch(**fields)
        assert refused.status_code == status, (fields, refused.text)
        assert refused.headers["content-type"] == "application/problem+json"
    assert (await ada.get("/users/me")).json() == before


async def test_ages_out_of_order_by_two_changes(api: Litestar) -> None:
    ada = await somebody(api)
    assert (await ada.patch(discoveryPreferences={"minAgePreference": 40})).status_code == 200
    refused = await ada.patch(discoveryPreferences={"maxAgePreference": 30})
    assert (refused.status_code, refused.json()["code"]) == (422, "AGES_OUT_OF_ORDER")


@pytest.mark.parametrize(
    "body", [b"", b"null", b"[]", b"{", b'{"bio":"\xff"}', b'{"a":' * 5000, b"7"]
)
async def test_bodies_that_are_none(api: Litestar, body: bytes) -> None:
    ada = await somebody(api)
    headers = {"content-type": "application/json"}
    refused = await ada.send("PATCH", "/users/me", content=body, headers=headers)
    assert refused.status_code == 400, refused.text


async def test_an_enormous_body(api: Litestar) -> None:
    ada = await somebody(api)
    refused = await ada.patch(bio="x" * 2_000_000)
    assert refused.status_code == 413


async def test_what_is_fixed_once_verified(api: Litestar) -> None:
    ada = await somebody_whole(api)
    me = (await ada.get("/users/me")).json()
    assert (me["status"], me["onboardingStatus"]) == ("active", "complete")
    for fields in ({"birthDate": "1991-01-01"}, {"gender": "male"}):
        refused = await ada.patch(**fields, bio="changed")
        assert (refused.status_code, refused.json()["code"]) == (409, "FIXED_ONCE_VERIFIED")
    assert (await ada.get("/users/me")).json() == me
    same = await ada.patch(birthDate="1990-12-10", gender="female", bio="changed")
    assert same.json()["bio"] == "changed"


async def test_matching_is_ones_own_choice(api: Litestar) -> None:
    ada = await somebody_whole(api)
    assert (await ada.patch(matching=False)).json()["status"] == "non_matching"
    assert (await ada.patch(matching=True)).json()["status"] == "active"


async def test_the_same_key_changes_once(api: Litestar) -> None:
    ada, same = await somebody(api), key()
    first = await ada.send("PATCH", "/users/me", json={"bio": "one"}, headers=same)
    await ada.patch(bio="two")
    again = await ada.send("PATCH", "/users/me", json={"bio": "one"}, headers=same)
    assert again.json() == first.json()
    assert again.headers["idempotent-replayed"] == "true"
    assert (await ada.get("/users/me")).json()["bio"] == "two"
    other = await ada.send("PATCH", "/users/me", json={"bio": "three"}, headers=same)
    assert other.json()["code"] == "IDEMPOTENCY_KEY_REUSED"


# --- preferences ----------------------------------------------------------------------------------


async def test_preferences_are_upserted(api: Litestar) -> None:
    ada = await somebody(api)
    assert (await ada.get("/users/me/preferences")).json() == {}
    await ada.send("PUT", "/users/me/preferences", json={"notifications": {"email": False}, "x": 1})
    both = await ada.send("PUT", "/users/me/preferences", json={"x": None, "theme": "dark"})
    assert both.json() == {"notifications": {"email": False}, "theme": "dark"}
    assert (await ada.get("/users/me/preferences")).json() == both.json()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"X": 1}, 422),
        ({"a b": 1}, 422),
        ({"": 1}, 422),
        ({"a" * 65: 1}, 422),
        ({"a": "x" * 1100}, 422),
        ({"a": "\x00"}, 422),
        ([1], 400),
        ({f"p{n}": n for n in range(101)}, 409),
    ],
)
async def test_preferences_that_are_refused(api: Litestar, body: Any, status: int) -> None:
    ada = await somebody(api)
    refused = await ada.send("PUT", "/users/me/preferences", json=body)
    assert refused.status_code == status, refused.text
    assert (await ada.get("/users/me/preferences")).json() == {}


async def test_at_most_a_hundred_preferences(api: Litestar) -> None:
    ada = await somebody(api)
    hundred = {f"p{n}": n for n in range(100)}
    assert (await ada.send("PUT", "/users/me/preferences", json=hundred)).status_code == 200
    refused = await ada.send("PUT", "/users/me/preferences", json={"more": 1})
    assert refused.json()["code"] == "PREFERENCES_TOO_MANY"
