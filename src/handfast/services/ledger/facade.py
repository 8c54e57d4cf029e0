"""What a program holds to move money and to read about it."""

from collections.abc import Collection, Hashable, Sequence
from datetime import datetime

from handfast.base.errors import HandfastError
from handfast.db.pool import Database
from handfast.services.ledger.posting.alone import by_itself
from handfast.services.ledger.posting.commands import Outcome, transfer_many
from handfast.services.ledger.posting.gate import Gate
from handfast.services.ledger.reading import balances
from handfast.services.ledger.reading.balances import AccountStatement, TrialBalance
from handfast.services.ledger.rules import check_requests
from handfast.services.ledger.values import AccountName, Posted, TransferRequest


class Ledger:
    """Transfers go through a gate, each in a transaction of its own or together with others; what
    must commit with other work goes through ``posting.commands`` in the caller's. ``currency`` says
    which of the platform's accounts are asked about; a player's have their own."""

    def __init__(self, database: Database, currency: str = "EUR") -> None:
        self._database = database
        self._currency = currency
        self._gate: Gate[TransferRequest, Outcome] = Gate(
            self._post, keys=_contended, alone=_named_once
        )

    async def transfer(self, request: TransferRequest) -> Posted:
        """Carry out one business event, once, however often it is asked for."""
        check_requests([request])
        outcome = await self._gate.ask(request)
        if isinstance(outcome, HandfastError):
            raise outcome
        return outcome

    async def transfer_many(self, requests: Sequence[TransferRequest]) -> list[Outcome]:
        """In one transaction, in order; what is refused leaves the others alone."""
        check_requests(requests)
        return await self._post(requests)

    async def balance(self, account: AccountName, *, at: datetime | None = None) -> int:
        """In minor units, now or at a past instant; nothing for who has no account."""
        async with self._database.connection() as connection:
            return await balances.balance(connection, account, at=at, currency=self._currency)

    async def statement(
        self, account: AccountName, *, after: str | None = None, limit: int = 100
    ) -> AccountStatement:
        async with self._database.connection() as connection:
            return await balances.statement_of(
                connection, account, after=after, limit=limit, currency=self._currency
            )

    async def trial_balance(self) -> TrialBalance:
        async with self._database.connection() as connection:
            return await balances.trial_balance(connection)

    async def close(self) -> None:
        await self._gate.close()

    async def _post(self, requests: Sequence[TransferRequest]) -> list[Outcome]:
        return await by_itself(self._database, lambda on: transfer_many(on, requests))


def _contended(request: TransferRequest) -> Collection[Hashable]:
    """Players: wallet and credit of one are often wanted together. The platform's accounts are
    nobody's to wait for. Whose a hold is, only the database knows; a hold itself is contended."""
    return {*request.owners, *(("hold", take.hold) for take in request.resolves)}


def _named_once(request: TransferRequest) -> Collection[Hashable]:
    return {request.reference, *(("hold", take.hold) for take in request.resolves)}
