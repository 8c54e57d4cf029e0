"""All commands of stakes against a model, with a clock that we move.

Hypothesis chooses what happens; after each step tickets, sessions and balances must be what a few
lines of Python say, pairs must be exactly those that first come, first paired makes, and what
always holds must hold: entries sum to zero, escrow is live stakes and pots, no player is in two
places, a hold is resolved at most once.

One of the machines pairs through a Redis that is killed, emptied, not told, and filled with what
somebody else might put there: the pairs must be the same.

`./run test tests/properties/test_stakes_machine.py --stakes-operations 100000 --random-seed new` is
the long form: the head of its report says the seed, and `-rP` how many operations each machine did.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, TypeVar, cast
from uuid import UUID

import asyncpg
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from handfast.apps.stakes.fast.lines import RedisLines
from handfast.apps.stakes.fast.mirror import Mirror, compare
from handfast.apps.stakes.fast.path import FastPath
from handfast.apps.stakes.matching.pairing import pair
from handfast.apps.stakes.queue.changing import change_stake
from handfast.apps.stakes.queue.leaving import cancel, expire_tickets
from handfast.apps.stakes.queue.staking import Staked, stake
from handfast.apps.stakes.sessions.disputes import dispute_session, resolve_dispute
from handfast.apps.stakes.sessions.games import make_move
from handfast.apps.stakes.sessions.results import report_result
from handfast.apps.stakes.sessions.voiding import void_expired
from handfast.apps.stakes.terms import StakeTerms
from handfast.apps.stakes.values import NewMove
from handfast.base.errors import HandfastError
from handfast.db.errors import RedisAway
from handfast.db.pool import Database
from handfast.db.redis import GuardedRedis
from handfast.db.transaction import Transaction, joined
from handfast.services.ledger import rules
from handfast.services.ledger.posting.commands import transfer
from tests.support.stakes_table import player_id
from tests.support.valkey import Valkey

T = TypeVar("T")

START = datetime(2026, 6, 1, 12, tzinfo=UTC)
NAMES = "abcdef"
PLAYERS = st.sampled_from(NAMES)
AMOUNTS = st.sampled_from([1000, 5000])
RUNS = count(1)
STEPS = 30
TERMS = StakeTerms(amounts=(1000, 5000), fee=100)


@dataclass
class TicketModel:
    id: int
    player: str
    amount: int
    from_credit: int
    line: int
    expires: datetime
    status: str = "queued"
    session: "SessionModel | None" = None

    @property
    def from_wallet(self) -> int:
        return self.amount - self.from_credit


@dataclass
class SessionModel:
    tickets: tuple[TicketModel, TicketModel]
    made: datetime
    id: int = 0
    status: str = "waiting"
    winner: str | None = None
    moves: int = 0
    dispute: int | None = None  # that is open
    reported: list[str | None] = field(default_factory=list)  # what disputes were opened for

    @property
    def live(self) -> bool:
        return self.status in ("waiting", "playing")

    @property
    def players(self) -> tuple[str, str]:
        return self.tickets[0].player, self.tickets[1].player

    @property
    def amount(self) -> int:
        return self.tickets[0].amount

    def share(self, winner: str | None) -> int:
        """What of the pot is the first one's."""
        if winner is None:
            return self.amount
        return 2 * self.amount if winner == self.players[0] else 0


class StakesMachine(RuleBasedStateMachine):
    dsn = ""
    terms = TERMS
    operations = 0  # of all runs

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.number = next(RUNS)
        self.numbers = count(1)
        self.lines = count(1)
        self.now = START
        self.steps = 0
        self.wallets: Counter[str] = Counter()
        self.credits: Counter[str] = Counter()
        self.revenue = 0
        self.tickets: list[TicketModel] = []
        self.sessions: list[SessionModel] = []
        self.passed: Counter[tuple[int, str]] = Counter()
        self.connection: asyncpg.Connection = self.wait(asyncpg.connect(self.dsn))
        self.revenue_before = self.platform("revenue")
        self.claims_before = self.passed_rows()
        self.set_clock()
        for player in "abcd":  # the others begin with nothing
            self.deposit(player, 12_000)

    def wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(coroutine)

    def ask(self, sql: str, *args: Any) -> Any:
        return self.wait(self.connection.fetchval(sql, *args))

    def do(self, command: Callable[[Transaction], Awaitable[T]]) -> T | str:
        """What it answers, or the code of the error with which everything is undone."""

        async def work() -> T | str:
            try:
                async with self.connection.transaction():
                    return await command(joined(self.connection))
            except HandfastError as refused:
                return refused.code

        return self.wait(work())

    def teardown(self) -> None:
        """The lines are left empty for the next run: nobody may remove rows."""
        type(self).operations += self.steps - 1  # what holds is first asked before anything is done
        for ticket in self.tickets:
            if ticket.status == "queued":
                self.do(lambda tx, t=ticket: cancel(tx, t.id, self.terms))  # type: ignore[misc]
        for session in self.sessions:
            if session.live:
                self.do(lambda tx, s=session: report_result(tx, s.id, None))  # type: ignore[misc]
        self.wait(self.connection.close())
        self.loop.close()

    def uuid(self, player: str) -> UUID:
        return player_id(f"{player}-{self.number}")

    def live(self, player: str) -> TicketModel | None:
        for ticket in self.tickets:
            if ticket.player == player and (
                ticket.status == "queued" or (ticket.session is not None and ticket.session.live)
            ):
                return ticket
        return None

    def queued(self, player: str) -> TicketModel | None:
        found = self.live(player)
        return found if found is not None and found.status == "queued" else None

    def session_of(self, player: str) -> SessionModel | None:
        """The newest."""
        return next((s for s in reversed(self.sessions) if player in s.players), None)

    def platform(self, kind: str) -> int:
        found: int | None = self.ask(
            "SELECT sum(e.amount)::bigint FROM handfast_ledger.accounts AS a"
            " JOIN handfast_ledger.entries AS e ON e.account_id = a.id WHERE a.kind::text = $1",
            kind,
        )
        return found or 0

    def passed_rows(self) -> int:
        found: int = self.ask(
            "SELECT count(*) FROM handfast_stakes.claims WHERE outcome = 'passed'"
        )
        return found

    def set_clock(self) -> None:
        self.ask("SELECT set_config('handfast.now', $1, false)", self.now.isoformat())

    # --- what can happen ----------------------------------------------------------------------

    @rule(seconds=st.sampled_from([1, 61, 301, 601, 3601]))
    def tick(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)
        self.set_clock()

    @rule(player=PLAYERS, amount=st.sampled_from([500, 2200, 20_000]))
    def deposit(self, player: str, amount: int) -> None:
        name = f"m{self.number}-{next(self.numbers)}"
        wanted = rules.deposit(name, str(self.uuid(player)), amount, "EUR")
        assert not isinstance(self.do(lambda tx: transfer(tx, wanted)), str)
        self.wallets[player] += amount

    def spend(self, player: str, amount: int) -> int:
        """Credit first; answers how much of it."""
        of_credit = min(self.credits[player], amount)
        self.credits[player] -= of_credit
        self.wallets[player] -= amount - of_credit
        return of_credit

    @rule(player=PLAYERS, amount=AMOUNTS)
    def stakes(self, player: str, amount: int) -> None:
        done = self.do(lambda tx: stake(tx, self.uuid(player), amount, self.terms))
        if (known := self.live(player)) is not None:
            assert done == "TICKET_OPEN", known
            return
        if self.credits[player] + self.wallets[player] < amount + self.terms.fee:
            assert done == "INSUFFICIENT_FUNDS"
            return
        assert not isinstance(done, str), done
        of_credit = self.spend(player, amount)
        self.spend(player, self.terms.fee)
        self.revenue += self.terms.fee
        expires = self.now + self.terms.queue_expiry
        self.tickets.append(
            TicketModel(done.ticket_id, player, amount, of_credit, next(self.lines), expires)
        )

    @rule(player=PLAYERS)
    def cancels(self, player: str) -> None:
        found = self.live(player)
        if found is None:
            return
        done = self.do(lambda tx: cancel(tx, found.id, self.terms))
        if found.status != "queued":
            assert done == "TICKET_OVER"
            return
        assert not isinstance(done, str), done
        self.leave(found, "cancelled")

    def leave(self, ticket: TicketModel, how: str) -> None:
        ticket.status = how
        self.to_credit(ticket)

    def to_credit(self, ticket: TicketModel) -> None:
        self.credits[ticket.player] += ticket.amount
        if self.terms.fee_returned:
            self.credits[ticket.player] += self.terms.fee
            self.revenue -= self.terms.fee

    @rule(player=PLAYERS, amount=AMOUNTS)
    def changes(self, player: str, amount: int) -> None:
        found = self.queued(player)
        if found is None:
            return
        done = self.do(lambda tx: change_stake(tx, found.id, amount, self.terms))
        if amount == found.amount:
            assert not isinstance(done, str)
            return
        if self.credits[player] + self.wallets[player] + found.amount < amount:
            assert done == "INSUFFICIENT_FUNDS"
            return
        assert not isinstance(done, str), done
        self.credits[player] += found.from_credit
        self.wallets[player] += found.from_wallet
        found.from_credit, found.amount = self.spend(player, amount), amount
        found.line = next(self.lines)

    @rule()
    def expires(self) -> None:
        due = [t for t in self.tickets if t.status == "queued" and t.expires <= self.now]
        assert self.do(lambda tx: expire_tickets(tx, self.terms, {})) == len(due)
        for ticket in due:
            self.leave(ticket, "expired")

    @rule(pairs=st.sampled_from([1, 2, 50]))
    def pairs(self, pairs: int) -> None:
        done = self.do(lambda tx: pair(tx, "model", self.terms, pairs=pairs))
        assert not isinstance(done, str)
        made = [pair for amount in (1000, 5000) for pair in self.line_pairs(amount, pairs)]
        assert done.pairs == len(made)
        self.matched(made)

    def matched(self, made: list[tuple[TicketModel, TicketModel]]) -> None:
        for one, other in made:
            session = SessionModel((one, other), self.now)
            for ticket in (one, other):
                ticket.status, ticket.session = "matched", session
            session.id = self.ask(
                "SELECT session_id FROM handfast_stakes.matchmaking_queue WHERE id = $1", one.id
            )
            self.sessions.append(session)

    def line_pairs(self, amount: int, pairs: int) -> list[tuple[TicketModel, TicketModel]]:
        """First come, first paired; who met lately only if nobody else is there."""
        waiting = [
            ticket
            for ticket in self.tickets
            if (ticket.status, ticket.amount) == ("queued", amount) and ticket.expires > self.now
        ]
        line = sorted(waiting, key=lambda ticket: ticket.line)[: 2 * pairs]
        recent = {
            frozenset(session.players)
            for session in self.sessions
            if session.made > self.now - self.terms.rematch
        }
        if len(line) <= 2:
            recent = set()
        made: list[tuple[TicketModel, TicketModel]] = []
        self.pair_up(line, made, recent)
        if len(line) < 2 * pairs or not made:
            self.pair_up([t for t in line if not any(t in p for p in made)], made, set())
        if made:
            last = max(ticket.line for pair in made for ticket in pair)
            taken = {ticket.id for pair in made for ticket in pair}
            self.passed.update(
                (ticket.id, "rematch")
                for ticket in line
                if ticket.id not in taken and ticket.line < last
            )
        return made

    @staticmethod
    def pair_up(
        line: list[TicketModel],
        made: list[tuple[TicketModel, TicketModel]],
        recent: set[frozenset[str]],
    ) -> None:
        left = list(line)
        for one in line:
            if one not in left:
                continue
            left.remove(one)
            for other in left:
                if frozenset((one.player, other.player)) not in recent:
                    made.append((one, other))
                    left.remove(other)
                    break

    @rule(player=PLAYERS, skipped=st.sampled_from([0, 0, 0, 1]))
    def moves(self, player: str, skipped: int) -> None:
        session = self.session_of(player)
        if session is None:
            return
        number = session.moves + 1 + skipped
        move = NewMove(number, "step", {"n": number})
        done = self.do(lambda tx: make_move(tx, session.id, self.uuid(player), move))
        if not session.live:
            assert done == "SESSION_OVER"
        elif skipped:
            assert done == "MOVE_OUT_OF_ORDER"
        else:
            assert not isinstance(done, str), done
            session.moves, session.status = number, "playing"

    @rule(player=PLAYERS, outcome=st.sampled_from(["win", "lose", "draw"]))
    def reports(self, player: str, outcome: str) -> None:
        session = self.session_of(player)
        if session is None:
            return
        other = next(one for one in session.players if one != player)
        winner = {"win": player, "lose": other, "draw": None}[outcome]
        who = None if winner is None else self.uuid(winner)
        done = self.do(lambda tx: report_result(tx, session.id, who))
        assert not isinstance(done, str), done
        if session.live:
            session.status, session.winner = "settled", winner
            self.pay_out(session, winner)
        elif session.status == "settled" and session.winner == winner:
            assert done.repeated
        elif session.dispute is None and (not session.reported or session.reported[-1] != winner):
            assert done.dispute is not None
            session.dispute = done.dispute.id
            session.reported.append(winner)

    def pay_out(self, session: SessionModel, winner: str | None) -> None:
        if winner is not None:
            self.wallets[winner] += 2 * session.amount
            return
        for ticket in session.tickets:
            self.credits[ticket.player] += ticket.from_credit
            self.wallets[ticket.player] += ticket.from_wallet

    @rule(player=PLAYERS)
    def disputes(self, player: str) -> None:
        session = self.session_of(player)
        if session is None:
            return
        done = self.do(lambda tx: dispute_session(tx, session.id, self.uuid(player), "why"))
        if session.live:
            assert not isinstance(done, str), done
            session.status, session.dispute = "disputed", done.id
            session.reported.append("by a player")
        else:
            assert done == ("DISPUTE_OPEN" if session.status == "disputed" else "SESSION_OVER")

    @rule(data=st.data(), outcome=st.sampled_from(["first", "second", "split"]))
    @precondition(lambda self: any(session.dispute for session in self.sessions))
    def resolves(self, data: st.DataObject, outcome: str) -> None:
        open_ones = [session for session in self.sessions if session.dispute is not None]
        session = data.draw(st.sampled_from(open_ones), label="session")
        one, other = session.players
        winner = {"first": one, "second": other, "split": None}[outcome]
        who = None if winner is None else self.uuid(winner)
        done = self.do(lambda tx: resolve_dispute(tx, session.dispute or 0, who))
        if session.status == "disputed":
            assert not isinstance(done, str), done
            self.pay_out(session, winner)
            session.status, session.winner, session.dispute = "settled", winner, None
            return
        moved = session.share(winner) - session.share(session.winner)
        giver, taker = (one, other) if moved < 0 else (other, one)
        if moved and self.credits[giver] + self.wallets[giver] < abs(moved):
            assert done == "INSUFFICIENT_FUNDS"
            return
        assert not isinstance(done, str), done
        session.dispute = None
        if moved:
            self.spend(giver, abs(moved))
            self.wallets[taker] += abs(moved)
            session.status, session.winner = "settled", winner

    @rule()
    def voids(self) -> None:
        due = [
            s for s in self.sessions if s.live and s.made + self.terms.session_expiry <= self.now
        ]
        assert self.do(lambda tx: void_expired(tx, self.terms, {})) == len(due)
        for session in due:
            session.status = "void"
            for ticket in session.tickets:
                self.to_credit(ticket)

    # --- what always holds --------------------------------------------------------------------

    @invariant()
    def balances_are_those_of_the_model(self) -> None:
        rows = self.wait(
            self.connection.fetch(
                "SELECT kind::text, owner, balance FROM handfast_ledger.accounts"
                " WHERE owner = ANY ($1)",
                [str(self.uuid(player)) for player in NAMES],
            )
        )
        stored = {(kind, owner): balance for kind, owner, balance in rows}
        for kind, balances in (("wallet", self.wallets), ("credit", self.credits)):
            for player in NAMES:
                found = stored.get((kind, str(self.uuid(player))), 0)
                assert found == balances[player] >= 0, (kind, player)

    @invariant()
    def tickets_and_sessions_are_those_of_the_model(self) -> None:
        rows = self.wait(
            self.connection.fetch(
                "SELECT id, status, stake_amount, session_id, ended_at IS NULL"
                " FROM handfast_stakes.matchmaking_queue WHERE id = ANY ($1) ORDER BY id",
                [ticket.id for ticket in self.tickets],
            )
        )
        assert [tuple(row) for row in rows] == [
            (
                ticket.id,
                ticket.status,
                ticket.amount,
                None if ticket.session is None else ticket.session.id,
                self.live(ticket.player) is ticket,
            )
            for ticket in self.tickets
        ]
        rows = self.wait(
            self.connection.fetch(
                "SELECT id, status, winner, moves FROM handfast_stakes.game_sessions"
                " WHERE id = ANY ($1) ORDER BY id",
                [session.id for session in self.sessions],
            )
        )
        assert [tuple(row) for row in rows] == [
            (s.id, s.status, None if s.winner is None else self.uuid(s.winner), s.moves)
            for s in sorted(self.sessions, key=lambda one: one.id)
        ]

    @invariant()
    def escrow_is_live_stakes_and_pots(self) -> None:
        held = self.ask(
            "SELECT coalesce(sum(amount), 0)::bigint FROM handfast_ledger.holds"
            " WHERE state = 'held' AND owner = ANY ($1)",
            [str(self.uuid(player)) for player in NAMES],
        )
        staked = sum(ticket.amount for ticket in self.tickets if ticket.status == "queued")
        pots = sum(2 * s.amount for s in self.sessions if s.live or s.status == "disputed")
        assert held == staked + pots

    @invariant()
    def now_and_then_everything_adds_up(self) -> None:
        """All of the ledger, also of runs before: what it costs grows with it."""
        self.steps += 1
        if self.steps % 10:
            return
        assert self.ask("SELECT coalesce(sum(amount), 0) FROM handfast_ledger.entries") == 0
        assert self.ask("SELECT count(*) FROM handfast_ledger.check_platform()") == 0
        assert self.platform("revenue") - self.revenue_before == self.revenue
        assert self.passed_rows() - self.claims_before == sum(self.passed.values())


class GenerousMachine(StakesMachine):
    """Where the fee comes back, and who played may play again at once."""

    terms = replace(TERMS, fee_returned=True, rematch=timedelta(0))


class OneConnection:
    """A database whose only connection is the machine's, which has its clock."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[asyncpg.Connection]:
        yield self._connection

    def tell_here(self, topic: str, ids: Sequence[int]) -> None:
        """Nobody hears: the machine tells Redis itself, or does not."""


class RedisMachine(StakesMachine):
    """With a Redis that comes and goes, and is not always told."""

    valkey: Valkey

    def __init__(self) -> None:
        super().__init__()
        self.told = True
        if not self.valkey.alive():
            self.valkey.start()
        database = cast("Database", OneConnection(self.connection))
        self.redis = GuardedRedis(self.valkey.url, call_seconds=5.0, rest_seconds=0.001)
        self.wait(self.redis.call(lambda client: client.flushall()))
        self.redis_lines = RedisLines(self.redis, self.terms.amounts)
        self.mirror = Mirror(database, self.redis_lines)
        self.fast = FastPath(database, self.redis_lines, self.terms, rest_seconds=0.0)

    def do(self, command: Callable[[Transaction], Awaitable[T]]) -> T | str:
        done = super().do(command)
        if getattr(self, "told", False) and hasattr(self, "mirror"):  # else it is being made
            new = [done.ticket_id] if isinstance(done, Staked) else []
            self.wait(self.tell([*new, *(ticket.id for ticket in self.tickets)]))
        return done

    async def tell(self, tickets: list[int]) -> None:
        self.mirror.soon(tickets)
        await self.mirror.close()

    def teardown(self) -> None:
        self.told = False
        self.wait(self.redis.close())
        super().teardown()

    def try_redis(self, command: Callable[[Any], Awaitable[Any]]) -> None:
        with contextlib.suppress(RedisAway):
            self.wait(self.redis.call(command))

    @rule(pairs=st.sampled_from([1, 2, 50]))
    def pairs(self, pairs: int) -> None:
        """Redis first, then the database, until nobody can be paired."""
        done = self.wait(self.fast.pair("model", pairs=pairs)) or 0
        while True:
            more = self.do(lambda tx: pair(tx, "model", self.terms, pairs=pairs))
            assert not isinstance(more, str)
            if not more.pairs:
                break
            done += more.pairs
        count_before = len(self.sessions)
        for amount in (1000, 5000):
            while made := self.line_pairs(amount, pairs):
                self.matched(made)
        assert done == len(self.sessions) - count_before

    @rule(told=st.booleans())
    def tells(self, told: bool) -> None:
        self.told = told

    @rule()
    def redis_goes_or_comes(self) -> None:
        if self.valkey.alive():
            self.valkey.kill()
        else:
            self.valkey.start()

    @rule()
    def redis_is_emptied(self) -> None:
        self.try_redis(lambda client: client.flushall())

    @rule(stake=AMOUNTS, place=st.sampled_from([-1, 0, 5, 10**12]))
    def redis_is_filled(self, stake: int, place: int) -> None:
        """Stale, of the other line, of the future, and no tickets at all."""
        ids = [str(ticket.id) for ticket in self.tickets[-6:]]
        members = dict.fromkeys([*ids, str(10**15), "17x", str(2**70)], place)
        self.try_redis(lambda client: client.zadd(self.redis_lines.key(stake), members))

    @rule(stake=AMOUNTS, part=st.sampled_from(["", ":processing", ":taken"]))
    def redis_has_another_type(self, stake: int, part: str) -> None:
        self.try_redis(lambda client: client.set(f"{self.redis_lines.key(stake)}{part}", "text"))

    @rule(most=st.sampled_from([2, 100]))
    def a_matchmaker_dies(self, most: int) -> None:
        with contextlib.suppress(RedisAway):
            self.wait(self.redis_lines.take(most, visible_ms=20))

    @rule()
    def sweeps(self) -> None:
        self.wait(self.fast.sweep())

    @invariant()
    def what_is_compared_is_the_same(self) -> None:
        if self.steps % 10 or not self.valkey.alive():
            return
        with contextlib.suppress(RedisAway):
            self.wait(compare(cast("Database", OneConnection(self.connection)), self.redis_lines))
            for amount in (1000, 5000):
                line = sorted(
                    (t.line, t.id)
                    for t in self.tickets
                    if (t.status, t.amount) == ("queued", amount) and t.expires > self.now
                )
                found = self.wait(self.redis_lines.page(amount, 0, 100))
                held = self.wait(
                    self.redis.call(
                        lambda client, amount=amount: client.zrange(  # type: ignore[misc]
                            f"{self.redis_lines.key(amount)}:processing", 0, -1
                        )
                    )
                )
                here = [int(one) for one in found]
                assert here == [ticket for _, ticket in line if str(ticket).encode() not in held]


@pytest.fixture
def at(dsn: str) -> Iterator[str]:
    StakesMachine.dsn = dsn
    yield dsn
    StakesMachine.dsn = ""


def run(machine: type[StakesMachine], request: pytest.FixtureRequest) -> None:
    operations: int | None = request.config.getoption("--stakes-operations")
    try:
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=8 if operations is None else max(1, operations // STEPS),
                stateful_step_count=STEPS,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
    finally:
        print(f"{machine.__name__}: {machine.operations:,} operations")  # noqa: T201  # with -rP


@pytest.mark.hypothesis
@pytest.mark.on_every_postgres
@pytest.mark.parametrize("machine", [StakesMachine, GenerousMachine])
def test_the_queue_keeps_its_promises_whatever_happens(
    machine: type[StakesMachine], at: str, request: pytest.FixtureRequest
) -> None:
    run(machine, request)


@pytest.mark.hypothesis
@pytest.mark.on_every_redis
def test_and_with_a_redis_that_comes_and_goes(
    at: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    with Valkey(tmp_path) as RedisMachine.valkey:
        run(RedisMachine, request)
