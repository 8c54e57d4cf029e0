"""Every row of the retry table, against a server that answers by script over a real socket.

No test waits: the policy's sleep moves the policy's clock.
"""

import asyncio
import dataclasses
import gzip
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import httpx
import httpx2
import pytest

from handfast.base.errors import NotReady, RequestTimeout, TooManyBodies, problem_type
from handfast.base.telemetry import REGISTRY
from handfast.client import HttpRetryPolicy, RetryBudget, RetryTransport, retrying
from handfast.edge.client.policy import NOTHING_DONE
from tests.support.eventually import eventually_async
from tests.support.scripted_server import OK, Answer, Fault, ScriptedServer, Step, problem

pytestmark = pytest.mark.on_lowest

KEY = "0b7a1f0e-3f7e-4c49-9b52-51f6e6f0a111"
KEYED = {"Idempotency-Key": KEY}


class Time:
    """A clock that only sleeping moves, and what was slept."""

    def __init__(self) -> None:
        self.at = 0.0
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds

    def policy(self, **changes: Any) -> HttpRetryPolicy:
        given = {"budget": RetryBudget(burst=1000.0), "jitter": lambda: 0.5, **changes}
        return HttpRetryPolicy(clock=lambda: self.at, sleep=self.sleep, **given)


@pytest.fixture
def time() -> Time:
    return Time()


def client(policy: HttpRetryPolicy, **more: Any) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=RetryTransport(policy=policy), **more)


async def ask(
    script: list[Step], policy: HttpRetryPolicy, method: str = "GET", **more: Any
) -> tuple[httpx2.Response | Exception, ScriptedServer]:
    async with ScriptedServer(script) as server, client(policy, timeout=30.0) as http:
        try:
            return await http.request(method, server.url, **more), server
        except httpx2.TransportError as error:
            return error, server


def status(answer: object) -> int:
    assert isinstance(answer, httpx2.Response), repr(answer)
    return answer.status_code


def counted(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


# --- the table --------------------------------------------------------------------------------

IN_PROGRESS = problem(409, "idempotency-in-progress")


@pytest.mark.parametrize(
    ("first", "waits"),
    [
        (Answer(408), [0.0]),
        (Answer(429), [1.5]),
        (Answer(429, {"Retry-After": "3"}), [3.0]),
        (Answer(503, {"Retry-After": "0"}), [0.0]),
        (Answer(503), [1.5]),
        (
            Answer(
                503,
                {
                    "Retry-After": "Thu, 19 Feb 2026 08:00:04 GMT",
                    "Date": "Thu, 19 Feb 2026 08:00:00 GMT",
                },
            ),
            [4.0],
        ),
        (Answer(429, {"Retry-After": "whenever"}), [1.5]),
        (Answer(500), [1.5]),
        (Answer(502), [1.5]),
        (Answer(504), [1.5]),
        (IN_PROGRESS, [1.5]),
        (problem(409, "idempotency-in-progress", Retry_After="2"), [2.0]),
        (Fault.RESET_AT_ONCE, [1.5]),
        (Fault.RESET_AFTER, [1.5]),
    ],
    ids=str,
)
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_another_attempt(time: Time, method: str, first: Step, waits: list[float]) -> None:
    answer, server = await ask([first, OK], time.policy(), method, headers=KEYED, content=b"body")
    assert status(answer) == 200
    assert time.slept == waits
    assert {seen.body for seen in server.seen} == {b"body"}, "the same body each time"


@pytest.mark.parametrize(
    "final",
    [
        *(Answer(code) for code in (200, 201, 204, 301, 400, 401, 403, 404, 405, 410, 422, 501)),
        Answer(409),
        problem(409, "idempotency-key-reused"),
        problem(409, "conflict", Retry_After="1"),
        problem(400, "idempotency-in-progress"),
        Answer(409, {"Content-Type": "application/problem+json"}, b"not json"),
        Answer(409, {"Content-Type": "application/problem+json"}, b"[]"),
        Answer(409, {"Content-Type": "text/html"}, IN_PROGRESS.body),
        Answer(409, {"Content-Type": "application/problem+json"}, b" " * 100_000),
    ],
    ids=str,
)
async def test_never(time: Time, final: Answer) -> None:
    final = Answer(204, body=b"") if final.status == 204 else final
    answer, server = await ask([final, OK], time.policy(), "POST", headers=KEYED)
    assert status(answer) == final.status
    assert isinstance(answer, httpx2.Response)
    assert answer.content == final.body, "what we looked into can still be read, whole"
    assert time.slept == []
    assert len(server.seen) == 1


async def test_a_packed_problem_is_understood(time: Time) -> None:
    packed = Answer(
        409, {**IN_PROGRESS.headers, "Content-Encoding": "gzip"}, gzip.compress(IN_PROGRESS.body)
    )
    lying = Answer(409, {**IN_PROGRESS.headers, "Content-Encoding": "gzip"}, b"not packed")
    answer, _ = await ask([packed, OK], time.policy(), "POST", headers=KEYED)
    assert status(answer) == 200
    async with ScriptedServer([lying]) as server, client(time.policy()) as http:
        with pytest.raises(httpx2.DecodingError):  # as without us
            await http.post(server.url, headers=KEYED)
    assert len(server.seen) == 1


async def test_what_was_looked_into_can_be_streamed(time: Time) -> None:
    reused = problem(409, "idempotency-key-reused")
    async with (
        ScriptedServer([reused]) as server,
        client(time.policy()) as http,
        http.stream("POST", server.url, headers=KEYED) as answer,
    ):
        assert b"".join([chunk async for chunk in answer.aiter_raw()]) == reused.body


# --- waits ------------------------------------------------------------------------------------


async def test_the_backoff_doubles_and_three_retries_are_the_most(time: Time) -> None:
    answer, server = await ask([Answer(500)], time.policy(total_seconds=None))
    assert status(answer) == 500, "the last answer is the answer"
    assert time.slept == [1.5, 2.5, 4.5]
    assert len(server.seen) == 4


async def test_the_backoff_is_jittered_and_capped() -> None:
    policy = HttpRetryPolicy()
    for retry, least in enumerate([1, 2, 4, 8, 16, 30, 30]):
        waits = [policy.backoff(retry) for _ in range(200)]
        assert all(least <= wait <= min(least + 1, 30) for wait in waits)
        assert least == 30 or max(waits) - min(waits) > 0.5, "jitter spreads them"
    assert policy.backoff(10**6) == 30.0


async def test_retry_after_is_capped(time: Time) -> None:
    later = Answer(429, {"Retry-After": "86400"})
    answer, _ = await ask([later, OK], time.policy(total_seconds=None))
    assert status(answer) == 200
    assert time.slept == [30.0]


async def test_a_wait_that_does_not_fit_is_not_begun(time: Time) -> None:
    """The caller gets the answer at once, with its Retry-After, and not after 10 idle seconds."""
    later = Answer(429, {"Retry-After": "10"})
    answer, server = await ask([later, OK], time.policy())
    assert status(answer) == 429
    assert isinstance(answer, httpx2.Response)
    assert answer.headers["retry-after"] == "10"
    assert (time.slept, len(server.seen)) == ([], 1)


async def test_ten_seconds_in_all(time: Time) -> None:
    slow = Answer(503, {"Retry-After": "4"})
    answer, server = await ask([slow], time.policy())
    assert status(answer) == 503
    assert time.slept == [4.0, 4.0], "a third wait would end after 12 s"
    assert len(server.seen) == 3


async def test_silence_ends_with_the_total() -> None:
    """In real time: the client's own time limit is longer than the whole call may last."""
    policy = HttpRetryPolicy(total_seconds=3.0, budget=None)  # enough to be asked in
    async with ScriptedServer([Fault.SILENCE]) as server, client(policy, timeout=60) as http:
        loop = asyncio.get_running_loop()
        started = loop.time()
        with pytest.raises(httpx2.ReadTimeout, match=r"no final answer within 3 s"):
            await http.get(server.url)
        assert 2.9 < loop.time() - started < 30
        assert len(server.seen) == 1


async def test_an_attempt_that_times_out_is_repeated(time: Time) -> None:
    async with (
        ScriptedServer([Fault.SILENCE, OK]) as server,
        client(time.policy(), timeout=2.0) as http,
    ):
        assert status(await http.get(server.url)) == 200
    assert time.slept == [1.5]


async def test_user_facing_is_the_default() -> None:
    policy = HttpRetryPolicy.user_facing
    assert (policy.retries, policy.total_seconds, policy.wait_max) == (3, 10.0, 30.0)
    assert RetryTransport().policy is policy


# --- safety -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["POST", "PATCH"])
@pytest.mark.parametrize(
    "first",
    [
        Fault.RESET_AT_ONCE,
        Fault.RESET_AFTER,
        *(Answer(code) for code in (408, 500, 502, 503, 504)),
        Answer(503, {"Retry-After": "1"}),
        problem(500, "commit-unknown"),
        problem(503, "commit-unknown"),
        problem(503, "database-unreachable", Retry_After="1"),
        problem(503, "database-error"),
    ],
    ids=str,
)
async def test_without_a_key_an_unknown_fate_is_final(time: Time, method: str, first: Step) -> None:
    answer, server = await ask([first, OK], time.policy(), method)
    assert isinstance(answer, httpx2.TransportError) or answer.status_code == first.status  # type: ignore[union-attr]
    assert len(server.seen) <= 1
    assert time.slept == []


@pytest.mark.parametrize(
    "first",
    [
        Answer(429),
        problem(408, "request-timeout"),
        problem(503, "too-many-bodies"),
        problem(503, "not-ready"),
        problem(409, "idempotency-in-progress"),
    ],
    ids=str,
)
async def test_without_a_key_what_was_not_done_is_repeated(time: Time, first: Answer) -> None:
    answer, server = await ask([first, OK], time.policy(), "POST")
    assert status(answer) == 200
    assert "idempotency-key" not in server.seen[0].headers, "nobody asked for one"


def test_what_says_that_nothing_was_done_is_ours() -> None:
    codes = {error.code for error in [NotReady, RequestTimeout, TooManyBodies]}
    assert {problem_type(code) for code in codes} == NOTHING_DONE


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])
async def test_idempotent_methods_need_no_key(time: Time, method: str) -> None:
    answer, server = await ask([Fault.RESET_AFTER, Answer(200, body=b"")], time.policy(), method)
    assert status(answer) == 200
    assert len(server.seen) == 2


@pytest.mark.parametrize("method", ["POST", "PATCH"])
async def test_one_key_for_all_attempts(time: Time, method: str) -> None:
    script: list[Step] = [Fault.RESET_AFTER, Answer(503), Answer(500), OK]
    policy = time.policy(make_keys=True)
    answer, server = await ask(script, policy, method)
    assert status(answer) == 200
    keys = [seen.headers["idempotency-key"] for seen in server.seen]
    assert len(keys) == 4
    assert len(set(keys)) == 1
    assert UUID(keys[0]).version == 4
    assert str(UUID(keys[0])) == keys[0]
    _, other = await ask([OK], policy, method)
    assert other.seen[0].headers["idempotency-key"] != keys[0], "another call, another key"


async def test_a_key_of_the_callers_stays(time: Time) -> None:
    _, server = await ask([Answer(500), OK], time.policy(make_keys=True), "POST", headers=KEYED)
    assert [seen.headers["idempotency-key"] for seen in server.seen] == [KEY, KEY]


async def test_no_key_where_none_belongs(time: Time) -> None:
    _, server = await ask([OK], time.policy(make_keys=True), "GET")
    assert "idempotency-key" not in server.seen[0].headers


async def test_a_streamed_body_is_sent_once(time: Time) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"one "
        yield b"two"

    before = counted("handfast_client_calls_total", outcome="stream")
    answer, server = await ask(
        [Answer(503), OK], time.policy(), "PUT", headers=KEYED, content=pieces()
    )
    assert status(answer) == 503
    assert [seen.body for seen in server.seen] == [b"one two"]
    assert counted("handfast_client_calls_total", outcome="stream") == before + 1


@pytest.mark.parametrize("port", ["1"])
async def test_nobody_listens(time: Time, port: str) -> None:
    async with client(time.policy(total_seconds=None)) as http:
        with pytest.raises(httpx2.ConnectError):
            await http.get(f"http://127.0.0.1:{port}")
        assert time.slept == [1.5, 2.5, 4.5]
        with pytest.raises(httpx2.ConnectError):
            await http.post(f"http://127.0.0.1:{port}")
        assert len(time.slept) == 3
        with pytest.raises(httpx2.UnsupportedProtocol):
            await http.get("gopher://127.0.0.1")
        assert len(time.slept) == 3


# --- the budget -------------------------------------------------------------------------------


async def test_a_spent_budget_ends_retries(time: Time) -> None:
    budget = RetryBudget(per_call=0.0, per_second=0.0, burst=4.0)
    policy = time.policy(budget=budget, total_seconds=None)
    spent = counted("handfast_client_calls_total", outcome="budget")
    async with ScriptedServer([Answer(500)]) as server, client(policy) as http:
        for _ in range(10):
            assert (await http.get(server.url)).status_code == 500
    assert len(server.seen) == 10 + 4
    assert counted("handfast_client_calls_total", outcome="budget") == spent + 9


async def test_the_budget_is_the_process_own() -> None:
    assert HttpRetryPolicy().budget is HttpRetryPolicy.background.budget is not None


async def test_metrics(time: Time) -> None:
    retries = counted("retry_attempts_total", kind="client")
    exhausted = counted("retry_exhausted_total", kind="client")
    answered = counted("handfast_client_calls_total", outcome="answered")
    attempts = counted("handfast_client_calls_total", outcome="attempts")
    await ask([Answer(500), OK], time.policy())
    await ask([Answer(408)], time.policy())
    await ask([Answer(404)], time.policy())
    assert counted("retry_attempts_total", kind="client") == retries + 1 + 3
    assert counted("retry_exhausted_total", kind="client") == exhausted + 1
    assert counted("handfast_client_calls_total", outcome="answered") == answered + 2
    assert counted("handfast_client_calls_total", outcome="attempts") == attempts + 1


# --- around it --------------------------------------------------------------------------------


async def test_cancelling_while_it_waits_leaves_nothing_open() -> None:
    waiting = asyncio.Event()

    async def forever(_: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    policy = dataclasses.replace(HttpRetryPolicy(budget=None), sleep=forever)
    async with (
        ScriptedServer([Answer(503, body=b"x" * 200_000)]) as server,
        client(policy) as http,
    ):
        call = asyncio.create_task(http.get(server.url))
        await waiting.wait()

        async def closed() -> bool:
            return server.open_now == 0

        await eventually_async(closed)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert len(server.seen) == 1


async def test_cancelling_an_attempt(time: Time) -> None:
    async with ScriptedServer([Fault.SILENCE]) as server, client(time.policy()) as http:
        call = asyncio.create_task(http.get(server.url))

        async def arrived() -> bool:
            return bool(server.seen)

        await eventually_async(arrived)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    assert (len(server.seen), time.slept) == (1, [])


async def test_an_answer_that_breaks_off_in_its_body_is_the_callers(time: Time) -> None:
    """The transport's work ends with the headers: what was begun to be read is not sent again."""
    answer, server = await ask([Answer(200, body=b"x" * 100, cut_body=True), OK], time.policy())
    assert isinstance(answer, httpx2.RemoteProtocolError)
    assert len(server.seen) == 1


async def test_plain_httpx_takes_the_same_transport(time: Time) -> None:
    transport: Any = RetryTransport(httpx.AsyncHTTPTransport(), time.policy(make_keys=True))
    script: list[Step] = [Fault.RESET_AFTER, IN_PROGRESS, OK]
    async with ScriptedServer(script) as server, httpx.AsyncClient(transport=transport) as http:
        answer = await http.post(server.url, json={"a": 1})
        assert answer.status_code == 200
        assert len({seen.headers["idempotency-key"] for seen in server.seen}) == 1
        assert len(server.seen) == 3
    reused = problem(409, "idempotency-key-reused")
    async with ScriptedServer([reused]) as server, httpx.AsyncClient(transport=transport) as http:
        assert (await http.post(server.url)).content == reused.body
    with pytest.raises(httpx.ConnectError):
        async with httpx.AsyncClient(transport=transport) as http:
            await http.get("http://127.0.0.1:1")


@pytest.mark.parametrize("library", [httpx2, httpx], ids=["httpx2", "httpx"])
async def test_as_a_plain_function(time: Time, library: Any) -> None:
    script: list[Step] = [IN_PROGRESS, Answer(500), OK]
    async with ScriptedServer(script) as server, library.AsyncClient() as http:
        request = http.build_request("POST", server.url, json={"a": 1}, headers=KEYED)
        answer = await retrying(http.send, request, time.policy())
    assert answer.status_code == 200
    assert time.slept == [1.5, 2.5]
    assert {seen.body for seen in server.seen} == {b'{"a":1}'}


async def test_other_errors_pass_through(time: Time) -> None:
    async def broken(_: object) -> httpx2.Response:
        raise LookupError("a fault of the program")

    with pytest.raises(LookupError):
        await retrying(broken, httpx2.Request("GET", "http://x"), time.policy())
    with pytest.raises(TypeError, match="neither httpx2 nor httpx"):
        await retrying(broken, object(), time.policy())  # type: ignore[type-var]
    assert time.slept == []


@pytest.mark.parametrize(
    "wrong", [{"retries": -1}, {"total_seconds": 0}, {"wait_max": -1}, {"wait_first": -1}]
)
def test_a_policy_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"cannot|must"):
        HttpRetryPolicy(**wrong)
