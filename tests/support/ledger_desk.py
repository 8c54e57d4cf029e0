"""A ledger in a test's database, and what its invariants are."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from handfast.base.errors import HandfastError
from handfast.db.pool import Database
from handfast.services.ledger import rules
from handfast.services.ledger.posting.commands import Outcome, transfer, transfer_many
from handfast.services.ledger.posting.holds import Hold, get_hold
from handfast.services.ledger.reading import balances
from handfast.services.ledger.reading.checking import check_ledger
from handfast.services.ledger.sealing.seals import Seal, seal_next
from handfast.services.ledger.values import AccountName, Back, HoldTerms, Posted, TransferRequest
from tests.support.eventually import eventually_async

LATER = datetime(2040, 1, 1, tzinfo=UTC)


class LedgerDesk:
    """Commands, each in a transaction of its own, with references that nobody else has."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._numbers = count(1)

    def name(self, what: str = "t") -> str:
        return f"{what}-{next(self._numbers)}"

    async def transfer(self, request: TransferRequest) -> Posted:
        async with self.database.transaction() as tx:
            return await transfer(tx, request)

    async def many(self, *requests: TransferRequest) -> list[Outcome]:
        async with self.database.transaction() as tx:
            return await transfer_many(tx, requests)

    async def verdicts(self, *requests: TransferRequest) -> list[str]:
        """``posted``, ``repeated`` or the code of the error, for each."""
        return [said(one) for one in await self.many(*requests)]

    async def deposit(self, owner: str, amount: int, *, currency: str = "EUR") -> Posted:
        return await self.transfer(rules.deposit(self.name(), owner, amount, currency))

    async def give_credit(self, owner: str, amount: int) -> None:
        """By the only way there is: a stake that comes back as credit."""
        await self.deposit(owner, amount)
        hold = await self.stake(owner, amount, 0)
        await self.transfer(rules.release(self.name(), [hold.id], "EUR", back=Back.CREDIT))

    async def stake(
        self,
        owner: str,
        amount: int,
        fee: int,
        *,
        expires_at: datetime | None = None,
        deadline: datetime = LATER,
    ) -> Hold:
        terms = HoldTerms(deadline, expires_at)
        posted = await self.transfer(
            rules.stake(self.name(), owner, amount, "EUR", terms, fee=fee, queue_id=7)
        )
        assert posted.hold_id is not None
        return await self.hold(posted.hold_id)

    async def hold(self, hold: int) -> Hold:
        async with self.database.connection() as connection:
            return await get_hold(connection, hold)

    async def balance(self, account: AccountName, at: datetime | None = None) -> int:
        async with self.database.connection() as connection:
            return await balances.balance(connection, account, at=at)

    async def seal(self, transfers: int = 1000) -> Seal | None:
        async with self.database.transaction() as tx:
            return await seal_next(tx, transfers=transfers)

    async def all_ended(self) -> None:
        """Nothing that is written may be preceded any more: transactions of other tests, on the
        same server, have ended."""

        async def ended() -> bool:
            found: bool = await self.fetch(
                "SELECT coalesce(max(t.xid) < pg_snapshot_xmin(pg_current_snapshot()), true)"
                " FROM handfast_ledger.transfers AS t WHERE t.epoch ="
                " (SELECT max(number) FROM handfast_ledger.epochs)"
            )
            return found

        await eventually_async(ended, within=120)

    async def seal_all(self, transfers: int = 1000) -> list[Seal]:
        await self.all_ended()
        made = []
        while (seal := await self.seal(transfers)) is not None:
            made.append(seal)
        return made

    async def fetch(self, sql: str, *args: Any) -> Any:
        async with self.database.connection() as connection:
            return await connection.fetchval(sql, *args)

    async def run(self, sql: str, *args: Any) -> None:
        async with self.database.connection() as connection:
            await connection.execute(sql, *args)

    async def unguarded(self, *statements: str) -> None:
        """As somebody who owns the tables and means harm: no trigger, and every right."""
        async with self.database.transaction() as tx:
            await tx.execute("SET LOCAL session_replication_role = replica")
            for one in statements:
                assert await tx.execute(one) not in ("UPDATE 0", "DELETE 0", "INSERT 0 0"), one

    async def assert_sound(self) -> None:
        report = await check_ledger(self.database)
        assert report.findings == []
        assert report.imbalance == 0
        assert await self.fetch("SELECT coalesce(sum(amount), 0) FROM handfast_ledger.entries") == 0


def said(outcome: Outcome) -> str:
    if isinstance(outcome, HandfastError):
        return outcome.code
    return "repeated" if outcome.repeated else "posted"


def soon(seconds: float = 60) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)
