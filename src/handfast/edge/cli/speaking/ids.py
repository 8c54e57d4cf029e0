"""What a person may type where an id is wanted: the beginning of one, or a job's kind and key.

The beginning of a UUID is enough if nothing else begins so. A job's number is always meant whole:
12 must not become 123 when job 12 is gone. Its kind and key are the other way to name it.
"""

from collections.abc import Sequence
from uuid import UUID

from handfast.base.errors import InvalidRequest, NotFound
from handfast.db.transaction import Queryable
from handfast.engine.operating.jobs_view import id_of

UUID_DIGITS = 32
SHOWN_MAX = 5  # of those that begin so


async def job_called(on: Queryable, name: str, key: str | None = None) -> int:
    """A job by its number, or by its kind and key."""
    if key is not None:
        return await id_of(on, name, key)
    if name.isascii() and name.isdecimal():
        return int(name)
    raise InvalidRequest(
        f"{name!r} is not the number of a job.",
        hint=f"Name a job by its number (jobs list shows it) or by kind and key: {name} KEY",
    )


async def jobs_called(on: Queryable, words: Sequence[str]) -> list[int]:
    """Several: numbers, and kinds each with its key behind it."""
    left, found = list(words), []
    while left:
        name = left.pop(0)
        numbered = name.isascii() and name.isdecimal()
        found.append(await job_called(on, name, None if numbered or not left else left.pop(0)))
    return found


def span(given: str) -> tuple[UUID, UUID]:
    """The first and the last UUID that begin so."""
    digits = given.replace("-", "").lower()
    if not digits or len(digits) > UUID_DIGITS or not set(digits) <= set("0123456789abcdef"):
        raise InvalidRequest(
            f"{given!r} is neither an id nor the beginning of one.",
            hint="An id looks like 0198c6b7-4d5e-7f8a-9b0c-1d2e3f4a5b6c; its beginning is enough.",
        )
    return UUID(digits.ljust(UUID_DIGITS, "0")), UUID(digits.ljust(UUID_DIGITS, "f"))


def the_one(given: str, what: str, found: Sequence[UUID]) -> UUID:
    """The only one of ``found`` that begins so. A whole id is answered as it is: whoever looks for
    it says best that it is not there."""
    first, last = span(given)
    if first == last:
        return first
    fitting = [one for one in found if first <= one <= last]
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise NotFound(f"No {what} begins with {given}.")
    shown = "\n".join(f"  {one}" for one in fitting[:SHOWN_MAX])
    more = "\n  and more" if len(fitting) > SHOWN_MAX else ""
    raise InvalidRequest(
        f"More than one {what} begins with {given}:\n{shown}{more}", hint="Say more of it."
    )
