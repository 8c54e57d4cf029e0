"""The store in PostgreSQL: the truth, with an optional cache in front.

Which of several claimants may go ahead is decided by ``handfast_idempotency.claim`` in the
database, and
that a lost claim changes nothing by the token in the UPDATE. Nothing here decides either.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime, timedelta
from types import NoneType
from typing import Self

import asyncpg

from handfast.base.logs import get_logger
from handfast.db.connect import Target
from handfast.db.dedicated_connection import DedicatedConnection
from handfast.db.errors import DatabaseUnreachable
from handfast.db.migrations.errors import MigrationsPending
from handfast.db.open_transaction import OpenTransaction
from handfast.db.pool import BROKEN, Database, Isolation
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction
from handfast.services.idempotency.answers import KeptAnswer, pack, unpack
from handfast.services.idempotency.fingerprint import scope_of
from handfast.services.idempotency.stores.background import Background
from handfast.services.idempotency.stores.claims import (
    CLAIM_MANY,
    CLOSE_SECONDS_MAX,
    ClaimRow,
    claims_batcher,
)
from handfast.services.idempotency.stores.encryption import Encryption
from handfast.services.idempotency.stores.record_with_commit import (
    CLAIM_LOST,
    RECORD,
    RECORD_WITH_COMMIT_BYTES_MAX,
    record_sql,
)
from handfast.services.idempotency.stores.redis_cache import RedisCache
from handfast.services.idempotency.stores.retention import prune
from handfast.services.idempotency.stores.server_process import ServerProcess
from handfast.services.idempotency.stores.store import (
    Call,
    ClaimAnswer,
    ClaimOutcome,
    Released,
)

# Of a server: it is renewed at a third of it. With the next look of a waiter it is how soon the
# requests of a dead one are taken over: within 6 s.
LEASE = timedelta(seconds=4.5)
PRUNE_SECONDS = 3600.0  # each process now and then, jittered; what another one holds is skipped
_NOT_MIGRATED = (
    asyncpg.InvalidSchemaNameError,
    asyncpg.UndefinedTableError,
    asyncpg.UndefinedFunctionError,
)

log = get_logger(__name__)


_RECORD = statement("idempotency.record", row=bool)
_RELEASE = statement("idempotency.release", row=str)
_HAS_TAG = statement("idempotency.has_tag", row=bool)
_FORGET = statement("idempotency.forget", row=NoneType)
_CACHE_SECRET = statement("idempotency.cache_secret", row=bytes)


class PostgresStore:
    """``database`` is a pool of yours, or an address, from which one is opened at first use; then
    ``transaction_pooling`` says that there is a pooler such as PgBouncer in transaction mode.

    The schema must be there: ``handfast migrate``, or ``migrate(database)`` of
    ``handfast.db.migrations.migrate``.
    """

    def __init__(
        self,
        database: Database | str,
        *,
        seal: Encryption | None = None,
        cache: RedisCache | None = None,
        lease: timedelta = LEASE,
        pool_size: int = 10,
        transaction_pooling: bool = False,
    ) -> None:
        self.lease = lease
        self._server = ServerProcess(lease)
        self.can_seal = seal is not None
        self._database = database if isinstance(database, Database) else None
        self._address = database if isinstance(database, str) else ""
        self._pool_size = pool_size
        self._transaction_pooling = transaction_pooling
        self._opening = asyncio.Lock()
        self._seal = seal
        self._cache = cache
        self._claiming: DedicatedConnection | None = None
        self._prune_at: float | None = None
        self._secret: bytes | None = None
        self._background = Background()
        self._claims = claims_batcher(self._claim_many, self._unclaim)

    async def database(self) -> Database:
        if self._database is None:
            async with self._opening:
                if self._database is None:
                    target = Target(self._address, transaction_pooling=self._transaction_pooling)
                    self._database = await Database.open(target, pool_size=self._pool_size)
        return self._database

    async def _beside_the_pool(self) -> DedicatedConnection:
        """Handlers may hold every connection of the pool, for long. Meanwhile whoever asks again
        gets an answer."""
        database = await self.database()
        if self._claiming is None:
            self._claiming = database.dedicated()
        return self._claiming

    async def __aenter__(self) -> Self:
        await self.database()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close what this store opened; a pool that it was given stays open."""
        await self._background.close()
        await self._claims.close(CLOSE_SECONDS_MAX)
        if self._cache is not None:
            await self._cache.close()
        await self._server.close()
        claiming, self._claiming = self._claiming, None
        if claiming is not None:
            await claiming.close()
        if self._address and self._database is not None:
            await self._database.close()
            self._database = None

    async def begin(self, isolation: Isolation) -> OpenTransaction:
        return await OpenTransaction.begin(await self.database(), isolation, RECORD)

    @asynccontextmanager
    async def _reached(self) -> AsyncIterator[Queryable]:
        """A connection for one statement."""
        with _named():
            async with (await self.database()).connection() as connection:
                yield connection

    async def claim(self, call: Call) -> ClaimAnswer:
        if self._cache is not None and not call.encrypted:
            found = await self._cache.find(call, await self._cache_secret())
            if found is not None:
                return ClaimAnswer(ClaimOutcome.REPLAY, answer=found, source="redis")
        row = await self._claims.ask(call)
        if row.is_mine and row.token is not None:
            return ClaimAnswer(
                ClaimOutcome.EXECUTE, row.token, row.expires_at, None, row.taken_over
            )
        if row.outcome == ClaimOutcome.REPLAY and row.status is not None:
            answer = self._opened(call, row)
            if not row.encrypted and row.tag is None:
                self.publish(call, answer, row.expires_at)
            return ClaimAnswer(ClaimOutcome.REPLAY, answer=answer)
        return ClaimAnswer(ClaimOutcome(row.outcome))

    async def _claim_many(self, calls: Sequence[Call]) -> list[ClaimRow]:
        self._prune_now_and_then()
        try:
            return await self._claim_together(calls)
        except asyncpg.LockNotAvailableError:
            if len(calls) == 1:  # whoever has it locked is about to answer, or to give it back
                return [ClaimRow(ClaimOutcome.IN_FLIGHT)]
            return await self._claim_each(calls)

    async def _claim_each(self, calls: Sequence[Call]) -> list[ClaimRow]:
        rows: list[ClaimRow] = []
        try:
            for call in calls:
                rows += await self._claim_many([call])
        except BaseException:  # then nobody is told of those that are claimed already
            for call, row in zip(calls, rows, strict=False):
                if row.is_mine and row.token is not None:
                    self._unclaim(call, row.token)
            raise
        return rows

    async def _claim_together(self, calls: Sequence[Call]) -> list[ClaimRow]:
        line, target = await self._beside_the_pool(), (await self.database()).target
        try:
            with _named():
                async with line.held() as connection:
                    server = self._server.id
                    lease, asked_at = self._server.due(server), time.monotonic()
                    rows = await CLAIM_MANY.all(
                        connection,
                        [call.scope for call in calls],
                        [call.key for call in calls],
                        [call.fingerprint for call in calls],
                        [call.ttl for call in calls],
                        server,
                        lease,
                    )
        except asyncpg.LockNotAvailableError:  # and nothing is claimed
            raise
        except BaseException:  # perhaps something is, and nobody was told
            self._server.retire()
            raise
        mine = [call for call, row in zip(calls, rows, strict=True) if row.is_mine]
        self._server.hold(server, mine, asked_at if lease else 0.0, target)
        return rows

    def _unclaim(self, call: Call, token: int) -> None:
        """Whoever asked for this claim has gone away meanwhile."""

        async def release() -> None:
            await self.release(call, token, begun=False)

        if not self._background.start(release()):
            self._server.drop(call)
            self._server.retire()

    async def record(self, call: Call, token: int, answer: KeptAnswer) -> bool:
        async with self._reached() as connection:
            found = await _RECORD.maybe(
                connection, call.scope, call.key, token, *self._packed(call, answer), answer.tag
            )
        self._server.drop(call)
        return found is not None

    async def commit(self, call: Call, token: int, answer: KeptAnswer, tx: OpenTransaction) -> bool:
        status, packed, sealed = self._packed(call, answer)
        is_short = packed is None or len(packed) <= RECORD_WITH_COMMIT_BYTES_MAX
        if is_short and answer.tag is None:
            last_word = record_sql(
                call, token, status, packed, sealed=sealed, is_prepared=tx.is_prepared
            )
        else:  # a long text is dearer than a round trip, and tags are too few to be worth a place
            last_word = ""
            if not await self.record_in(tx, call, token, answer):
                await tx.rollback()
                return False
        try:
            await tx.commit(last_word)
        except asyncpg.PostgresError as error:
            if error.sqlstate == CLAIM_LOST:
                return False
            raise
        self._server.drop(call)
        return True

    async def record_in(self, tx: Transaction, call: Call, token: int, answer: KeptAnswer) -> bool:
        """Keep the answer in a transaction that somebody else ends; False if the claim is lost."""
        with _named():
            found = await _RECORD.maybe(
                tx, call.scope, call.key, token, *self._packed(call, answer), answer.tag
            )
        return found is not None

    def _packed(self, call: Call, answer: KeptAnswer) -> tuple[int, bytes | None, bool]:
        """The answer as it is stored: status, headers and body, and whether they are sealed."""
        packed = pack(answer)
        if packed is None or self._seal is None or not call.encrypted:
            return answer.status, packed, False
        return answer.status, self._seal.close(packed, call.name), True

    async def has_tag(self, call: Call, tag: str) -> bool:
        """Beside the pool, as claims are: replays do not wait for handlers."""
        with _named():
            async with (await self._beside_the_pool()).held() as connection:
                return await _HAS_TAG.one(connection, call.scope, call.key, tag)

    async def release(self, call: Call, token: int, *, begun: bool) -> Released:
        try:
            async with self._reached() as connection:
                return Released(await _RELEASE.one(connection, call.scope, call.key, token, begun))
        except BaseException:  # it ends with the name that it was claimed under
            self._server.retire()
            raise
        finally:
            self._server.drop(call)

    async def forget(self, principal: str, tx: Transaction | None = None) -> None:
        """Drop what this principal was answered, as after a logout. What Redis still holds is
        not found again for encrypted routes, because those are never in it."""
        if tx is not None:
            await _FORGET.run(tx, scope_of(principal))
            return
        async with self._reached() as connection:
            await _FORGET.run(connection, scope_of(principal))

    def publish(self, call: Call, answer: KeptAnswer | None, expires_at: datetime | None) -> None:
        if self._cache is not None:
            secret = call.encrypted or (answer is not None and answer.tag is not None)
            kept = None if secret else answer
            self._background.start(self._tell(self._cache, call, kept, expires_at))

    async def news(self, call: Call, seconds: float) -> None:
        if self._cache is None:
            await asyncio.sleep(seconds)
        else:
            await self._cache.news(call, seconds)

    async def _tell(
        self,
        cache: RedisCache,
        call: Call,
        answer: KeptAnswer | None,
        expires_at: datetime | None,
    ) -> None:
        await cache.tell(call, answer, expires_at, await self._cache_secret())

    async def _cache_secret(self) -> bytes:
        """From the database, once: every process that shares it can read what the others wrote."""
        if self._secret is None:
            async with self._reached() as connection:
                self._secret = await _CACHE_SECRET.one(connection)
        return self._secret

    def _opened(self, call: Call, row: ClaimRow) -> KeptAnswer:
        packed, status = row.response, row.status or 0
        if row.encrypted and packed is not None:
            packed = self._seal.open(packed, call.name) if self._seal is not None else None
            if packed is None:
                log.error("idempotency_response_sealed", hint="none of the secrets opens it")
        return unpack(status, packed, row.tag)

    def _prune_now_and_then(self) -> None:
        now = asyncio.get_running_loop().time()
        if self._prune_at is None or now >= self._prune_at:
            first = self._prune_at is None
            self._prune_at = now + PRUNE_SECONDS * random.uniform(0.5, 1.5)  # noqa: S311
            if not first:
                self._background.start(self._prune())

    async def _prune(self) -> None:
        await prune(await self.database())


@contextmanager
def _named() -> Iterator[None]:
    """Our words for what can go wrong with a statement."""
    try:
        yield
    except BROKEN as broken:
        raise DatabaseUnreachable(f"The database connection broke: {broken}.") from broken
    except _NOT_MIGRATED as missing:
        raise MigrationsPending(
            f"The tables for idempotency keys are not there: {missing}.",
            hint="Run `handfast migrate` on this database.",
        ) from missing
