"""The API with people in it, and somebody whose profile is whole."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import httpx2
from litestar import Litestar

from handfast.apps.people.questions.question import Question, QuestionType
from handfast.apps.people.questions.responses import QUESTIONS
from tests.support.calling import calling
from tests.support.pictures import photo
from tests.support.signed_in import Person, sign_in

PROFILE: dict[str, Any] = {
    "displayName": "Ada",
    "bio": "Likes cold lakes.",
    "birthDate": "1990-12-10",
    "gender": "female",
    "seeking": ["male"],
    "timezone": "Europe/Berlin",
    "location": {"city": "Berlin", "country": "DE", "latitude": 52.52, "longitude": 13.405},
    "discoveryPreferences": {
        "minAgePreference": 28,
        "maxAgePreference": 45,
        "maxDistanceKm": 40,
        "relationshipIntent": "serious",
        "physicalPreferences": ["tall"],
    },
}


def key() -> dict[str, str]:
    return {"Idempotency-Key": str(uuid4())}


@dataclass
class Caller:
    """Somebody who is signed in, with the API in hand."""

    person: Person
    client: httpx2.AsyncClient

    @property
    def id(self) -> UUID:
        return self.person.user_id

    async def get(self, path: str, **more: Any) -> httpx2.Response:
        return await self.client.get(path, headers=self.person.headers, **more)

    async def send(self, method: str, path: str, **more: Any) -> httpx2.Response:
        """With a key of its own."""
        headers = {**key(), **self.person.headers, **more.pop("headers", {})}
        return await self.client.request(method, path, headers=headers, **more)

    async def patch(self, **fields: Any) -> httpx2.Response:
        return await self.send("PATCH", "/users/me", json=fields)

    async def add_photo(self, picture: bytes | None = None, **more: Any) -> httpx2.Response:
        files = {"photo": ("me.jpg", photo() if picture is None else picture, "image/jpeg")}
        return await self.send("POST", "/users/me/photos", files=files, **more)

    async def answer_all(self) -> httpx2.Response:
        responses = [
            {"questionId": one.id, "answer": some_answer(one)} for one in QUESTIONS.questions
        ]
        body = {"version": QUESTIONS.version, "responses": responses}
        return await self.send("POST", "/compatibility/responses", json=body)

    async def verify(self, picture: bytes | None = None) -> httpx2.Response:
        """From the start of a session to its verdict."""
        started = await self.send(
            "POST", "/verification/session", json={"consentVersion": "2026-11"}
        )
        assert started.status_code == 201, started.text
        sent = await self.send("PUT", started.json()["uploadUrl"], content=picture or photo())
        assert sent.status_code == 204, sent.text
        session = started.json()["sessionId"]
        return await self.send("POST", f"/verification/session/{session}/complete")


def some_answer(question: Question) -> Any:
    options = list(question.places)
    return {
        QuestionType.SINGLE_CHOICE: options[:1] and options[0],
        QuestionType.MULTIPLE_CHOICE: options[:2],
        QuestionType.RANKING: options,
        QuestionType.SLIDER: question.min,
        QuestionType.TEXT: "By the lake.",
    }[question.type]


async def somebody(api: Litestar, phone: str | None = None) -> Caller:
    return Caller(await sign_in(api, phone), calling(api))


async def somebody_whole(api: Litestar) -> Caller:
    """With a profile, answers and a verification."""
    caller = await somebody(api)
    for answer in (
        await caller.patch(**PROFILE),
        await caller.answer_all(),
        await caller.verify(),
    ):
        assert answer.status_code == 200, answer.text
    return caller
