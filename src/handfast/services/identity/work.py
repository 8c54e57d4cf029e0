"""Who sends codes, and what is done for identity now and then.

identity.send_code   a job: one message of one request; its payload has no number and no code
identity.keys        a new signing key when the newest is 90 days old; old halves go
identity.reinstate   suspensions whose time is up: others hear of it
identity.erase       accounts that were deleted 30 days ago
identity.prune       codes an hour after they expired, sign-ins a month after they ended
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from types import NoneType
from uuid import UUID

from handfast.db.errors import DatabaseUnreachable
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.crew import Crew, WorkerOptions
from handfast.engine.jobs.kinds import Kinds
from handfast.engine.maintenance.chores import BATCH_PAUSE_SECONDS, Chore
from handfast.engine.system import System, Wanted
from handfast.services.identity.authority import TokenAuthority
from handfast.services.identity.deletion import deletions_due, erase_if_due, warn_of_lost_bans
from handfast.services.identity.otp.sending import LANE, send_kind
from handfast.services.identity.otp.sms import sender_of
from handfast.services.identity.suspension import reinstate_if_over, suspensions_over
from handfast.services.identity.tokens.signing_keys import ROTATE_EVERY, add_key, forget_keys

CONCURRENCY = 50  # messages at once: each waits for somebody's gateway
BATCH = 100  # accounts of one walk, each in a transaction of its own
ROWS = 5000  # that one statement removes
CODES_KEPT = timedelta(hours=1)
SIGN_INS_KEPT = timedelta(days=30)

Due = Callable[[Queryable], Awaitable[Sequence[UUID]]]
Do = Callable[..., Awaitable[None]]

_PRUNE_CODES = statement("identity.prune_otp_requests", row=NoneType)
_PRUNE_SIGN_INS = statement("identity.prune_sign_ins", row=NoneType)


@asynccontextmanager
async def open_work(system: System, wanted: Wanted) -> AsyncIterator[list[Crew]]:
    if not wanted.wants(LANE):
        yield []
        return
    crew = identity_crew(system)
    async with system.database.connection() as connection:
        await warn_of_lost_bans(connection, system.settings)
    yield [crew]


def identity_crew(system: System) -> Crew:
    authority = TokenAuthority(system.settings)
    kinds = Kinds()
    sender = sender_of(authority.settings.sms_sender)
    kinds.add(send_kind(system.database, authority, sender))
    options = WorkerOptions(lanes=(LANE,), concurrency=CONCURRENCY)
    return Crew(kinds, options, chores=chores_of(system, authority))


def chores_of(system: System, authority: TokenAuthority) -> list[Chore]:
    keeper = Housekeeper(system, authority)
    hour, minute = timedelta(hours=1), timedelta(minutes=1)
    return [
        Chore("identity.keys", keeper.rotate_keys, hour, at_start=hour),
        Chore("identity.reinstate", keeper.reinstate_due, minute),
        Chore("identity.erase", keeper.erase_due, hour),
        Chore("identity.prune", keeper.prune, 10 * minute),
    ]


class Housekeeper:
    def __init__(self, system: System, authority: TokenAuthority) -> None:
        self._database = system.database
        self._hooks = system.hooks
        self._authority = authority

    async def rotate_keys(self) -> None:
        """The first of all is made here too, so that it is published before anybody signs in."""
        async with self._database.transaction() as tx:
            await self._authority.keys.current(tx)
            await add_key(tx, self._authority.secret, max_age=ROTATE_EVERY)
            await forget_keys(tx)

    async def reinstate_due(self) -> float | None:
        return await self._each(partial(suspensions_over, limit=BATCH), self._reinstate)

    async def erase_due(self) -> float | None:
        return await self._each(partial(deletions_due, limit=BATCH), self._erase)

    async def prune(self) -> float | None:
        async with self._database.connection() as connection:
            codes = await _PRUNE_CODES.count(connection, CODES_KEPT, ROWS)
            sign_ins = await _PRUNE_SIGN_INS.count(connection, SIGN_INS_KEPT, ROWS)
        return BATCH_PAUSE_SECONDS if ROWS in (codes, sign_ins) else None

    async def _each(self, due: Due, do: Do) -> float | None:
        """Each account in a transaction of its own. One that fails stops none of the others; the
        chore has failed all the same, and says why."""
        async with self._database.connection() as connection:
            users = await due(connection)
        failed: list[Exception] = []
        for user_id in users:
            try:
                await self._database.run_in_transaction(partial(do, user_id=user_id))
            except DatabaseUnreachable:
                raise
            except Exception as fault:  # a hook of anybody's
                failed.append(fault)
        if failed:
            raise failed[0]
        return BATCH_PAUSE_SECONDS if len(users) == BATCH else None

    async def _reinstate(self, tx: Transaction, user_id: UUID) -> None:
        await reinstate_if_over(tx, self._hooks, user_id)

    async def _erase(self, tx: Transaction, user_id: UUID) -> None:
        await erase_if_due(tx, self._hooks, self._authority.secret, user_id)
