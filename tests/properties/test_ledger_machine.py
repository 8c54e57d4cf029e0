"""All commands of the ledger against a model, with a clock that we move.

Hypothesis chooses what happens; after each step the tables must say what a few lines of Python say,
and what always holds must hold: entries sum to zero, no wallet is negative, a hold is resolved at
most once, escrow is what is held, and the balances that are stored are those of the entries.

The machine goes on in one database, whose rows nobody may remove: each run has players of its own.
"""

import asyncio
from collections import Counter
from collections.abc import Coroutine, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, TypeVar

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

from handfast.db.transaction import joined
from handfast.services.ledger import rules
from handfast.services.ledger.posting.commands import Outcome, transfer_many
from handfast.services.ledger.posting.holds import expire_holds
from handfast.services.ledger.sealing.seals import seal_next
from handfast.services.ledger.values import (
    CASH,
    Back,
    HoldTerms,
    Leg,
    Posted,
    Take,
    TransferKind,
    TransferRequest,
    wallet,
)
from tests.support.ledger_desk import said

T = TypeVar("T")

START = datetime(2026, 6, 1, 12, tzinfo=UTC)
PLAYERS = st.sampled_from("abc")
AMOUNTS = st.sampled_from([1, 7, 100, 1000])
RUNS = count(1)


class HeldModel:
    def __init__(self, hold: int, owner: str, from_credit: int, from_wallet: int) -> None:
        self.id = hold
        self.owner = owner
        self.from_credit = from_credit
        self.from_wallet = from_wallet
        self.state = "held"
        self.expires: datetime | None = None

    @property
    def amount(self) -> int:
        return self.from_credit + self.from_wallet


class LedgerMachine(RuleBasedStateMachine):
    dsn = ""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.run = next(RUNS)
        self.numbers = count(1)
        self.now = START
        self.wallets: Counter[str] = Counter()
        self.credits: Counter[str] = Counter()
        self.holds: list[HeldModel] = []
        self.done: list[TransferRequest] = []
        self.connection: asyncpg.Connection = self.wait(asyncpg.connect(self.dsn))
        # What earlier runs wrote was looked at by them.
        self.known = [
            self.ask(f"SELECT coalesce(max(id), 0) FROM handfast_ledger.{table}")
            for table in ("transfers", "accounts")
        ]
        self.tick(0)

    def wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(coroutine)

    def ask(self, sql: str, *args: Any) -> Any:
        return self.wait(self.connection.fetchval(sql, *args))

    def teardown(self) -> None:
        self.wait(self.connection.close())
        self.loop.close()

    def owner(self, player: str) -> str:
        return f"{player}-{self.run}"

    def name(self) -> str:
        return f"{self.run}-{next(self.numbers)}"

    def post(self, *requests: TransferRequest) -> list[str]:
        return [said(one) for one in self.outcomes(*requests)]

    def outcomes(self, *requests: TransferRequest) -> list[Outcome]:
        async def post() -> list[Outcome]:
            async with self.connection.transaction():
                return await transfer_many(joined(self.connection), requests)

        outcomes = self.wait(post())
        self.done += [
            request
            for request, one in zip(requests, outcomes, strict=True)
            if isinstance(one, Posted)
        ]
        return outcomes

    # --- what can happen ----------------------------------------------------------------------

    @rule(seconds=st.sampled_from([1, 59, 61, 3600]))
    def tick(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)
        self.ask("SELECT set_config('handfast.now', $1, false)", self.now.isoformat())

    @rule(player=PLAYERS, amount=AMOUNTS)
    def deposit(self, player: str, amount: int) -> None:
        assert self.post(self.deposited(player, amount)) == ["posted"]
        self.wallets[player] += amount

    def deposited(self, player: str, amount: int) -> TransferRequest:
        return rules.deposit(self.name(), self.owner(player), amount, "EUR")

    @rule(player=PLAYERS, amount=AMOUNTS)
    def withdraw(self, player: str, amount: int) -> None:
        request = rules.withdrawal(self.name(), self.owner(player), amount, "EUR")
        enough = self.wallets[player] >= amount
        assert self.post(request) == ["posted" if enough else "INSUFFICIENT_FUNDS"]
        if enough:
            self.wallets[player] -= amount

    @rule(player=PLAYERS, amount=AMOUNTS)
    def refund_credit(self, player: str, amount: int) -> None:
        request = rules.refund_of_credit(self.name(), self.owner(player), amount, "EUR")
        enough = self.credits[player] >= amount
        assert self.post(request) == ["posted" if enough else "INSUFFICIENT_FUNDS"]
        if enough:
            self.credits[player] -= amount
            self.wallets[player] += amount

    @rule(player=PLAYERS, amount=AMOUNTS, fee=st.sampled_from([0, 3]), expires=st.booleans())
    def stake(self, player: str, amount: int, fee: int, expires: bool) -> None:
        ends = self.now + timedelta(minutes=1) if expires else None
        request = rules.stake(
            self.name(),
            self.owner(player),
            amount,
            "EUR",
            HoldTerms(self.now + timedelta(hours=1), ends),
            fee=fee,
        )
        [outcome] = self.outcomes(request)
        if self.wallets[player] + self.credits[player] < amount + fee:
            assert said(outcome) == "INSUFFICIENT_FUNDS"
            return
        assert isinstance(outcome, Posted)
        assert outcome.hold_id is not None
        from_credit = min(amount, self.credits[player])
        fee_from_credit = min(fee, self.credits[player] - from_credit)
        self.credits[player] -= from_credit + fee_from_credit
        self.wallets[player] -= amount - from_credit + fee - fee_from_credit
        held = HeldModel(outcome.hold_id, player, from_credit, amount - from_credit)
        held.expires = ends
        self.holds.append(held)

    @precondition(lambda self: self.holds)
    @rule(data=st.data(), winner=PLAYERS, part=st.booleans())
    def settle(self, data: st.DataObject, winner: str, part: bool) -> None:
        held = data.draw(st.sampled_from(self.holds))
        taken = (held.amount + 1) // 2 if part else held.amount
        request = rules.payout(
            self.name(), [Take(held.id, taken)], [(wallet(self.owner(winner)), taken)], "EUR"
        )
        if not self.resolved(request, held):
            return
        back = held.amount - taken
        to_wallet = min(back, held.from_wallet)
        self.wallets[held.owner] += to_wallet
        self.credits[held.owner] += back - to_wallet
        self.wallets[winner] += taken

    @precondition(lambda self: self.holds)
    @rule(data=st.data(), back=st.sampled_from(Back))
    def release(self, data: st.DataObject, back: Back) -> None:
        held = data.draw(st.sampled_from(self.holds))
        if not self.resolved(rules.release(self.name(), [held.id], "EUR", back=back), held):
            return
        to_wallet = held.from_wallet if back is Back.SOURCE else 0
        self.wallets[held.owner] += to_wallet
        self.credits[held.owner] += held.amount - to_wallet

    def resolved(self, request: TransferRequest, held: HeldModel) -> bool:
        first = held.state == "held"
        assert self.post(request) == ["posted" if first else "HOLD_RESOLVED"]
        held.state = "resolved"
        return first

    @rule()
    def expire(self) -> None:
        async def expire() -> int:
            async with self.connection.transaction():
                return await expire_holds(joined(self.connection))

        due = [
            held
            for held in self.holds
            if held.state == "held" and held.expires is not None and held.expires <= self.now
        ]
        others = self.ask(
            "SELECT count(*) FROM handfast_ledger.holds WHERE state = 'held' AND expires_at <="
            " handfast_db.now() AND NOT id = ANY ($1)",
            [held.id for held in due],
        )
        assert self.wait(expire()) == len(due) + others
        for held in due:
            held.state = "resolved"
            self.credits[held.owner] += held.amount

    @precondition(lambda self: self.done)
    @rule(data=st.data(), other=st.booleans())
    def repeat(self, data: st.DataObject, other: bool) -> None:
        """An event that is told again moves nothing, and another under its name is refused."""
        request = data.draw(st.sampled_from(self.done))
        if other:
            legs = [Leg(CASH, -99), Leg(wallet(self.owner("a")), 99)]
            request = TransferRequest(request.reference, TransferKind.DEPOSIT, "EUR", legs)
            assert self.post(request) == ["REFERENCE_REUSED"]
        else:
            assert self.post(request) == ["repeated"]
            self.done.pop()

    @rule(player=PLAYERS, amounts=st.lists(AMOUNTS, min_size=2, max_size=6))
    def many(self, player: str, amounts: list[int]) -> None:
        """A list: deposits of one player and withdrawals of twice as much, in turn."""
        requests, expected = [], []
        for amount in amounts:
            requests.append(self.deposited(player, amount))
            self.wallets[player] += amount
            expected.append("posted")
            requests.append(rules.withdrawal(self.name(), self.owner(player), 2 * amount, "EUR"))
            enough = self.wallets[player] >= 2 * amount
            self.wallets[player] -= 2 * amount if enough else 0
            expected.append("posted" if enough else "INSUFFICIENT_FUNDS")
        assert self.post(*requests) == expected

    @rule()
    def seal(self) -> None:
        async def seal() -> None:
            async with self.connection.transaction():
                await seal_next(joined(self.connection), transfers=5)

        self.wait(seal())

    # --- what always holds --------------------------------------------------------------------

    @invariant()
    def balances_are_those_of_the_model(self) -> None:
        rows = self.wait(
            self.connection.fetch(
                "SELECT kind::text, owner, balance FROM handfast_ledger.accounts"
                " WHERE owner = ANY ($1)",
                [self.owner(player) for player in "abc"],
            )
        )
        stored = {(kind, owner): balance for kind, owner, balance in rows}
        for kind, balances in (("wallet", self.wallets), ("credit", self.credits)):
            for player in "abc":
                assert stored.get((kind, self.owner(player)), 0) == balances[player] >= 0

    @invariant()
    def everything_adds_up(self) -> None:
        transfers, accounts = self.known
        for check in (
            f"check_transfers({transfers}, 1000000)",
            f"check_accounts({accounts}, 1000000)",
            "check_platform()",
        ):
            assert self.ask(f"SELECT array_agg(c::text) FROM handfast_ledger.{check} AS c") is None
        assert self.ask("SELECT coalesce(sum(amount), 0) FROM handfast_ledger.entries") == 0

    @invariant()
    def a_hold_leaves_escrow_once(self) -> None:
        states = dict.fromkeys(("held", "resolved"), 0) | Counter(one.state for one in self.holds)
        held = self.ask(
            "SELECT count(*) FROM handfast_ledger.holds WHERE state = 'held' AND id = ANY ($1)",
            [one.id for one in self.holds],
        )
        assert held == states["held"]


@pytest.fixture
def machine(dsn: str) -> Iterator[type[LedgerMachine]]:
    LedgerMachine.dsn = dsn
    yield LedgerMachine
    LedgerMachine.dsn = ""


@pytest.mark.hypothesis
@pytest.mark.on_every_postgres
def test_the_ledger_adds_up_whatever_happens(machine: type[LedgerMachine]) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=20,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
