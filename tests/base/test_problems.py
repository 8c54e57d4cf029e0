"""Problems: what strangers are told, what stands beside it, and what others' problems say."""

import json
from collections.abc import MutableMapping
from typing import Any

import pytest

from handfast.base.errors import BodyTooLarge, HandfastError, NotAuthenticated, NotFound
from handfast.base.problems import (
    PROBLEM_JSON,
    Problem,
    error_headers,
    read_problem,
    refusal,
    send_error,
    send_problem,
)
from handfast.db.errors import DatabaseUnreachable
from handfast.services.idempotency.errors import IdempotencyInProgress
from handfast.services.limits.errors import TooManyRequests
from handfast.services.webhooks.errors import WebhookSignatureInvalid

pytestmark = pytest.mark.on_lowest


class Sent:
    """What an ASGI application sent."""

    def __init__(self) -> None:
        self.messages: list[MutableMapping[str, Any]] = []

    async def __call__(self, message: MutableMapping[str, Any]) -> None:
        self.messages.append(message)

    @property
    def status(self) -> int:
        return int(self.messages[0]["status"])

    @property
    def headers(self) -> dict[str, str]:
        return {name.decode(): value.decode() for name, value in self.messages[0]["headers"]}

    @property
    def problem(self) -> Any:
        return json.loads(self.messages[1]["body"])


def test_an_error_as_a_problem() -> None:
    problem = Problem.of(NotFound("There is no job 7.", hint="List them."))
    assert json.loads(problem.encoded()) == {
        "type": "urn:handfast:problem:not-found",
        "title": NotFound.title,
        "status": 404,
        "detail": "There is no job 7.",
        "code": "NOT_FOUND",
        "message": "There is no job 7. List them.",
    }


def test_what_is_for_the_log_is_not_in_it() -> None:
    problem = Problem.of(DatabaseUnreachable("No connection to db.internal.", hint="Look."))
    assert problem.detail == problem.message == DatabaseUnreachable.told
    assert b"internal" not in problem.encoded()


def test_refusals_that_have_only_a_status() -> None:
    problem = refusal(405, method="PUT", allowed="GET, POST")
    assert (problem.status, problem.code) == (405, "METHOD_NOT_ALLOWED")
    assert problem.message == "This address does not take PUT. It takes: GET, POST."
    unknown = refusal(418)
    assert (unknown.status, unknown.code) == (418, "REQUEST_FAILED")
    assert b"errors" not in unknown.encoded()


def test_a_refusal_says_what_was_found() -> None:
    errors = [{"key": "limit", "message": "is none"}]
    problem = refusal(400, found=" limit: is none.", errors=errors)
    assert problem.errors == errors
    assert " limit: is none. GET /openapi.json" in problem.message


@pytest.mark.parametrize(
    ("error", "headers"),
    [
        (NotFound("x"), {}),
        (NotAuthenticated("x"), {"WWW-Authenticate": "Bearer"}),
        (WebhookSignatureInvalid("x"), {}),  # no token would help
        (BodyTooLarge("x"), {"Connection": "close"}),
        (IdempotencyInProgress("x", retry_after=3), {"Retry-After": "3"}),
        (TooManyRequests("x", headers={"RateLimit": '"a";r=0'}), {"RateLimit": '"a";r=0'}),
    ],
    ids=lambda given: type(given).__name__,
)
def test_what_stands_beside_it(error: HandfastError, headers: dict[str, str]) -> None:
    assert error_headers(error) == headers


async def test_sent_by_plain_asgi() -> None:
    sent = Sent()
    await send_problem(sent, refusal(405, method="GET", allowed="POST"), {"Allow": "POST"})
    assert [message["type"] for message in sent.messages] == [
        "http.response.start",
        "http.response.body",
    ]
    assert sent.status == sent.problem["status"] == 405
    assert sent.headers == {
        "content-type": PROBLEM_JSON,
        "content-length": str(len(sent.messages[1]["body"])),
        "allow": "POST",
    }


async def test_what_is_away_may_be_asked_again_soon() -> None:
    sent = Sent()
    await send_error(sent, DatabaseUnreachable("No connection."))
    assert (sent.status, sent.headers["retry-after"]) == (503, "1")


async def test_who_says_when_to_come_again_is_believed() -> None:
    sent = Sent()
    await send_error(sent, TooManyRequests("x", headers={"Retry-After": "7"}))
    assert (sent.status, sent.headers["retry-after"]) == (429, "7")


def test_a_problem_is_read_as_it_was_written() -> None:
    problem = Problem.of(NotFound("There is no job 7.", hint="List them."))
    assert read_problem(404, problem.encoded()) == problem


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b'{"type": 7, "code": null}', b'{"title": "\xff"}', b"[" * 9999]
)
def test_what_is_no_problem_says_nothing(body: bytes) -> None:
    assert read_problem(502, body) == Problem("", "", 502, "", "", "")


def test_a_strangers_problem_may_be_partial() -> None:
    body = b'{"type": "about:blank", "title": "Gone", "detail": {"a": 1}, "status": "410"}'
    assert read_problem(410, body) == Problem("about:blank", "Gone", 410, "", "", "")
