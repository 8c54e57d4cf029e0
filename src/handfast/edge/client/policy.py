"""Which answers are worth another attempt, and when. Pure: no request is made here.

| answer | another attempt |
|---|---|
| 429 | after ``Retry-After``, at most ``wait_max``; without one, after the backoff |
| 408 | at once, where repeating is safe |
| 500, 502, 503, 504 | after ``Retry-After`` or the backoff, where repeating is safe |
| 409 of type ``idempotency-in-progress`` | after ``Retry-After``, or the backoff |
| no answer, a broken connection | after the backoff, where repeating is safe |
| everything else | never |

The backoff is ``min(1 s * 2^n + U(0, 1 s), 30 s)``.

Repeating is safe when the request carries an ``Idempotency-Key``, when its method is idempotent by
HTTP, or when the answer is a problem whose type says that nothing was done. A POST without a key
that got any other 503 may have been carried out: nobody repeats it for you.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar, Protocol

from handfast.base.clock import utc_now
from handfast.base.errors import problem_type
from handfast.base.retry_after import retry_after_seconds
from handfast.edge.client.budget import PROCESS_BUDGET, RetryBudget

KEY_HEADER = "Idempotency-Key"
IN_PROGRESS = problem_type("IDEMPOTENCY_IN_PROGRESS")

# Ours that are answered before anybody has begun: the request did not come whole, was not let in,
# or nobody can serve. A database that went away (DATABASE_UNREACHABLE) is not among them: it may
# have done so between two transactions of one request.
NOTHING_DONE = frozenset(
    problem_type(code) for code in ("NOT_READY", "REQUEST_TIMEOUT", "TOO_MANY_BODIES")
)

_ALWAYS = frozenset({429})
_AT_ONCE = frozenset({408})
_WHEN_SAFE = frozenset({408, 500, 502, 503, 504})
_IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"})  # RFC 9110, 9.2.2
_KEYED = frozenset({"POST", "PATCH"})
_EXPONENT_MAX = 16  # 2 ** 16 s is beyond every cap, and does not overflow


@dataclass(frozen=True, kw_only=True)
class HttpRetryPolicy:
    """How a call is retried. The default is for calls that a person waits for."""

    retries: int = 3
    total_seconds: float | None = 10.0  # attempts and waits together, from the first byte out
    wait_first: float = 1.0
    wait_max: float = 30.0
    make_keys: bool = False  # give every POST and PATCH without a key one; the server must know it
    budget: RetryBudget | None = PROCESS_BUDGET
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    now: Callable[[], datetime] = field(default=utc_now, repr=False)
    sleep: Callable[[float], Awaitable[None]] = field(default=asyncio.sleep, repr=False)
    jitter: Callable[[], float] = field(default=random.random, repr=False)

    user_facing: ClassVar["HttpRetryPolicy"]
    background: ClassVar["HttpRetryPolicy"]

    def __post_init__(self) -> None:
        if self.retries < 0:
            raise ValueError("retries cannot be negative; 0 means one attempt and no more.")
        if self.total_seconds is not None and self.total_seconds <= 0:
            raise ValueError("total_seconds must be positive, or None for no limit.")
        if self.wait_first < 0 or self.wait_max < 0:
            raise ValueError("Waits cannot be negative.")

    def wants_key(self, method: str) -> bool:
        return self.make_keys and method.upper() in _KEYED

    def backoff(self, retry: int) -> float:
        """The wait before retry ``0, 1, 2, …``."""
        growing: float = self.wait_first * 2.0 ** min(retry, _EXPONENT_MAX)
        return min(growing + self.jitter() * self.wait_first, self.wait_max)

    def wait_after_answer(
        self, status: int, headers: "Headers", *, safe: bool, problem: str, retry: int
    ) -> float | None:
        """Seconds until the next attempt, or None when the answer is final. ``problem`` is the
        type of an answer that is a problem."""
        if not _is_worth_another(status, problem, safe=safe):
            return None
        told = retry_after_seconds(
            headers.get("retry-after"), date=headers.get("date"), now=self.now()
        )
        if told is not None:
            return min(told, self.wait_max)
        return 0.0 if status in _AT_ONCE else self.backoff(retry)


def _is_worth_another(status: int, problem: str, *, safe: bool) -> bool:
    if status == 409:
        return problem == IN_PROGRESS
    return status in _ALWAYS or (status in _WHEN_SAFE and (safe or problem in NOTHING_DONE))


def is_told_by_type(status: int) -> bool:
    """Whether the type of a problem decides what its status does not."""
    return status == 409 or status in _WHEN_SAFE


class Headers(Protocol):
    """What the policy reads of headers: any mapping whose ``get`` ignores case will do."""

    def get(self, key: str, default: str | None = None) -> str | None: ...


def is_safe(method: str, *, keyed: bool) -> bool:
    """Whether a request whose fate is unknown may be sent again."""
    return keyed or method.upper() in _IDEMPOTENT


HttpRetryPolicy.user_facing = HttpRetryPolicy()
HttpRetryPolicy.background = HttpRetryPolicy(retries=5, total_seconds=300.0)
