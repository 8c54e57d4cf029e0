"""Jobs in, in the caller's transaction."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from typing import Any, Final

import msgspec

from handfast.db import constraints
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Notice, Queryable, Transaction
from handfast.engine.errors import ChainInvalid, JobInvalid, PayloadInvalid
from handfast.engine.jobs.kinds import PAYLOAD_BYTES_MAX, Kind, as_json, size_over
from handfast.engine.jobs.options import NO_OPTIONS, Options, aware, check_text
from handfast.engine.jobs.states import JobState

READY_CHANNEL = "handfast_ready"  # a lane has something to claim, and somebody idle
BULK_PART = 5000  # jobs stored by one statement of a bulk: enough to make its costs small
KEY_LENGTH_MAX = 500
KIND_LENGTH_MAX = 200
DELAY_MAX = timedelta(days=365 * 1000)  # PostgreSQL's calendar goes further, Python's does not

constraints.register(
    {"job_prerequisite_exists": ChainInvalid, "prerequisite_not_itself": ChainInvalid}
)


class Pruned:
    """Stands for the result of a job whose history has been dropped."""

    def __repr__(self) -> str:
        return "PRUNED"


PRUNED: Final = Pruned()


class Enqueued(msgspec.Struct, frozen=True):
    """The job that an identity stands for: the one just made, or the one that was there first."""

    id: int
    created: bool
    state: JobState
    result: Any = None


class _Made(msgspec.Struct, frozen=True):
    id: int
    created: bool
    state: str


class _MadeInBulk(msgspec.Struct, frozen=True):
    ids: list[int]
    created: list[bool]
    states: list[str]

    def each(self) -> Iterator[Enqueued]:
        for job, created, state in zip(self.ids, self.created, self.states, strict=True):
            yield Enqueued(job, created, _STATES[state])


_Store = Callable[[], Coroutine[Any, Any, _MadeInBulk]]


class _Result(msgspec.Struct, frozen=True):
    found: bool
    result: str | None


class _MadeEveryday(msgspec.Struct, frozen=True):
    id: int
    state: str
    told: str | None  # who is idle and is to be told of it, after the commit if that is ours


_ENQUEUE = statement("engine.enqueue", row=_Made)
_ENQUEUE_EVERYDAY = statement("engine.enqueue_everyday", row=_MadeEveryday)
_ENQUEUE_BULK = statement("engine.enqueue_bulk", row=_MadeInBulk, seconds=BULK_SECONDS_MAX)
_IDLE = statement("engine.idle_for", row=str)
_RESULT = statement("engine.result", row=_Result)


_STATES = {str(state): state for state in JobState}  # a lookup is quicker than an enum's call


async def enqueue(
    tx: Queryable,
    kind: Kind | str,
    key: str,
    payload: Mapping[str, Any],
    *,
    due: datetime | None = None,
    delay: timedelta | None = None,
    options: Options = NO_OPTIONS,
) -> Enqueued:
    """One job. Its identity is unique for ever: enqueueing it again answers the first one."""
    name, encoded, asked = _checked(kind, payload, options)
    key, due = check_key(key), _due(due, delay)
    if asked.everyday and delay is None:
        # What nearly every job is: new, and without ties to others. No function need be called.
        later = notices_of(tx)
        new = await _ENQUEUE_EVERYDAY.maybe(
            tx,
            *(name, key, encoded, due, asked.lane, asked.priority, asked.version),
            later is not None,
        )
        if new is not None:
            if later is not None and new.told is not None:
                later.add((READY_CHANNEL, new.told))
            return Enqueued(new.id, True, _STATES[new.state])
    made = await _ENQUEUE.one(tx, name, key, encoded, due, delay, _options(tx, asked))
    state = _STATES[made.state]
    if made.created and state is JobState.READY:
        await _tell_later(tx, name, asked)
    result = None
    if not made.created and state is JobState.SUCCEEDED:
        result = await result_of(tx, made.id)
    return Enqueued(made.id, made.created, state, result)


async def enqueue_many(
    tx: Queryable,
    kind: Kind | str,
    jobs: Sequence[tuple[str, Mapping[str, Any]]],
    *,
    due: datetime | Sequence[datetime] | None = None,
    options: Options = NO_OPTIONS,
) -> list[Enqueued]:
    """Many jobs of one kind, all or none: ``[(key, payload), …]``."""
    if not jobs:
        return []
    if options.requires:
        raise JobInvalid("Jobs that wait for others are enqueued one at a time.")
    keys = [key for key, _ in jobs]
    name, _, asked = _checked(kind, jobs[0][1], options)
    data = _options(tx, asked)
    encode: Callable[[Mapping[str, Any]], str]
    encode = kind.encode if isinstance(kind, Kind) else payload_as_json
    dues = _dues(due, len(keys))

    def prepared(part: Sequence[int]) -> _Store:
        payloads = [encode(jobs[i][1]) for i in part]
        at = None if dues is None else [dues[i] for i in part]
        checked = [check_key(keys[i]) for i in part]
        return partial(_ENQUEUE_BULK.one, tx, name, checked, payloads, at, data)

    if len(keys) <= BULK_PART or not isinstance(tx, Transaction):
        made = await prepared(range(len(keys)))()
        answers = list(made.each())
    else:
        async with tx.savepoint():  # a bad payload in a later part takes the earlier ones back
            answers = await _store_in_parts(prepared, keys)
    if any(one.created and one.state is JobState.READY for one in answers):
        await _tell_later(tx, name, asked)
    return answers


def notices_of(tx: Queryable) -> set[Notice] | None:
    """What this transaction tells after its commit; None if the commit is somebody else's."""
    return tx.notices if isinstance(tx, Transaction) else None


def _options(tx: Queryable, asked: Options) -> str:
    """Idle workers are told after the commit, if it is ours and the lane is known here."""
    return asked.as_data(wake_later=asked.lane is not None and notices_of(tx) is not None)


async def _tell_later(tx: Queryable, kind: str, asked: Options) -> None:
    later = notices_of(tx)
    if later is not None and asked.lane is not None:
        told = await _IDLE.maybe(tx, asked.lane, kind)
        if told is not None:
            later.add((READY_CHANNEL, told))


async def _store_in_parts(
    prepared: Callable[[Sequence[int]], _Store], keys: Sequence[str]
) -> list[Enqueued]:
    """Prepare each part while the database stores the one before.

    Sorted over all parts, as the database sorts within one: overlapping bulks meet in one order.
    """
    try:
        order = sorted(range(len(keys)), key=keys.__getitem__)
    except TypeError:  # not all of them are texts: say which
        order = sorted(range(len(keys)), key=lambda i: check_key(keys[i]))
    answers: dict[int, Enqueued] = {}
    stored: _MadeInBulk | None = None
    storing: asyncio.Task[_MadeInBulk] | None = None
    before: Sequence[int] = ()
    try:
        # The first part is small: the sooner the database has something to do, the better.
        ends = range(BULK_PART // 5, len(order) + BULK_PART, BULK_PART)
        for first, end in pairwise((0, *ends)):
            part = order[first:end]
            store = prepared(part)
            if storing is not None:
                stored = await storing
            storing = asyncio.create_task(store())
            await asyncio.sleep(0)  # it is on its way; now there is time for what came back
            if stored is not None:
                answers.update(zip(before, stored.each(), strict=True))
            before = part
        if storing is not None:
            answers.update(zip(before, (await storing).each(), strict=True))
    except BaseException:
        if storing is not None and not storing.done():
            await asyncio.wait([storing])  # the connection is not ours before it has answered
        raise
    return [answers[i] for i in range(len(keys))]


async def result_of(on: Queryable, job_id: int) -> Any:
    """The result of a job that succeeded; ``PRUNED`` when its history has been dropped."""
    found = await _RESULT.maybe(on, job_id)
    if found is None or not found.found:
        return PRUNED
    return None if found.result is None else msgspec.json.decode(found.result)


def check_key(key: object) -> str:
    if not isinstance(key, str) or not key.strip():
        raise JobInvalid(
            f"The key is {key!r}.", hint="A key is a text that names the work, such as 'user-7'."
        )
    if len(key) > KEY_LENGTH_MAX:
        raise JobInvalid(
            f"The key has {len(key)} characters; at most {KEY_LENGTH_MAX} are allowed.",
            hint="Use an id, or a hash of what makes the work unique.",
        )
    return check_text("The key", key)


def _checked(
    kind: Kind | str, payload: Mapping[str, Any], options: Options
) -> tuple[str, str, Options]:
    """Name and payload as they are stored, and what holds for the job, which has been checked."""
    if isinstance(kind, Kind):
        # As this program declares it: the database may not have heard of the kind yet.
        asked = kind.options if options is NO_OPTIONS else options.over(kind.options).checked()
        return kind.name, kind.encode(payload), asked
    # A kind that this program does not know: kept for a worker that does.
    if not kind or len(kind) > KIND_LENGTH_MAX:
        raise JobInvalid(f"The kind is {kind!r}: it needs 1 to {KIND_LENGTH_MAX} characters.")
    return check_text("The kind", kind), payload_as_json(payload), options.checked()


def payload_as_json(payload: Mapping[str, Any]) -> str:
    try:
        text = as_json(dict(payload))
    except (TypeError, ValueError, RecursionError) as error:
        raise PayloadInvalid(f"The payload is not JSON: {error}.") from error
    if size := size_over(text, PAYLOAD_BYTES_MAX):
        raise PayloadInvalid(
            f"The payload has {size:,} bytes; at most {PAYLOAD_BYTES_MAX:,} are allowed.",
            hint="Store the data and pass its id.",
        )
    return text


def _due(due: datetime | None, delay: timedelta | None) -> datetime | None:
    if due is not None and delay is not None:
        raise JobInvalid("A job has a due time or a delay, not both.")
    if delay is not None and delay < timedelta(0):
        raise JobInvalid(f"The delay is {delay}, which is negative.", hint="Leave it out for now.")
    if delay is not None and delay > DELAY_MAX:
        raise JobInvalid(f"The delay is {delay}, which is longer than {DELAY_MAX.days} days.")
    return None if due is None else aware("due", due)


def _dues(due: datetime | Sequence[datetime] | None, count: int) -> list[datetime] | None:
    if due is None:
        return None
    if isinstance(due, datetime):
        return [aware("due", due)] * count
    if len(due) != count:
        raise JobInvalid(f"There are {count} jobs and {len(due)} due times.")
    return [aware("due", instant) for instant in due]
