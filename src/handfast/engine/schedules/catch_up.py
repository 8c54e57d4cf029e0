"""What becomes of ticks that were missed.

A scheduler that was away finds several ticks due at once. Which of them still fire is the
schedule's own policy; those that do not are recorded as skipped, with the reason, so that nothing
vanishes without a trace. Both are bounded: two weeks of silence must not end in a flood.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, Literal

from handfast.engine.errors import ScheduleInvalid

if TYPE_CHECKING:
    from handfast.engine.schedules.ticks import Moment, TickLine

# A tick that is later than this was missed, and its job runs below live work. A restart of the
# database or of a scheduler takes less and should change nothing.
LIVE_SECONDS = 60.0
# Five weeks of every five minutes, or a week of every minute. More jobs at once would hold up the
# work of today for the sake of a month that nobody waits for any more.
CAP = 10_000
# Skipped ticks that get a row of their own; the oldest of them says that there were more.
SKIPS_RECORDED_MAX = 1_000


@dataclass(frozen=True)
class CatchUp:
    """``CatchUp.latest``, ``CatchUp.all`` or ``CatchUp.within(timedelta(hours=6))``.

    Each is capped; ``CatchUp.all.capped(100)`` sets another cap. Per zone, where there are several.
    """

    mode: Literal["latest", "all", "within"]
    window: timedelta | None = None
    cap: int = CAP

    latest: ClassVar["CatchUp"]
    all: ClassVar["CatchUp"]

    @staticmethod
    def within(window: timedelta) -> "CatchUp":
        if not _is_positive(window):
            raise ScheduleInvalid(
                f"The window is {window!r}.",
                hint="Allowed: a positive timedelta. Example: CatchUp.within(timedelta(hours=6)).",
            )
        return CatchUp("within", window)

    def capped(self, ticks: int) -> "CatchUp":
        if not 1 <= ticks <= CAP:
            raise ScheduleInvalid(
                f"The cap is {ticks}.",
                hint=f"Allowed: 1 to {CAP:,}. Example: CatchUp.all.capped(100).",
            )
        return replace(self, cap=ticks)


CatchUp.latest = CatchUp("latest")
CatchUp.all = CatchUp("all")


def _is_positive(window: object) -> bool:
    return isinstance(window, timedelta) and window > timedelta(0)


@dataclass(frozen=True)
class CatchUpDecision:
    """What happens with one due moment: it fires, or it is skipped for a reason."""

    moment: "Moment"
    caught_up: bool
    skipped: str | None = None


def decide(
    policy: CatchUp, line: "TickLine", cursor: datetime, now: datetime
) -> list[CatchUpDecision]:
    """Every moment of this line in (cursor, now], oldest first, with what becomes of it."""
    limit = policy.cap + SKIPS_RECORDED_MAX + 1
    due = list(islice(_since(line, cursor, now), limit))
    decisions: list[CatchUpDecision] = []
    skips = 0
    for age, moment in enumerate(due):
        late = now - moment.at
        reason = _reason(policy, age, late)
        skips += reason is not None
        if skips > SKIPS_RECORDED_MAX:
            oldest = decisions[-1]
            decisions[-1] = replace(oldest, skipped=f"{oldest.skipped}; so were all before it")
            break
        decisions.append(CatchUpDecision(moment, late.total_seconds() > LIVE_SECONDS, reason))
    decisions.reverse()
    return decisions


def _since(line: "TickLine", cursor: datetime, now: datetime) -> "Iterator[Moment]":
    for moment in line.newest(now):
        if moment.at <= cursor:
            return
        yield moment


def _reason(policy: CatchUp, age: int, late: timedelta) -> str | None:
    """Why the moment does not fire; ``age`` counts the newer ones that are due as well."""
    if policy.mode == "latest" and age > 0:
        return "missed, and a later tick was due: only the latest is caught up"
    if policy.window is not None and late > policy.window and late.total_seconds() > LIVE_SECONDS:
        return f"missed by more than {policy.window}: too late to catch up"
    if age >= policy.cap:
        return f"missed with more than {policy.cap} later ones: over the cap"
    return None
