"""One request that is being carried out: its transaction, and how it ends.

The handler asks for the transaction; the middleware ends it. So the business writes and the record
of the answer are in one commit, and it happens when the response is complete and nothing of it has
been sent.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import asyncpg
import msgspec

from handfast.base.errors import DatabaseError, HandfastError
from handfast.base.logs import get_logger
from handfast.base.problems import RETRY_AFTER_SECONDS
from handfast.db.errors import CommitUnknown, TransactionContention
from handfast.db.open_transaction import OpenTransaction
from handfast.db.pool import Isolation
from handfast.db.transaction import Transaction
from handfast.services.idempotency import metrics
from handfast.services.idempotency.answers import Fate, KeptAnswer, fate
from handfast.services.idempotency.errors import IdempotencyInProgress
from handfast.services.idempotency.stores.store import Call, ClaimAnswer, Released, Store
from handfast.services.idempotency.stores.tags import checked

EXECUTION = "handfast.idempotency"  # where in the ASGI scope the handler finds it

log = get_logger(__name__)


class Unkeyed:
    """A request without a key: its transactions are ordinary ones."""

    def __init__(self, store: Store) -> None:
        self.store = store


class Execution:
    """``ended`` is called once, when it is known which answer (or None) everybody gets."""

    def __init__(
        self,
        store: Store,
        call: Call,
        claimed: ClaimAnswer,
        ended: Callable[[KeptAnswer | None], None],
    ) -> None:
        self._store = store
        self._call = call
        self._token = claimed.token
        self._expires_at = claimed.expires_at
        self._ended = ended
        self._tx: OpenTransaction | None = None
        self.begun = False
        self.settled = False
        self.tag: str | None = None

    # --- for the handler ----------------------------------------------------------------------

    async def begin(self, isolation: Isolation) -> Transaction:
        """The request's transaction, begun when it is first asked for."""
        if self.settled:
            raise DatabaseError(
                "This request has been answered, and its transaction has ended with it.",
                hint="Write before the response; afterwards open a transaction of your own.",
            )
        if self._tx is None:
            self._tx = await self._store.begin(isolation)
        self.begun = True
        return self._tx

    async def undo(self) -> None:
        """Roll back what the handler wrote, if it wrote anything."""
        tx, self._tx = self._tx, None
        if tx is not None:
            try:
                await tx.rollback()
            except Exception as error:  # a broken connection has rolled back by itself
                log.warning("idempotency_rollback_failed", error=repr(error))

    # --- for the middleware -------------------------------------------------------------------

    def keeps(self, status: int) -> bool:
        """Whether the body may be stored. A refusal has no secrets in it."""
        return self._call.kept or not 200 <= status < 300

    async def settle(self, answer: KeptAnswer) -> bool:
        """End the claim as the answer demands; True if the answer is kept. When this raises,
        nothing of the handler's transaction has been stored, as far as anybody can know."""
        self.settled = True
        kept = False
        if self.tag is not None:
            answer = msgspec.structs.replace(answer, tag=self.tag)
        try:
            match fate(answer.status, begun=self.begun):
                case Fate.COMMIT if answer.body is not None or self.begun:
                    kept = await self._commit(answer)
                case Fate.REFUSED:
                    await self.undo()
                    kept = await self._record(answer)
                case _:
                    await self.undo()
                    await self._store.release(self._call, self._token, begun=self.begun)
        except BaseException:
            await asyncio.shield(asyncio.ensure_future(self._give_up()))
            raise
        self._end(answer if kept else None)
        return kept

    async def abandon(self) -> None:
        """There will be no answer. A second time, or after an answer, means nothing."""
        if not self.settled:
            self.settled = True
            await asyncio.shield(asyncio.ensure_future(self._give_up()))

    async def _commit(self, answer: KeptAnswer) -> bool:
        tx, self._tx = self._tx, None
        if tx is None:
            return await self._record(answer)
        try:
            if not await self._store.commit(self._call, self._token, answer, tx):
                raise _lost()
        except _CONTENTION as lost:
            raise _contention(lost) from lost
        except CommitUnknown:
            if not await self._was_committed():
                raise
        finally:
            await tx.rollback()  # of what was not committed
        return True

    async def _was_committed(self) -> bool:
        """The record was in the same commit: if it is there, everything is. If nobody can be asked,
        the outcome stays unknown: that the database is away would say that nothing was done."""
        try:
            released = await self._store.release(self._call, self._token, begun=True)
        except _UNASKED as error:
            log.warning("idempotency_commit_unknown", error=repr(error))
            return False
        return released is Released.DONE

    async def _record(self, answer: KeptAnswer) -> bool:
        """Keep an answer whose effects, if any, are not in the request's transaction. When the
        claim is lost the effects are there all the same, and the caller is told of them."""
        kept = await self._store.record(self._call, self._token, answer)
        if not kept:
            metrics.CLAIMS_LOST.inc()
            log.warning("idempotency_claim_lost", stored=False)
        return kept

    async def _give_up(self) -> None:
        await self.undo()
        try:
            await self._store.release(self._call, self._token, begun=self.begun)
        except _UNASKED as error:
            # Then it ends by itself, a while after this process stops answering for it.
            log.warning("idempotency_release_failed", error=repr(error))
        self._end(None)

    def _end(self, answer: KeptAnswer | None) -> None:
        self._ended(answer)
        self._store.publish(self._call, answer, self._expires_at)


_CONTENTION = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError)
_UNASKED = (HandfastError, asyncpg.PostgresError, OSError)  # the store did not answer


def _lost() -> IdempotencyInProgress:
    metrics.CLAIMS_LOST.inc()
    log.warning("idempotency_claim_lost", stored=True)
    return IdempotencyInProgress(
        "This request took so long that another process has taken it over; nothing that it wrote "
        "was stored.",
        hint="Send the same request with the same key again to get the answer.",
        retry_after=RETRY_AFTER_SECONDS,
    )


def _of(request: Any) -> Execution | Unkeyed:
    scope = getattr(request, "scope", request)
    found = scope.get(EXECUTION) if hasattr(scope, "get") else None
    if not isinstance(found, (Execution, Unkeyed)):  # a union is ten times slower
        raise DatabaseError(
            "This request did not come through the idempotency middleware.",
            hint="Add IdempotencyMiddleware around the application, and hand over the request or "
            "its ASGI scope.",
        )
    return found


def transaction(
    request: Any, isolation: Isolation = "read_committed"
) -> AbstractAsyncContextManager[Transaction]:
    """The request's transaction. ``request`` is the framework's object, or the ASGI scope.

    With a key, leaving the block commits nothing yet: the middleware commits what was written and
    the response together, when the response is complete; a 4xx or 5xx undoes the writes. An
    exception that leaves the block undoes them at once. Without a key the block is an ordinary
    transaction.
    """
    found = _of(request)
    if isinstance(found, Unkeyed):
        return _own(found, isolation)
    return _KeyedBlock(found, isolation)


class _KeyedBlock:
    """A block in the transaction of a request with a key. A class: a generator's is dearer."""

    __slots__ = ("_execution", "_isolation")

    def __init__(self, execution: Execution, isolation: Isolation) -> None:
        self._execution = execution
        self._isolation = isolation

    async def __aenter__(self) -> Transaction:
        return await self._execution.begin(self._isolation)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> None:
        if kind is not None and not self._execution.settled:
            await self._execution.undo()
        if isinstance(error, _CONTENTION):
            raise _contention(error) from error


@asynccontextmanager
async def _own(unkeyed: Unkeyed, isolation: Isolation) -> AsyncIterator[Transaction]:
    """An ordinary transaction, for a request without a key."""
    try:
        async with (await unkeyed.store.database()).transaction(isolation) as tx:
            yield tx
    except _CONTENTION as lost:
        raise _contention(lost) from lost


def _contention(lost: BaseException) -> TransactionContention:
    return TransactionContention(
        f"The request's transaction lost against another: {lost}.",
        hint="Nothing was stored. Send the same request again, with the same key if it has one.",
    )


def started(request: Any) -> None:
    """From here on a refusal (4xx) is an answer of the operation itself, and is kept. For handlers
    whose effects are not in the request's transaction."""
    found = _of(request)
    if isinstance(found, Execution):
        found.begun = True


def tag(request: Any, name: str) -> None:
    """The kept response of this request belongs to ``name``, such as ``sign-in:42``: whoever drops
    that (``drop_tag``) ends its replays. Name what the request's own transaction makes or has
    locked: then nobody can have dropped it before the response is there. Without a key it means
    nothing."""
    found, checked_name = _of(request), checked(name)
    if isinstance(found, Execution):
        found.tag = checked_name
