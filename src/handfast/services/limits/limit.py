"""A limit, and what is answered when somebody asks to take from it."""

import hashlib
import re
from dataclasses import dataclass
from datetime import timedelta

import msgspec

NAME_PATTERN = re.compile(r"[a-z][a-z0-9_.-]{0,99}")
SUBJECT_LENGTH_MAX = 300  # an address, an id; the table refuses more
QUOTA_MAX = 1_000_000_000
PERIOD_MAX = timedelta(days=366)  # in microseconds and times any quota it still fits the arithmetic
STAMPS_MAX = 100  # moments that one row of an exact limit keeps: 800 bytes, which stay on its page
MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True)
class Limit:
    """``quota`` units in each ``period`` for every subject, refilled evenly: all of them at once,
    and then one after each ``period / quota``.

    ``durable=False`` trades the promise for speed: Redis decides when there is one, and without it
    the commit is not waited for. For protection against load, not against guessing.

    ``exact=True``: never more than ``quota`` in *any* period, where the plain kind gives up to
    twice as many less one. Up to a quota of 100 each unit comes back one period after it was
    taken. Above, half of the quota is given at once and half of it comes back in a period, evenly:
    together no more than the quota, and still one instant in one row. Always durable.
    """

    name: str
    quota: int
    period: timedelta
    durable: bool = True
    exact: bool = False

    def __post_init__(self) -> None:
        if NAME_PATTERN.fullmatch(self.name) is None:
            raise ValueError(
                f"{self.name!r} cannot name a limit: use at most 100 lower-case letters, digits, "
                "dots, dashes and underscores, beginning with a letter."
            )
        if not 1 <= self.quota <= QUOTA_MAX:
            raise ValueError(
                f"The quota of {self.name} is {self.quota}; allowed: 1 to {QUOTA_MAX}."
            )
        if not timedelta(0) < self.period <= PERIOD_MAX:
            raise ValueError(f"The period of {self.name} must be positive, and at most 366 days.")
        if self.unit < 1:
            raise ValueError(f"{self.name} allows more than one unit in a microsecond.")
        if self.exact and not self.durable:
            raise ValueError(f"{self.name} cannot be exact and not durable: only what is kept is.")

    @property
    def is_window(self) -> bool:
        """Whether each unit is kept with its moment (an exact limit with a small quota)."""
        return self.exact and self.quota <= STAMPS_MAX

    @property
    def is_halved(self) -> bool:
        """Whether half of the quota is a bucket (an exact limit with a large quota)."""
        return self.exact and self.quota > STAMPS_MAX

    @property
    def unit(self) -> int:
        """What one unit costs, in microseconds: so long it takes to refill."""
        period = self.period // MICROSECOND
        if not self.is_halved:
            return period // self.quota
        return -(-period // (self.quota - self.quota // 2))  # up: never more than half comes back

    @property
    def at_once(self) -> int:
        """How many units there are for who has taken none. The whole quota, but of a halved one
        half, or what comes back within one period if the rounding of ``unit`` made that less."""
        if not self.is_halved:
            return self.quota
        return min(self.quota // 2, self.period // MICROSECOND // self.unit)

    @property
    def refill(self) -> timedelta:
        """How long all of that takes to come back."""
        return self.at_once * self.unit * MICROSECOND if self.is_halved else self.period


@dataclass(frozen=True)
class Ask:
    """Take ``cost`` units of ``limit`` for ``subject``. A cost of 0 only looks."""

    limit: Limit
    subject: str
    cost: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.cost <= self.limit.at_once:
            raise ValueError(
                f"A cost of {self.cost} can never be taken from {self.limit.name}, which has at "
                f"most {self.limit.at_once} at once."
            )
        # A subject that does not fit (or holds what PostgreSQL cannot store) must not escape its
        # limit, and must not fail either: callers choose some of them.
        if not 0 < len(self.subject) <= SUBJECT_LENGTH_MAX or not self.subject.isprintable():
            object.__setattr__(self, "subject", _shortened(self.subject))


class LimitVerdict(msgspec.Struct, frozen=True):
    """One limit's answer. Seconds are exact to the microsecond; ``reset`` is until the quota is
    whole again, ``retry_after`` until this could be taken (0 when it was)."""

    ask: Ask
    admitted: bool
    remaining: int
    reset: float
    retry_after: float


class LimitDecision(msgspec.Struct, frozen=True):
    """All limits' answers; units were taken only if all admit."""

    verdicts: list[LimitVerdict]

    @property
    def admitted(self) -> bool:
        return all(verdict.admitted for verdict in self.verdicts)

    @property
    def retry_after(self) -> float:
        return max((verdict.retry_after for verdict in self.verdicts), default=0.0)


def _shortened(subject: str) -> str:
    return "sha256:" + hashlib.sha256(subject.encode("utf-8", "surrogatepass")).hexdigest()
