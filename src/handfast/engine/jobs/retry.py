"""What kind of failure it was, and what follows: policy is data.

A policy is stored with its kind in the database, where rescue needs it too, and the database
computes the next due time (``handfast_engine.retry_at``): one implementation, one clock.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from handfast.db.errors import TransactionEnded
from handfast.engine.errors import KindInvalid, PayloadInvalid

SECONDS_MAX = 10 * 366 * 86400.0  # beyond it somebody has mistaken the unit


class FailureClass(StrEnum):
    TRANSIENT = "transient"  # the database, the network: another try may succeed
    TIMEOUT = "timeout"  # ran longer than its kind allows; treated as transient
    LOST = "lost"  # the worker fell silent; treated as transient
    LOGIC = "logic"  # a fault in the program: no retry can fix it
    DATA = "data"  # data that contradicts itself: no retry can fix it
    PAYLOAD = "payload"  # cannot be read: no retry can fix it
    BATCH = "batch"  # the whole batch call failed; counts for nobody


class RetryAt(Exception):  # not an error: a handler's way to say "not yet"
    """Raise it in a handler to run again at ``at``. It does not count as a failure."""

    def __init__(self, at: datetime, reason: str = "asked to run again later") -> None:
        if at.tzinfo is None:
            raise ValueError("RetryAt needs an aware instant, for example one in UTC")
        super().__init__(reason)
        self.at = at


class DataInconsistent(Exception):
    """Raise it in a handler when the data contradicts itself: a dead letter at once."""


_LOGIC = (TypeError, AttributeError, NameError, AssertionError, TransactionEnded)


def classify(error: BaseException) -> FailureClass:
    """The class of an exception. What nobody has classified is transient."""
    match error:
        case PayloadInvalid():
            return FailureClass.PAYLOAD
        case DataInconsistent():
            return FailureClass.DATA
        case asyncio.TimeoutError() | TimeoutError():
            return FailureClass.TIMEOUT
        case _ if isinstance(error, _LOGIC):
            return FailureClass.LOGIC
        case _:
            return FailureClass.TRANSIENT


@dataclass(frozen=True)
class RetryPolicy:
    """How often and when a failed job is tried again.

    ``waits`` are seconds before each retry (the last one repeats); without them the backoff is
    ``min(1 s · 2ⁿ + U(0, 1 s), 30 s)``. ``within`` stops the retries this many seconds after the
    first start. With ``offsets`` the waits count from the first due time instead of the failure,
    with ``from_start`` from the first start; ``jitter`` is the part of the distance between two
    tries by which one may come earlier.
    """

    retries: int = 3
    waits: tuple[float, ...] = (30.0, 120.0, 300.0)
    within: float | None = None
    offsets: bool = False
    from_start: bool = False
    jitter: float = 0.0
    logic_retries: int = 0
    classify: Callable[[BaseException], FailureClass] = field(default=classify, compare=False)

    def __post_init__(self) -> None:
        if self.retries < 0 or self.logic_retries < 0:
            raise KindInvalid("A policy cannot retry fewer than 0 times.")
        if not all(0 <= wait <= SECONDS_MAX for wait in self.waits):
            raise KindInvalid(f"The waits {self.waits} are not all seconds from 0 to ten years.")
        if self.within is not None and not 0 < self.within <= SECONDS_MAX:
            raise KindInvalid("A policy's time budget is seconds, more than 0, up to ten years.")
        if self.offsets and self.from_start:
            raise KindInvalid("Offsets count from the first due time or the first start, not both.")
        if self.from_start and list(self.waits) != sorted(self.waits):
            raise KindInvalid(f"The offsets {self.waits} do not grow.")
        if not 0 <= self.jitter <= 1:
            raise KindInvalid(f"The jitter {self.jitter} is not a part between 0 and 1.")

    def as_data(self) -> dict[str, Any]:
        rule: dict[str, Any] = {"retries": self.retries, "waits": list(self.waits)}
        if self.within is not None:
            rule["within"] = self.within
        if self.offsets:
            rule["offsets"] = True
        if self.from_start:
            rule["from_start"] = True
        if self.jitter:
            rule["jitter"] = self.jitter
        return {"transient": rule, "logic": {"retries": self.logic_retries}}


class Retry:
    """Ready-made policies."""

    default = RetryPolicy()
    background = RetryPolicy(retries=5, waits=(), within=300)
    scheduled = RetryPolicy(retries=3, waits=(), within=3600)
    user_facing = RetryPolicy(retries=3, waits=(), within=10)
    webhook = RetryPolicy(
        retries=9,
        waits=(5, 30, 120, 600, 1800, 3600, 21600, 43200, 86400),
        within=86400,
        from_start=True,  # after the first attempt, which always happens, however late
        jitter=0.1,
    )
    never = RetryPolicy(retries=0)
