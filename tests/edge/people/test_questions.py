"""The questionnaire over HTTP."""

from typing import Any

import pytest
from litestar import Litestar

from handfast.apps.people.questions.packed import ScoredAnswer, unpack
from handfast.apps.people.questions.responses import QUESTIONS
from handfast.engine.system import System
from tests.support.people import key, somebody, somebody_whole

QUESTION_FIELDS = {  # SPEC section 4, written by hand
    *("id", "type", "prompt", "description", "options", "min", "max", "step", "isRequired"),
    "previousAnswer",
}


def body(*responses: dict[str, Any], version: int = 1) -> dict[str, Any]:
    return {"version": version, "responses": list(responses)}


async def test_the_questions(api: Litestar) -> None:
    ada = await somebody(api)
    asked = (await ada.get("/compatibility/questions")).json()
    assert asked["version"] == 1
    assert len(asked["questions"]) == 26
    for question in asked["questions"]:
        assert set(question) <= QUESTION_FIELDS
        assert {"id", "type", "prompt", "isRequired"} <= set(question)
        if question["type"] in ("single_choice", "multiple_choice", "ranking"):
            assert set(question["options"][0]) == {"id", "label"}
        if question["type"] == "slider":
            assert (question["min"], question["max"], question["step"]) == (1, 7, 1)


async def test_answers_take_the_place_of_those_before(api: Litestar, system: System) -> None:
    ada = await somebody(api)
    first = await ada.send(
        "POST",
        "/compatibility/responses",
        json=body(
            {"questionId": "children", "answer": "want", "importance": 4, "wish": ["want", "open"]},
            {"questionId": "time_alone", "answer": 3},
        ),
    )
    assert first.status_code == 200, first.text
    assert first.json() == {"completionPercentage": 8, "nextStep": "photo_verification"}
    await ada.send(
        "POST",
        "/compatibility/responses",
        json=body({"questionId": "time_alone", "answer": 5, "importance": 0}),
    )
    asked = (await ada.get("/compatibility/questions")).json()["questions"]
    previous = {one["id"]: one["previousAnswer"] for one in asked if "previousAnswer" in one}
    assert previous == {"children": "want", "time_alone": 5}
    async with system.database.connection() as connection:
        row = await connection.fetchval(
            "SELECT answers FROM handfast_people.answers WHERE user_id = $1", ada.id
        )
    assert unpack(QUESTIONS, row) == {
        "children": ScoredAnswer(4, 0, 0b10001),
        "time_alone": ScoredAnswer(0, 4, 4),
    }


async def test_what_comes_next(api: Litestar) -> None:
    ada = await somebody(api)
    done = (await ada.answer_all()).json()
    assert done == {"completionPercentage": 100, "nextStep": "photo_verification"}
    assert (await ada.get("/users/me")).json()["onboardingStatus"] == "verification_pending"
    whole = await somebody_whole(api)
    one = {"questionId": "time_alone", "answer": 2}
    again = await whole.send("POST", "/compatibility/responses", json=body(one))
    assert again.json() == {"completionPercentage": 100, "nextStep": "matching"}
    await whole.patch(matching=False)
    left = await whole.send("POST", "/compatibility/responses", json=body(one))
    assert left.json()["nextStep"] == "complete"


async def test_the_same_key_answers_the_same(api: Litestar) -> None:
    ada, same = await somebody(api), key()
    one = body({"questionId": "time_alone", "answer": 3})
    first = await ada.send("POST", "/compatibility/responses", json=one, headers=same)
    again = await ada.send("POST", "/compatibility/responses", json=one, headers=same)
    assert (again.json(), again.headers["idempotent-replayed"]) == (first.json(), "true")
    without = await ada.client.post(
        "/compatibility/responses", json=one, headers=ada.person.headers
    )
    assert without.status_code == 400


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (body(), 400),
        (body({"questionId": "time_alone", "answer": 3}, version=2), 409),
        (body({"questionId": "time_alone", "answer": 9}), 422),
        (body({"questionId": "time_alone", "answer": "9"}), 422),
        (body({"questionId": "time_alone", "answer": 10**400}), 422),  # no float is so large
        (body({"questionId": "time_alone", "answer": -(10**400)}), 422),
        (body({"questionId": "time_alone", "answer": 1, "wish": 10**400}), 422),
        (body({"questionId": "time_alone", "answer": None}), 400),
        (body({"questionId": "time_alone", "answer": {"a": 1}}), 400),
        (body({"questionId": "time_alone", "answer": 1, "importance": 5}), 400),
        (body({"questionId": "time_alone", "answer": 1, "weight": 5}), 400),
        (body({"questionId": "nothing", "answer": 1}), 422),
        (body({"questionId": "good_evening", "answer": "x\x00"}), 400),
        (body({"questionId": "good_evening", "answer": "x" * 1001}), 422),
        (body(*[{"questionId": "time_alone", "answer": 1}] * 2), 422),
        ({"responses": []}, 400),
    ],
)
async def test_what_is_refused(api: Litestar, sent: Any, status: int) -> None:
    ada = await somebody(api)
    refused = await ada.send("POST", "/compatibility/responses", json=sent)
    assert refused.status_code == status, refused.text
    asked = (await ada.get("/compatibility/questions")).json()["questions"]
    assert not any("previousAnswer" in one for one in asked), "all or nothing"
