"""What a program holds to stake, and to read about it."""

from collections.abc import Sequence
from uuid import UUID

from handfast.apps.stakes.matching.loop import Matchmaker
from handfast.apps.stakes.queue import changing, leaving, staking
from handfast.apps.stakes.queue.staking import Staked, StakeOutcome, StakeRequest
from handfast.apps.stakes.queue.standing import QueueStanding, queue_lines, standing_of
from handfast.apps.stakes.queue.tickets import TICKETS
from handfast.apps.stakes.rules.why import StakeLine
from handfast.apps.stakes.sessions import disputes, games, results
from handfast.apps.stakes.sessions.results import Reported
from handfast.apps.stakes.terms import StakeTerms
from handfast.apps.stakes.values import Dispute, GameSession, NewMove, StoredMove, Ticket
from handfast.base.errors import HandfastError
from handfast.db.pool import Database
from handfast.services.ledger.posting.alone import by_itself
from handfast.services.ledger.posting.gate import Gate


class Stakes:
    """Each command in a transaction of its own. Stakes go through a gate: those that come while
    others are on their way go together."""

    def __init__(self, database: Database, terms: StakeTerms | None = None) -> None:
        self._database = database
        self.terms = terms or StakeTerms()
        self._gate: Gate[StakeRequest, StakeOutcome] = Gate(
            self._stake, keys=_players, alone=_players
        )

    async def stake(self, player: UUID, amount: int) -> Staked:
        """Into the queue. Raises ``TicketOpen``, ``InsufficientFunds``, ``StakeNotOffered``."""
        self.terms.check(amount)
        outcome = await self._gate.ask(StakeRequest(player, amount))
        if isinstance(outcome, HandfastError):
            raise outcome
        return outcome

    async def cancel(self, ticket: int) -> Ticket:
        async with self._database.transaction() as tx:
            return await leaving.cancel(tx, ticket, self.terms)

    async def change(self, ticket: int, amount: int) -> Ticket:
        async with self._database.transaction() as tx:
            return await changing.change_stake(tx, ticket, amount, self.terms)

    async def standing(self, player: UUID) -> QueueStanding | None:
        async with self._database.connection() as connection:
            return await standing_of(connection, player, self.terms)

    async def lines(self) -> list[StakeLine]:
        """How many wait at which stakes."""
        async with self._database.connection() as connection:
            return await queue_lines(connection)

    async def session(self, session: int) -> GameSession:
        async with self._database.connection() as connection:
            return await games.get_session(connection, session)

    async def move(
        self, session: int, player: UUID, number: int, move_type: str, **payload: object
    ) -> StoredMove:
        async with self._database.transaction() as tx:
            move = NewMove(number, move_type, payload)
            return await games.make_move(tx, session, player, move)

    async def report(self, session: int, winner: UUID | None) -> Reported:
        """Who won; None is a draw."""
        async with self._database.transaction() as tx:
            return await results.report_result(tx, session, winner)

    async def dispute(self, session: int, player: UUID, reason: str) -> Dispute:
        async with self._database.transaction() as tx:
            return await disputes.dispute_session(tx, session, player, reason)

    async def resolve(self, dispute: int, winner: UUID | None) -> Dispute:
        async with self._database.transaction() as tx:
            return await disputes.resolve_dispute(tx, dispute, winner)

    async def round(self) -> int:
        """Pair who waits and end what is due, now: what the workers of the lane do by
        themselves."""
        return await Matchmaker(self._database, self.terms, "by hand").round()

    async def close(self) -> None:
        await self._gate.close()

    async def _stake(self, requests: Sequence[StakeRequest]) -> list[StakeOutcome]:
        outcomes = await by_itself(
            self._database, lambda on: staking.stake_many(on, requests, self.terms)
        )
        made = [one.ticket_id for one in outcomes if isinstance(one, Staked)]
        self._database.tell_here(TICKETS, made)
        return outcomes


def _players(request: StakeRequest) -> tuple[UUID, ...]:
    return (request.player,)
