"""Reading cron expressions.

``cronsim`` reads and steps through them (small, typed, steps in both directions, puts an
expression into words); it is only ever shown naive local times. What those times mean in a zone,
also when clocks change, is ``zones``' business and the same for every kind of schedule.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from cronsim import CronSim, CronSimError

from handfast.engine.errors import ScheduleInvalid

FIELDS = 5  # down to the minute; a second's precision would promise more than polling keeps
_SOME_DAY = datetime(2026, 1, 1)  # noqa: DTZ001  # local times are naive here, on purpose

_FORMS = (
    "Allowed: five fields, minute hour day-of-month month day-of-week, each a number, *, a range "
    "1-5, a list 1,15 or a step */10; months and days also as JAN or MON, L for the last day of "
    "a month, MON#1 for its first Monday. Example: '*/5 * * * *' or '0 9 * * MON-FRI'."
)


def check_cron(expression: str) -> str:
    """The expression, tidied; refused if it cannot be read or never fires."""
    if not isinstance(expression, str):
        raise ScheduleInvalid(f"The cron expression is {expression!r}, not a text.", hint=_FORMS)
    fields = expression.split()
    if len(fields) != FIELDS:
        raise ScheduleInvalid(
            f"The cron expression {expression!r} has {len(fields)} fields, not {FIELDS}.",
            hint=_FORMS,
        )
    tidy = " ".join(fields)
    try:
        next(CronSim(tidy, _SOME_DAY))
    except (CronSimError, AssertionError, ValueError) as error:
        if _reads_without_its_day(fields):
            raise _never(tidy) from error
        raise ScheduleInvalid(
            f"The cron expression {expression!r} cannot be read: {error}.", hint=_FORMS
        ) from error
    except StopIteration as never:
        raise _never(tidy) from never
    return tidy


def locals_after(expression: str, local: datetime) -> Iterator[datetime]:
    """The naive local times after this one that fit, in order."""
    return CronSim(expression, local.replace(fold=0))


def locals_until(expression: str, local: datetime) -> Iterator[datetime]:
    """The naive local times up to this one that fit, newest first."""
    just_after = local.replace(fold=0, second=0, microsecond=0) + timedelta(minutes=1)
    return CronSim(expression, just_after, reverse=True)


def in_words(expression: str) -> str:
    words = CronSim(expression, _SOME_DAY).explain()
    return words[:1].lower() + words[1:]


def _never(expression: str) -> ScheduleInvalid:
    return ScheduleInvalid(
        f"The cron expression {expression!r} never fires: no such day exists.",
        hint="Check day-of-month against month; for the last day of a month use L, as in "
        "'0 0 L * *'.",
    )


def _reads_without_its_day(fields: list[str]) -> bool:
    """Whether only the combination is impossible (30 February): cronsim refuses some of those."""
    minute, hour, day, month, weekday = fields
    try:
        CronSim(f"{minute} {hour} {day} * {weekday}", _SOME_DAY)
        CronSim(f"{minute} {hour} * {month} {weekday}", _SOME_DAY)
    except (CronSimError, AssertionError, ValueError):
        return False
    return True
