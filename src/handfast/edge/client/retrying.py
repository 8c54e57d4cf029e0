"""One call, several attempts: the policy carried out. tenacity turns the loop; we decide."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar
from uuid import uuid4

from prometheus_client import Counter
from tenacity import AsyncRetrying, RetryCallState

from handfast.base.logs import get_logger
from handfast.base.problems import PROBLEM_JSON, read_problem
from handfast.base.telemetry import REGISTRY, RETRIES_EXHAUSTED, RETRY_ATTEMPTS
from handfast.edge.client import library as libraries
from handfast.edge.client.policy import KEY_HEADER, HttpRetryPolicy, is_safe, is_told_by_type

KIND = "client"  # the label that tells our retries from those of jobs, whose kinds have a dot
PROBLEM_BYTES_MAX = 65_536  # a problem is a few hundred; more is something else

CALLS = Counter(
    "handfast_client_calls_total",
    "Calls by how they ended: answered, or why there was no further attempt.",
    ["outcome"],
    registry=REGISTRY,
)

log = get_logger(__name__)


class AnyRequest(Protocol):
    """A request of httpx2 or of httpx."""

    method: str
    headers: Any
    stream: Any
    url: Any


Q = TypeVar("Q", bound=AnyRequest)
R = TypeVar("R")


@dataclass
class _Unretryable:
    """An attempt that ended: its answer or its error, and the wait before the next, if any."""

    response: Any = None
    error: Exception | None = None
    wait: float | None = None


async def retrying(
    send: Callable[[Q], Awaitable[R]],
    request: Q,
    policy: HttpRetryPolicy = HttpRetryPolicy.user_facing,
) -> R:
    """Send ``request`` by ``send`` until the policy calls the answer final, and answer that.

        response = await retrying(client.send, client.build_request("POST", url, json=order))

    Works with httpx2 and httpx. When attempts, time or budget are used up, the last answer is
    returned, or the last error raised, as if there had been one attempt. A request whose body is a
    stream gets exactly one attempt.
    """
    return await _Call(send, request, policy).run()  # type: ignore[no-any-return]


class _Call:
    def __init__(
        self, send: Callable[[Any], Awaitable[Any]], request: Any, policy: HttpRetryPolicy
    ) -> None:
        self._send = send
        self._request = request
        self._policy = policy
        self._library = libraries.library_of(request)
        self._errors = libraries.connection_errors(self._library)
        if KEY_HEADER not in request.headers and policy.wants_key(request.method):
            request.headers[KEY_HEADER] = str(uuid4())  # once: every attempt carries the same
        self._safe = is_safe(request.method, keyed=KEY_HEADER in request.headers)
        self._repeatable = libraries.is_repeatable(self._library, request)
        self._retry = 0
        total = policy.total_seconds
        self._ends_at = None if total is None else policy.clock() + total

    async def run(self) -> Any:
        if self._policy.budget is not None:
            self._policy.budget.call()
        last: _Unretryable = await AsyncRetrying(
            retry=_wants_another,
            wait=_its_wait,
            sleep=self._policy.sleep,
        )(self._attempt)
        if last.error is not None:
            raise last.error
        return last.response

    async def _attempt(self) -> _Unretryable:
        limit = asyncio.timeout(self._left())
        try:
            async with limit:
                response = await self._send(self._request)
                problem, response = await self._look_into(response)
        except self._errors as error:
            wait = self._policy.backoff(self._retry) if self._safe else None
            return self._judged(_Unretryable(error=error, wait=wait))
        except TimeoutError:
            if not limit.expired():
                raise
            return self._gave_up(_Unretryable(error=self._out_of_time()), "time")
        wait = self._policy.wait_after_answer(
            response.status_code,
            response.headers,
            safe=self._safe,
            problem=problem,
            retry=self._retry,
        )
        ended = self._judged(_Unretryable(response=response, wait=wait))
        if ended.wait is not None:
            await response.aclose()  # before we wait, so that nothing is held and nothing leaks
        return ended

    def _judged(self, ended: _Unretryable) -> _Unretryable:
        """Another attempt also needs a body that can be sent again, a retry left, time, a token."""
        if ended.wait is None:
            CALLS.labels("answered" if ended.error is None else "unsafe").inc()
            return ended
        reason = self._reason_to_stop(ended.wait)
        if reason is not None:
            return self._gave_up(ended, reason)
        self._retry += 1
        RETRY_ATTEMPTS.labels(KIND).inc()
        return ended

    def _gave_up(self, ended: _Unretryable, reason: str) -> _Unretryable:
        CALLS.labels(reason).inc()
        RETRIES_EXHAUSTED.labels(KIND).inc()
        log.warning(
            "retries_exhausted",
            method=self._request.method,
            host=self._request.url.host,
            retries=self._retry,
            reason=reason,
        )
        ended.wait = None
        return ended

    def _reason_to_stop(self, wait: float) -> str | None:
        if not self._repeatable:
            return "stream"
        if self._retry >= self._policy.retries:
            return "attempts"
        left = self._left()
        if left is not None and wait >= left:
            return "time"
        if self._policy.budget is not None and not self._policy.budget.take():
            return "budget"
        return None

    def _left(self) -> float | None:
        return None if self._ends_at is None else max(0.0, self._ends_at - self._policy.clock())

    def _out_of_time(self) -> Exception:
        error: Exception = self._library.ReadTimeout(
            f"no final answer within {self._policy.total_seconds:g} s in all",
            request=self._request,
        )
        return error

    async def _look_into(self, response: Any) -> tuple[str, Any]:
        """The type of a problem, where it decides: a conflict may be only a duplicate that is still
        being carried out, and a failure one in which nothing was done."""
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != PROBLEM_JSON or not is_told_by_type(response.status_code):
            return "", response
        body, response = await libraries.peek(self._library, response, PROBLEM_BYTES_MAX)
        return read_problem(response.status_code, body).type, response


def _wants_another(state: RetryCallState) -> bool:
    if state.outcome is None or state.outcome.failed:
        return False  # not of our kind, or cancelled: it goes to the caller as it is
    ended: _Unretryable = state.outcome.result()
    return ended.wait is not None


def _its_wait(state: RetryCallState) -> float:
    assert state.outcome is not None  # noqa: S101  # tenacity asks only after an attempt
    ended: _Unretryable = state.outcome.result()
    return ended.wait or 0.0
