"""Which answers are worth another attempt, and when. Pure: no request is made here.

| answer | another attempt |
|---|---|
| 408 | at once |
| 429, 503 | after ``Retry-After``, at most ``wait_max``; without one, after the backoff |
| 500, 502, 504 | after the backoff ``min(1 s * 2^n + U(0, 1 s), 30 s)``, where repeating is safe |
| 409 of type ``idempotency-in-progress`` | after ``Retry-After``, or the backoff |
| no answer, a broken connection | after the backoff, where repeating is safe |
| everything else | never |

Repeating is safe when the request carries an ``Idempotency-Key``, or when its method is idempotent
by HTTP. A POST without a key that got a 502 may have been carried out: nobody repeats it for you.
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

_AT_ONCE = frozenset({408})
_WHEN_TOLD = frozenset({429, 503})  # both say that nothing was done, so no key is needed
_WHEN_SAFE = frozenset({500, 502, 504})
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
        self, status: int, headers: "Headers", *, safe: bool, in_progress: bool, retry: int
    ) -> float | None:
        """Seconds until the next attempt, or None when the answer is final."""
        if status in _AT_ONCE:
            return 0.0
        if status in _WHEN_TOLD or (status == 409 and in_progress):
            told = retry_after_seconds(
                headers.get("retry-after"), date=headers.get("date"), now=self.now()
            )
            return self.backoff(retry) if told is None else min(told, self.wait_max)
        if status in _WHEN_SAFE and safe:
            return self.backoff(retry)
        return None


class Headers(Protocol):
    """What the policy reads of headers: any mapping whose ``get`` ignores case will do."""

    def get(self, key: str, default: str | None = None) -> str | None: ...


def is_safe(method: str, *, keyed: bool) -> bool:
    """Whether a request whose fate is unknown may be sent again."""
    return keyed or method.upper() in _IDEMPOTENT


HttpRetryPolicy.user_facing = HttpRetryPolicy()
HttpRetryPolicy.background = HttpRetryPolicy(retries=5, total_seconds=300.0)
