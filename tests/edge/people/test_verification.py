"""Verification over HTTP: sessions, tries, verdicts, and what follows from them."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from litestar import Litestar

from handfast.apps.people.people import People
from handfast.apps.people.plugins import verification_provider
from handfast.apps.people.verification.provider import (
    ClaimedPerson,
    FailureReason,
    Verdict,
    VerificationStatus,
)
from handfast.apps.people.verification.review import ManualReview
from handfast.base.settings import Mode
from handfast.db.pool import Database
from handfast.edge.http.app import create_api
from handfast.engine.system import System
from handfast.wiring import load_settings
from tests.support.calling import OPERATOR_TOKEN, calling
from tests.support.clock import freeze
from tests.support.people import Caller, somebody
from tests.support.pictures import flat, photo, tiny

CONSENT = {"consentVersion": "2026-11"}
NOW = datetime(2026, 11, 17, 12, tzinfo=UTC)


async def ready(api: Litestar) -> Caller:
    ada = await somebody(api)
    await ada.patch(birthDate="1990-12-10")
    return ada


async def test_from_start_to_verdict(api: Litestar, tmp_path: Path) -> None:
    ada = await ready(api)
    started = await ada.send("POST", "/verification/session", json=CONSENT)
    assert started.status_code == 201, started.text
    session = started.json()
    assert set(session) == {"sessionId", "uploadUrl", "expiresAt", "provider"}
    assert session["provider"] == "development"
    early = await ada.send("POST", f"/verification/session/{session['sessionId']}/complete")
    assert (early.status_code, early.json()["code"]) == (409, "VERIFICATION_NOT_READY")
    assert (await ada.send("PUT", session["uploadUrl"], content=b"no")).status_code == 422
    assert (await ada.send("PUT", session["uploadUrl"], content=photo())).status_code == 204
    done = await ada.send("POST", f"/verification/session/{session['sessionId']}/complete")
    assert done.json() == {
        "sessionId": session["sessionId"],
        "status": "verified",
        "attemptsLeft": 3,
    }
    again = await ada.send("POST", f"/verification/session/{session['sessionId']}/complete")
    assert again.json() == done.json()
    assert list((tmp_path / "photos").glob("*/*/*")) == [], "the picture is not kept"
    over = await ada.send("POST", "/verification/session", json=CONSENT)
    assert (over.status_code, over.json()["code"]) == (409, "VERIFICATION_OVER")


async def test_the_same_session_for_five_minutes(api: Litestar, database: Database) -> None:
    await freeze(database, NOW)
    ada = await ready(api)
    first = (await ada.send("POST", "/verification/session", json=CONSENT)).json()
    assert first["expiresAt"] == "2026-11-17T12:10:00Z"
    await freeze(database, NOW + timedelta(minutes=4, seconds=59))
    assert (await ada.send("POST", "/verification/session", json=CONSENT)).json() == first
    await freeze(database, NOW + timedelta(minutes=5, seconds=1))
    later = (await ada.send("POST", "/verification/session", json=CONSENT)).json()
    assert later["sessionId"] != first["sessionId"]
    refused = await ada.send("PUT", first["uploadUrl"], content=photo())
    assert (refused.status_code, refused.json()["code"]) == (409, "VERIFICATION_OVER")


async def test_a_session_is_over_after_ten_minutes(api: Litestar, database: Database) -> None:
    await freeze(database, NOW)
    ada = await ready(api)
    session = (await ada.send("POST", "/verification/session", json=CONSENT)).json()
    assert (await ada.send("PUT", session["uploadUrl"], content=photo())).status_code == 204
    await freeze(database, NOW + timedelta(minutes=10, seconds=1))
    for method, path, more in (
        ("PUT", session["uploadUrl"], {"content": photo()}),
        ("POST", f"/verification/session/{session['sessionId']}/complete", {}),
    ):
        refused = await ada.send(method, path, **more)
        assert refused.json()["code"] == "VERIFICATION_OVER"


async def test_three_failures_and_an_operators_mercy(api: Litestar) -> None:
    ada = await ready(api)
    reasons = []
    for picture in (flat(), tiny(), flat(2)):
        verdict = (await ada.verify(picture)).json()
        assert verdict["status"] == "failed"
        reasons.append((verdict["failureReason"], verdict["attemptsLeft"]))
    assert reasons == [
        ("liveness_failed", 2),
        ("quality_too_low", 1),
        ("liveness_failed", 0),
    ]
    assert (await ada.get("/users/me")).json()["onboardingStatus"] == "blocked"
    blocked = await ada.send("POST", "/verification/session", json=CONSENT)
    assert (blocked.status_code, blocked.json()["code"]) == (409, "VERIFICATION_BLOCKED")
    operator = calling(api, OPERATOR_TOKEN)
    url = f"/admin/people/{ada.id}/verification"
    reset = await operator.post(url, json={"decision": "reset"})
    assert reset.json()["verificationFailures"] == 0
    assert (await ada.verify()).json()["status"] == "verified"


async def test_twenty_at_once_make_one_verdict(api: Litestar) -> None:
    ada = await ready(api)
    session = (await ada.send("POST", "/verification/session", json=CONSENT)).json()
    await ada.send("PUT", session["uploadUrl"], content=flat())
    url = f"/verification/session/{session['sessionId']}/complete"
    done = await asyncio.gather(*(ada.send("POST", url) for _ in range(20)))
    assert {(one.status_code, one.json()["attemptsLeft"]) for one in done} == {(200, 2)}


class Overtaken:
    """A store that is asked for a picture, and answers when somebody else has completed all."""

    def __init__(self, store: Any, first: Callable[[], Awaitable[Any]]) -> None:
        self._store, self._first = store, first
        self._asked = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def get(self, user_id: UUID, name: str) -> bytes | None:
        if not self._asked:
            self._asked = True
            await self._first()
        picture: bytes | None = await self._store.get(user_id, name)
        return picture


async def test_who_finds_the_picture_removed_has_the_verdict_of_who_removed_it(
    api: Litestar,
) -> None:
    ada = await ready(api)
    session = (await ada.send("POST", "/verification/session", json=CONSENT)).json()
    await ada.send("PUT", session["uploadUrl"], content=flat())
    url = f"/verification/session/{session['sessionId']}/complete"
    first = []

    async def completed_by_another() -> None:
        first.append(await ada.send("POST", url))

    people: People = api.state.shared["people"]
    store = Overtaken(people.store, completed_by_another)
    api.state.shared["people"] = replace(people, store=store)
    second = await ada.send("POST", url)
    assert (second.status_code, second.json()) == (200, first[0].json())


async def test_sessions_of_others_are_not_there(api: Litestar) -> None:
    ada, bob = await ready(api), await ready(api)
    session = (await ada.send("POST", "/verification/session", json=CONSENT)).json()
    for url in (session["uploadUrl"], f"/verification/session/{uuid4()}/picture"):
        assert (await bob.send("PUT", url, content=photo())).status_code == 404
    url = f"/verification/session/{session['sessionId']}/complete"
    assert (await bob.send("POST", url)).status_code == 404


@pytest.mark.parametrize("body", [{}, {"consentVersion": ""}, {"consentVersion": 7, "x": 1}])
async def test_consent_is_needed(api: Litestar, body: Any) -> None:
    ada = await ready(api)
    assert (await ada.send("POST", "/verification/session", json=body)).status_code == 400


async def test_a_birth_date_is_needed(api: Litestar) -> None:
    ada = await somebody(api)
    refused = await ada.send("POST", "/verification/session", json=CONSENT)
    assert (refused.status_code, refused.json()["code"]) == (409, "VERIFICATION_NOT_READY")


class Strict:
    """A provider of somebody's own."""

    name = "strict"

    async def verify(self, claimed: ClaimedPerson) -> Verdict:
        assert claimed.picture[:3] == b"\xff\xd8\xff"
        if claimed.birth_date.year > 1990:
            return Verdict(VerificationStatus.FAILED, FailureReason.AGE_VERIFICATION_FAILED)
        return Verdict(VerificationStatus.MANUAL_REVIEW)


def strict(_settings: Any) -> Strict:
    return Strict()


async def test_a_provider_of_ones_own_and_a_person_who_decides(
    system: System, tmp_path: Path
) -> None:
    settings = load_settings(data_dir=tmp_path, verification_provider=f"{__name__}:strict")
    api = create_api(
        System(settings, system.database, system.direct, system.capabilities), OPERATOR_TOKEN
    )
    people: People = api.state.shared["people"]
    assert people.provider.name == "strict"
    ada = await ready(api)
    assert (await ada.verify()).json()["status"] == "manual_review"
    waiting = await ada.send("POST", "/verification/session", json=CONSENT)
    assert waiting.json()["code"] == "VERIFICATION_NOT_READY"
    operator = calling(api, OPERATOR_TOKEN)
    assert (await operator.get(f"/admin/people/{ada.id}")).json()["waitsForReview"]
    url = f"/admin/people/{ada.id}/verification"
    assert (await operator.post(url, json={"decision": "failed"})).status_code == 400
    decided = await operator.post(url, json={"decision": "verified"})
    assert (decided.json()["user"]["status"], decided.json()["waitsForReview"]) == ("active", False)
    assert (await operator.post(url, json={"decision": "verified"})).status_code == 409


def test_in_production_people_look_unless_somebody_else_does(tmp_path: Path) -> None:
    settings = load_settings(
        data_dir=tmp_path, mode=Mode.PRODUCTION, admin_token="hf_admin_for_the_tests_only"
    )
    assert isinstance(verification_provider(settings), ManualReview)


class Slow:
    """Looks for as long as the test wants; then everybody passes, or nobody."""

    name = "slow"

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        self.looks, self.done = asyncio.Event(), asyncio.Event()

    async def verify(self, claimed: ClaimedPerson) -> Verdict:
        self.looks.set()
        await self.done.wait()
        return self.verdict


async def looked_at(api: Litestar, verdict: Verdict) -> tuple[Caller, Any]:
    """The answer of a session during whose look the birth date was changed."""
    slow = Slow(verdict)
    api.state.shared["people"] = replace(api.state.shared["people"], provider=slow)
    ada = await ready(api)
    completing = asyncio.create_task(ada.verify())
    await slow.looks.wait()
    assert (await ada.patch(birthDate="2004-01-01")).status_code == 200
    slow.done.set()
    return ada, await completing


async def test_another_birth_date_than_was_looked_at(api: Litestar) -> None:
    """Or anybody would be verified with an age that nobody has seen."""
    ada, answer = await looked_at(api, Verdict(VerificationStatus.VERIFIED))
    assert (answer.status_code, answer.json()["code"]) == (409, "VERIFICATION_NOT_READY")
    assert (await ada.get("/users/me")).json()["status"] == "pending_verification"
    again = await ada.verify()
    assert again.json()["status"] == "verified", "the session is still open"
    assert (await ada.patch(birthDate="1990-12-10")).status_code == 409


async def test_a_failure_counts_whatever_was_changed(api: Litestar) -> None:
    """Or there would be any number of tries."""
    failed = Verdict(VerificationStatus.FAILED, FailureReason.AGE_VERIFICATION_FAILED)
    _, answer = await looked_at(api, failed)
    assert (answer.json()["status"], answer.json()["attemptsLeft"]) == ("failed", 2)


async def test_what_somebody_is_looking_at_stays_as_it_is(api: Litestar) -> None:
    """An operator decides about the birth date that is shown."""
    review = replace(api.state.shared["people"], provider=ManualReview())
    api.state.shared["people"] = review
    ada = await ready(api)
    assert (await ada.verify()).json()["status"] == "manual_review"
    refused = await ada.patch(birthDate="2004-01-01")
    assert (refused.status_code, refused.json()["code"]) == (409, "FIXED_ONCE_VERIFIED")
    assert (await ada.patch(birthDate="1990-12-10", bio="Waits.")).status_code == 200
    operator = calling(api, OPERATOR_TOKEN)
    url = f"/admin/people/{ada.id}/verification"
    assert (await operator.post(url, json={"decision": "quality_too_low"})).status_code == 200
    assert (await ada.patch(birthDate="2004-01-01")).status_code == 200
