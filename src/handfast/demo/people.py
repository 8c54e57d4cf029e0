"""A scene with people: two of them sign up over HTTP with test numbers, and are complete.

A second telling finds them there, and signs nobody up again.
"""

import asyncio
import random
import struct
import zlib
from typing import Any
from uuid import uuid4

import httpx2

from handfast.demo.program import TEST_CODE, TEST_COUNTRY, TEST_NUMBERS
from handfast.demo.stage import PATIENCE_SECONDS, ShownFact, Stage

PROFILES: tuple[dict[str, Any], ...] = (
    {"displayName": "Ada", "birthDate": "1991-12-10", "gender": "female", "seeking": ["male"]},
    {"displayName": "Charles", "birthDate": "1989-12-26", "gender": "male", "seeking": ["female"]},
)
PLACE = {
    "timezone": "Europe/London",
    "location": {"city": "London", "country": "GB", "latitude": 51.507, "longitude": -0.128},
}

_COMPLETE = """
SELECT count(*) FROM handfast_identity.accounts AS a
JOIN handfast_people.users AS u USING (id)
WHERE a.phone = ANY ($1) AND u.status = 'active' AND u.onboarding = 'complete'"""


async def people(stage: Stage) -> ShownFact:
    """With a code, a profile, a photo, all answers, and a verification that says what it is."""
    phones = [f"+{TEST_COUNTRY}{number}" for number in TEST_NUMBERS[:2]]
    before = await stage.ask(_COMPLETE, phones)
    if before < len(phones):
        # The patience of the whole scene, also for one call: a machine may be slow at first.
        api = httpx2.AsyncClient(base_url=stage.url, timeout=PATIENCE_SECONDS)
        async with asyncio.timeout(PATIENCE_SECONDS), api:
            for number, profile in zip(TEST_NUMBERS, PROFILES, strict=False):
                await _sign_up(_Caller(api), number, profile)
    complete = await stage.ask(_COMPLETE, phones)
    how = "signed up by an earlier run" if before else "by codes sent to test numbers"
    return ShownFact(
        "From a phone number to a complete profile",
        f"{complete} people, {how}, each with a photo, 24 answers and a verification",
        complete == len(phones),
        hint=_hint(stage.url),
    )


class _Caller:
    def __init__(self, api: httpx2.AsyncClient) -> None:
        self._api = api
        self.token = ""

    async def call(self, method: str, path: str, **more: Any) -> Any:
        headers = {"Idempotency-Key": str(uuid4())}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        answer = await self._api.request(method, path, headers=headers, **more)
        if answer.status_code >= 400:
            raise OSError(f"{method} {path} answered {answer.status_code}: {answer.text}")
        return answer.json() if answer.content else None


async def _sign_up(caller: _Caller, number: str, profile: dict[str, Any]) -> None:
    phone = {"countryCode": TEST_COUNTRY, "phoneNumber": number, "deviceId": "demo"}
    sent = await caller.call("POST", "/auth/otp/send", json=phone)
    code = {"requestId": sent["requestId"], "code": TEST_CODE, "deviceId": "demo"}
    caller.token = (await caller.call("POST", "/auth/otp/verify", json=code))["accessToken"]
    await caller.call("PATCH", "/users/me", json={**profile, **PLACE})
    picture = _picture(number)
    await caller.call("POST", "/users/me/photos", files={"photo": ("me.png", picture)})
    asked = await caller.call("GET", "/compatibility/questions")
    responses = [
        {"questionId": one["id"], "answer": _some_answer(one)}
        for one in asked["questions"]
        if one["isRequired"]
    ]
    body = {"version": asked["version"], "responses": responses}
    await caller.call("POST", "/compatibility/responses", json=body)
    session = await caller.call("POST", "/verification/session", json={"consentVersion": "demo"})
    await caller.call("PUT", session["uploadUrl"], content=picture)
    await caller.call("POST", f"/verification/session/{session['sessionId']}/complete")


def _some_answer(question: dict[str, Any]) -> Any:
    options = [option["id"] for option in question.get("options", ())]
    match question["type"]:
        case "single_choice":
            return options[0]
        case "slider":
            return question["min"] + 3 * question["step"]
        case "multiple_choice":
            return options[:2]
    return options  # a ranking


def _picture(seed: str, side: int = 96) -> bytes:
    """A PNG of noise: no two people look alike."""
    rows = b"".join(
        b"\0" + random.Random(f"{seed}{row}").randbytes(side * 3)  # noqa: S311  # no secret
        for row in range(side)
    )
    parts = {
        b"IHDR": struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0),
        b"IDAT": zlib.compress(rows),
        b"IEND": b"",
    }
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts.items()
    )


def _hint(url: str) -> str:
    json = "-H 'content-type: application/json'"
    sent = f'{{"countryCode": "{TEST_COUNTRY}", "phoneNumber": "{TEST_NUMBERS[2]}"}}'
    tried = f'{{"requestId": "…", "code": "{TEST_CODE}"}}'
    return (
        "Sign up yourself; the requestId is in the first answer:\n"
        f"  curl -s {url}/auth/otp/send {json} -H 'idempotency-key: {uuid4()}' -d '{sent}'\n"
        f"  curl -s {url}/auth/otp/verify {json} -H 'idempotency-key: {uuid4()}' -d '{tried}'\n"
        f"  curl -s {url}/users/me -H 'authorization: Bearer …'\n"
        f"Chat as both in two windows of a browser, once they have a match ({TEST_COUNTRY} "
        f"{TEST_NUMBERS[0]} and {TEST_NUMBERS[1]}, code {TEST_CODE}):\n"
        f"  python examples/chat/server.py --handfast {url.partition('://')[2]}"
    )
