"""One hub for a process looks for new events, on behalf of any number of streams.

A look is one statement, however many watch, and there are at most two a second in the long run.
When there are no events the hub marks itself asleep (``engine/sleeper.py``), and whoever emits then
wakes it: an event now and then is one look, at once. When they keep coming it looks in its rhythm
and nobody has to tell it.

Others in the process whose watchers wait for something that is no event, such as the steps of a
match run, look along in the same rhythm: see ``Looker``.
"""

import asyncio
import contextlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import datetime
from typing import Protocol
from uuid import UUID

import msgspec

from handfast.base import supervise
from handfast.base.logs import get_logger
from handfast.db.listen import Listener
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.engine.event_envelope import StoredEvent
from handfast.engine.jobs.faults import PASSING, put_off
from handfast.engine.sleeper import Sleeper
from handfast.engine.streams import metrics, operator_streams
from handfast.engine.streams.allowance import Allowance
from handfast.engine.streams.errors import TooManyStreams
from handfast.engine.streams.operator_streams import EventPlace, Holding, OperatorStream
from handfast.engine.streams.stream import PAGE, UNREAD_SECONDS_MAX, Dropped, EventStream
from handfast.engine.streams.user_streams import UserStream

LOOKS_PER_SECOND = 2.0
LOOKS_AT_ONCE = 3  # mark, look, and one event that comes right after
SOON_SECONDS = 0.5
IN_A_ROW_SECONDS = 0.9  # finds with less between them are in a row: the rhythm, and what it lasts
BUSY_FINDS = 3  # in a row: until then it stays asleep, since to say the other costs two looks
CALM_SECONDS = 5.0  # between looks when nothing comes and notifications are known to arrive
AWAY_SECONDS = 1.0
USER_STREAMS_MAX = 5  # of one user in one process: one for each device or tab

log = get_logger(__name__)


class _Found(msgspec.Struct, frozen=True):
    stream: int
    number: int | None
    xid: int | None
    ordinal: int | None
    id: str | None
    at: datetime | None
    type: str | None
    aggregate: str | None
    sequence: int | None
    data: str | None

    @property
    def event(self) -> StoredEvent | None:
        if (
            self.id is None
            or self.at is None
            or self.type is None
            or self.aggregate is None
            or self.sequence is None
            or self.data is None
        ):
            return None
        return StoredEvent(self.id, self.at, self.type, self.aggregate, self.sequence, self.data)


_LOOK = statement("engine.look_for_events", row=_Found)


class Looker(Protocol):
    """Who looks along with the hub, in a statement of its own, while it wants to."""

    @property
    def wanted(self) -> bool: ...

    async def look(self, on: Queryable) -> bool:
        """Answers whether something has changed."""
        ...


class Hub:
    """Without a ``listener`` it looks every ``poll`` seconds and is never told."""

    def __init__(
        self,
        database: Database,
        listener: Listener | None,
        *,
        poll: float = 1.0,
        patience: float = UNREAD_SECONDS_MAX,
    ) -> None:
        self._database = database
        self._listener = listener
        self._poll = poll
        self._patience = patience
        self._operators: set[OperatorStream] = set()
        self._users: set[UserStream] = set()
        self._of_user: Counter[UUID] = Counter()
        self._lookers: list[Looker] = []
        self._holding = Holding()
        self._sleeper = Sleeper("events")
        self._allowance = Allowance(LOOKS_PER_SECOND, LOOKS_AT_ONCE)
        self._told = asyncio.Event()
        self._finds = 0  # looks in a row that have found something
        self._found_at = 0.0
        self._behind = False  # somebody has a full page, and there may be more
        self._wait = SOON_SECONDS
        self._task: asyncio.Task[None] | None = None

    # --- opening ------------------------------------------------------------------------------

    async def stream_of_operators(self, *, after: str | None = None) -> OperatorStream:
        """All events after the one with the id ``after``; without it, those from now on."""
        async with self._database.connection() as connection:
            stream = await operator_streams.begin(connection, self._leave, after)
        self._operators.add(stream)
        metrics.STREAMS.labels("operators").inc()
        self.wake()
        return stream

    async def stream_of_user(self, user_id: UUID, *, after: str | None = None) -> UserStream:
        """What concerns a user: events after the number ``after``; without it, those from now on.
        Returns when the hub has looked where that is."""
        if self._of_user[user_id] >= USER_STREAMS_MAX:
            raise TooManyStreams(
                f"There are {USER_STREAMS_MAX} streams open for this user.",
                hint="Close one that is not needed any more.",
            )
        stream = UserStream(self._leave, user_id, after)
        opened = stream.opened
        assert opened is not None  # noqa: S101  # until the first look
        self._of_user[user_id] += 1
        self._users.add(stream)
        metrics.STREAMS.labels("users").inc()
        self.wake()
        try:
            await opened
        except BaseException:
            stream.close()
            raise
        return stream

    def look_along(self, looker: Looker) -> None:
        """For as long as the process lives; ``wake`` when it begins to want something."""
        self._lookers.append(looker)

    def wake(self) -> None:
        """Look now, as after a notification."""
        self._told.set()
        if self._task is None or self._task.done():
            self._task = supervise.start("hub", self._run)

    async def close(self) -> None:
        """Every stream ends."""
        for stream in [*self._operators, *self._users]:
            stream.close()
        if self._task is not None:
            await supervise.cancel([self._task])
        await self._rest()

    def _leave(self, stream: EventStream) -> None:
        if isinstance(stream, UserStream) and stream in self._users:
            self._users.discard(stream)
            metrics.STREAMS.labels("users").dec()
            self._of_user[stream.user_id] -= 1
            if not self._of_user[stream.user_id]:
                del self._of_user[stream.user_id]
        elif isinstance(stream, OperatorStream) and stream in self._operators:
            self._operators.discard(stream)
            metrics.STREAMS.labels("operators").dec()

    # --- the loop -----------------------------------------------------------------------------

    @property
    def _wanted(self) -> bool:
        return bool(self._operators or self._users or any(one.wanted for one in self._lookers))

    async def _run(self) -> None:
        unsubscribe = self._subscribe()
        try:
            while self._wanted:
                await self._look_while_wanted()
                await self._rest()
        finally:
            unsubscribe()

    def _subscribe(self) -> Callable[[], None]:
        if self._listener is None:
            return lambda: None
        return self._listener.subscribe(self._sleeper.channel, lambda _: self._told.set())

    async def _look_while_wanted(self) -> None:
        while self._wanted:
            self._told.clear()
            try:
                await self._look()
            except PASSING as away:
                put_off(log, "hub_failed", away)
                self._refuse_opening(away)
                await asyncio.sleep(AWAY_SECONDS)
                continue
            self._drop_neglected()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._wait):
                    await self._told.wait()

    async def _rest(self) -> None:
        """Nobody watches: nobody need tell us."""
        if self._sleeper.asleep:
            with contextlib.suppress(*PASSING):
                async with self._database.connection() as connection:
                    await self._sleeper.leave(connection)

    async def _look(self) -> None:
        await self._say_whether_asleep()
        found = False
        if self._operators or self._users:
            await self._allowance.take()
            async with self._database.connection() as connection:
                found = await self._look_for_events(connection)
        for looker in self._lookers:
            if looker.wanted:
                await self._allowance.take()
                async with self._database.connection() as connection:
                    found = await looker.look(connection) or found
        self._pace(found=found)

    @property
    def _awake(self) -> bool:
        """It finds something with every look, and has said so."""
        return self._finds > 0 and not self._sleeper.asleep

    async def _say_whether_asleep(self) -> None:
        """Before the look, which is the one more that whoever falls asleep has to take."""
        if self._finds > BUSY_FINDS and self._sleeper.asleep:
            say = self._sleeper.mark_awake
        elif self._listener is not None and self._sleeper.stale and not self._awake:
            say = self._sleeper.mark_asleep
        else:
            return
        await self._allowance.take()
        async with self._database.connection() as connection:
            await say(connection)

    def _pace(self, *, found: bool) -> None:
        hears = self._listener is not None and self._listener.hears
        if found:
            now = time.monotonic()
            in_a_row = now - self._found_at < IN_A_ROW_SECONDS
            self._finds = self._finds + 1 if in_a_row else 1
            self._found_at = now
        else:
            self._finds = 0
        if not (hears and self._sleeper.asleep) and (found or hears):
            self._wait = SOON_SECONDS  # nobody tells us of the next one
            return
        # Asleep, it is told: to look again would use up what the next event needs to be heard at
        # once. The looks that go on are for what was written before the mark.
        most = CALM_SECONDS if hears else self._poll
        if self._behind or self._holding.held or any(one.wanted for one in self._lookers):
            most = SOON_SECONDS
        self._wait = min(self._wait * 2, most)

    def _drop_neglected(self) -> None:
        for stream in [*self._operators, *self._users]:
            if stream.neglected(self._patience):
                stream.drop(Dropped.UNASKED)

    def _refuse_opening(self, why: BaseException) -> None:
        """The database is away: who opens a stream is told now, and may come again."""
        for stream in [one for one in self._users if one.opened is not None]:
            if stream.opened is not None and not stream.opened.done():
                stream.opened.set_exception(why)

    # --- a look -------------------------------------------------------------------------------

    async def _look_for_events(self, on: Queryable) -> bool:
        """Answers whether there were any. What has no room waits in the database."""
        operators: defaultdict[EventPlace, list[OperatorStream]] = defaultdict(list)
        for stream in self._operators:
            if stream.has_room:
                operators[stream.place].append(stream)
        users = [stream for stream in self._users if stream.has_room]
        found = await _LOOK.all(
            on,
            [place.xid for place in operators],
            [place.ordinal for place in operators],
            [stream.user_id for stream in users],
            [stream.number for stream in users],
            [stream.opened is not None for stream in users],
            PAGE,
        )
        for_operators = [row for row in found if row.xid is not None]
        self._tell_operators(list(operators.values()), for_operators)
        self._tell_users(users, [row for row in found if row.xid is None])
        looked_for = [*users, *(stream for group in operators.values() for stream in group)]
        self._behind = any(not stream.has_room for stream in looked_for)
        return any(row.id is not None for row in found)

    def _tell_operators(self, groups: list[list[OperatorStream]], rows: list[_Found]) -> None:
        pages: defaultdict[int, list[tuple[EventPlace, StoredEvent]]] = defaultdict(list)
        for row in rows:
            if row.xid is None or row.ordinal is None:
                continue
            if (event := row.event) is not None:
                pages[row.stream].append((EventPlace(row.xid, row.ordinal), event))
            else:
                streams = [stream for group in groups for stream in group]
                self._holding.looked(row.xid, waits=row.number == 1, streams=streams)
        for place, group in enumerate(groups, start=1):
            for stream in group:
                if not stream.ended:
                    stream.hand_on(pages[place])

    def _tell_users(self, users: list[UserStream], rows: list[_Found]) -> None:
        last: dict[int, int] = {}
        pages: defaultdict[int, list[tuple[int, StoredEvent]]] = defaultdict(list)
        for row in rows:
            if row.number is None:
                continue
            if (event := row.event) is not None:
                pages[row.stream].append((row.number, event))
            else:
                last[row.stream] = row.number
        for place, stream in enumerate(users, start=1):
            if stream.ended:
                continue
            if place in last:
                stream.begin(last[place], pages[place])
            elif place in pages:
                stream.hand_on(pages[place])
