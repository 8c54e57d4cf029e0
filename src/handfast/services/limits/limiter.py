"""The entry: which store decides, and what is counted."""

import asyncio
from collections.abc import Sequence

from handfast.base.errors import HandfastError
from handfast.base.logs import get_logger
from handfast.db.errors import RedisAway
from handfast.db.pool import Database
from handfast.db.redis import GuardedRedis
from handfast.db.transaction import Transaction
from handfast.services.limits import metrics, postgres
from handfast.services.limits.limit import Ask, Limit, LimitDecision, LimitVerdict
from handfast.services.limits.redis import RedisLimits

log = get_logger(__name__)


class Limiter:
    """Rate limits on one database and, where there is one, its Redis.

    When the database cannot be reached the caller gets ``DatabaseUnreachable``: nobody is let
    through uncounted.
    """

    def __init__(self, database: Database, redis: GuardedRedis | None = None) -> None:
        self._database = database
        self._redis = None if redis is None else RedisLimits(redis)
        self._standing_in = False
        self._mending: asyncio.Task[None] | None = None

    async def take(self, limit: Limit, subject: str, cost: int = 1) -> LimitVerdict:
        """From one limit."""
        return (await self.take_all([Ask(limit, subject, cost)])).verdicts[0]

    async def take_all(self, asks: Sequence[Ask]) -> LimitDecision:
        """From all of them, or from none.

        Only when durable limits and others are asked together and both stores are at work, the
        others are asked first: a refusal by a durable one leaves them charged, never the reverse.
        """
        _check(asks)
        fast = [ask for ask in asks if not ask.limit.durable]
        answers = await self._from_redis(fast) if fast else []
        if answers is None:  # Redis is away, or there is none: one statement decides everything
            answers, fast = [], []
        rest = [ask for ask in asks if ask not in fast]
        if rest and all(verdict.admitted for verdict in answers):
            decided = await postgres.take(self._database, rest)
            metrics.count(decided, "postgres")
            answers = [*answers, *decided]
        by_ask = {verdict.ask: verdict for verdict in answers}
        return LimitDecision([by_ask[ask] for ask in asks if ask in by_ask])

    async def take_in(self, tx: Transaction, asks: Sequence[Ask]) -> LimitDecision:
        """From all of them, or from none, in the caller's transaction: for a command that counts
        itself, and gives back what it took if it fails after all. PostgreSQL decides, whatever
        kind of limits these are.

        Ask for all limits of a transaction in one call, and late: their rows stay locked until
        it ends, and rows of two calls have no common order.
        """
        _check(asks)
        if not asks:
            return LimitDecision([])
        decided, behind = await postgres.take_in(tx, asks)
        metrics.count(decided, "postgres")
        decision = LimitDecision(decided)
        if behind and not decision.admitted:
            self._mend(asks)
        return decision

    def _mend(self, asks: Sequence[Ask]) -> None:
        """The clock was set back, and the caller, being refused, will probably roll back. So a look
        beside it has the rows written that keep anybody from waiting longer than a period."""
        if self._mending is None or self._mending.done():  # else the next who is refused sees to it
            self._mending = asyncio.create_task(
                self._look([Ask(a.limit, a.subject, 0) for a in asks])
            )

    async def _look(self, asks: Sequence[Ask]) -> None:
        try:
            await postgres.take(self._database, asks)
        except HandfastError as error:
            log.warning("limits_not_mended", reason=error.detail)

    async def _from_redis(self, asks: list[Ask]) -> list[LimitVerdict] | None:
        if self._redis is None:
            return None
        try:
            answers = await self._redis.take(asks)
        except RedisAway as away:
            metrics.STAND_INS.inc(len(asks))
            if not self._standing_in:
                log.warning("limits_without_redis", reason=away.detail)
            self._standing_in = True
            return None
        if self._standing_in:
            log.info("limits_with_redis_again")
            self._standing_in = False
        metrics.count(answers, "redis")
        return answers


def _check(asks: Sequence[Ask]) -> None:
    if len({(ask.limit.name, ask.subject) for ask in asks}) < len(asks):
        raise ValueError("The same limit is asked twice for one subject; add up the costs.")
