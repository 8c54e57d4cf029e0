"""A staked queue in a test's database, players with money, and what its invariants are."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid5

from handfast.apps.stakes.checking import check_stakes
from handfast.apps.stakes.facade import Stakes
from handfast.apps.stakes.matching.pairing import PairingRound, pair
from handfast.apps.stakes.queue.leaving import expire_tickets
from handfast.apps.stakes.queue.tickets import get_ticket, live_ticket
from handfast.apps.stakes.sessions.games import get_session
from handfast.apps.stakes.sessions.voiding import void_expired
from handfast.apps.stakes.terms import StakeTerms
from handfast.apps.stakes.values import GameSession, Ticket
from handfast.db.pool import Database
from handfast.services.ledger.values import credit, wallet
from tests.support.ledger_desk import LedgerDesk

NAMES = UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")


def player_id(name: str) -> UUID:
    """The same for the same name."""
    return uuid5(NAMES, name)


class StakesTable:
    """Commands, each in a transaction of its own; players are known by names."""

    def __init__(self, database: Database, **terms: Any) -> None:
        self.database = database
        self.ledger = LedgerDesk(database)
        self.terms = replace(StakeTerms(), **terms)
        self.stakes = Stakes(database, self.terms)

    async def rich(self, *names: str, amount: int = 100_000) -> None:
        for name in names:
            await self.ledger.deposit(str(player_id(name)), amount)

    async def stake(self, name: str, amount: int = 1000) -> int:
        return (await self.stakes.stake(player_id(name), amount)).ticket_id

    async def stake_all(self, names: Sequence[str], amount: int = 1000) -> list[int]:
        return [await self.stake(name, amount) for name in names]

    async def pair(self, *, pairs: int = 50) -> PairingRound:
        async with self.database.connection() as connection:
            return await pair(connection, "test", self.terms, pairs=pairs)

    async def paired(self, one: str, other: str, amount: int = 1000) -> GameSession:
        """A session between these two, who have money for it."""
        await self.rich(one, other)
        await self.stake_all([one, other], amount)
        assert (await self.pair()).pairs == 1
        return await self.session_of(one)

    async def session_of(self, name: str) -> GameSession:
        async with self.database.connection() as connection:
            ticket = await live_ticket(connection, player_id(name))
            assert ticket is not None
            assert ticket.session_id is not None
            return await get_session(connection, ticket.session_id)

    async def session(self, session: int) -> GameSession:
        return await self.stakes.session(session)

    async def ticket(self, ticket: int) -> Ticket:
        async with self.database.connection() as connection:
            return await get_ticket(connection, ticket)

    async def live(self, name: str) -> Ticket | None:
        async with self.database.connection() as connection:
            return await live_ticket(connection, player_id(name))

    async def expire(self) -> int:
        async with self.database.transaction() as tx:
            return await expire_tickets(tx, self.terms, {})

    async def void(self) -> int:
        async with self.database.transaction() as tx:
            return await void_expired(tx, self.terms, {})

    async def overdue(self, *tickets: int) -> None:
        """As if they had been made long ago."""
        await self.ledger.run(
            "UPDATE handfast_stakes.matchmaking_queue SET expires_at = now() - interval '1 second'"
            " WHERE id = ANY ($1)",
            list(tickets),
        )

    async def overdue_session(self, session: int) -> None:
        await self.ledger.run(
            "UPDATE handfast_stakes.game_sessions SET expires_at = now() - interval '1 second'"
            " WHERE id = $1",
            session,
        )

    async def money(self, name: str) -> tuple[int, int]:
        """Wallet and credit."""
        owner = str(player_id(name))
        return await self.ledger.balance(wallet(owner)), await self.ledger.balance(credit(owner))

    async def fetch(self, sql: str, *args: Any) -> Any:
        return await self.ledger.fetch(sql, *args)

    async def events(self, event: str) -> int:
        found: int = await self.fetch(
            "SELECT count(*) FROM handfast_engine.events WHERE type = $1", event
        )
        return found

    async def assert_sound(self) -> None:
        await self.ledger.assert_sound()
        async with self.database.connection() as connection:
            assert await check_stakes(connection) == []
