"""The gate: who contends goes one after the other, together with all that came meanwhile."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone

import pytest

from handfast.base.errors import HandfastError, InvalidRequest
from handfast.db.connect import Target
from handfast.db.errors import ConstraintViolated, DatabaseUnreachable
from handfast.db.pool import Database
from handfast.services.ledger import rules
from handfast.services.ledger.errors import AmountInvalid, InsufficientFunds, LedgerBusy
from handfast.services.ledger.facade import Ledger
from handfast.services.ledger.posting.gate import Gate
from handfast.services.ledger.values import (
    AMOUNT_MAX,
    CASH,
    ESCROW,
    AccountName,
    HoldTerms,
    Leg,
    Posted,
    Take,
    TransferKind,
    TransferRequest,
    credit,
    funds,
    wallet,
)
from tests.support.ledger_desk import LATER, LedgerDesk

Asked = tuple[str, int]  # the key, and a number


class Statements:
    """Answers each batch when it is told to."""

    def __init__(self) -> None:
        self.batches: list[list[Asked]] = []
        self._answers: list[asyncio.Future[None]] = []

    async def answer(self, requests: list[Asked]) -> Sequence[int]:
        self.batches.append(requests)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._answers.append(done)
        await done
        return [number for _, number in requests]

    async def let_go(self, batch: int, error: Exception | None = None) -> None:
        if error is None:
            self._answers[batch].set_result(None)
        else:
            self._answers[batch].set_exception(error)
        for _ in range(5):
            await asyncio.sleep(0)


def gate_of(statements: Statements, **bounds: int) -> Gate[Asked, int]:
    return Gate(statements.answer, keys=lambda asked: asked[0], alone=lambda a: (a[1],), **bounds)


async def ask(gate: Gate[Asked, int], *asked: Asked) -> list[asyncio.Task[int]]:
    tasks = [asyncio.create_task(gate.ask(one)) for one in asked]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


async def test_what_waits_for_one_account_goes_together() -> None:
    statements = Statements()
    gate = gate_of(statements)
    tasks = await ask(gate, *(("a", n) for n in range(5)))
    assert statements.batches == [[("a", 0)]]
    await statements.let_go(0)
    assert statements.batches[1] == [("a", n) for n in range(1, 5)]
    await statements.let_go(1)
    assert [await task for task in tasks] == list(range(5))


async def test_other_accounts_do_not_wait_and_nobody_is_overtaken() -> None:
    statements = Statements()
    gate = gate_of(statements)
    await ask(gate, ("a", 0), ("ab", 1), ("b", 2), ("c", 3))
    assert statements.batches == [[("a", 0)], [("c", 3)]], "b waits behind the one for a and b"
    await statements.let_go(0)
    assert statements.batches[2] == [("ab", 1), ("b", 2)]
    await statements.let_go(1)
    await statements.let_go(2)


async def test_statements_on_their_way_are_bounded() -> None:
    statements = Statements()
    gate = gate_of(statements, flights_max=2, batch_max=3)
    await ask(gate, *((key, n) for n, key in enumerate("abcdefgh")))
    assert [len(batch) for batch in statements.batches] == [1, 1]
    await statements.let_go(0)
    assert [len(batch) for batch in statements.batches] == [1, 1, 3]
    await statements.let_go(1)
    await statements.let_go(2)
    await statements.let_go(3)
    assert [len(batch) for batch in statements.batches] == [1, 1, 3, 3]


async def test_one_reference_is_never_twice_in_a_statement() -> None:
    statements = Statements()
    gate = gate_of(statements)
    await ask(gate, ("a", 0), ("a", 7), ("a", 7), ("a", 8))
    await statements.let_go(0)
    assert statements.batches[1] == [("a", 7)], "the second waits, and nobody overtakes it"
    await statements.let_go(1)
    assert statements.batches[2] == [("a", 7), ("a", 8)]
    await statements.let_go(2)


async def test_too_many_are_told_at_once() -> None:
    statements = Statements()
    gate = gate_of(statements, waiting_max=2)
    tasks = await ask(gate, *(("a", n) for n in range(4)))
    with pytest.raises(LedgerBusy, match="2 requests wait"):
        await tasks[3]
    await statements.let_go(0)
    await statements.let_go(1)
    assert [await task for task in tasks[:3]] == [0, 1, 2]


async def test_who_is_cancelled_is_not_sent() -> None:
    statements = Statements()
    gate = gate_of(statements)
    tasks = await ask(gate, ("a", 0), ("a", 1), ("b", 2))
    tasks[1].cancel()
    await asyncio.sleep(0)
    await statements.let_go(0)
    assert statements.batches == [[("a", 0)], [("b", 2)]]
    [later] = await ask(gate, ("a", 3))
    await statements.let_go(2)
    assert await later == 3
    await statements.let_go(1)


async def test_a_statement_that_fails_is_all_of_theirs() -> None:
    statements = Statements()
    gate = gate_of(statements)
    first, second, third = await ask(gate, ("a", 0), ("a", 1), ("a", 2))
    await statements.let_go(0)
    await statements.let_go(1, DatabaseUnreachable("gone"))
    assert await first == 0
    for task in (second, third):
        with pytest.raises(DatabaseUnreachable, match="gone"):
            await task


async def test_what_the_database_refuses_of_many_goes_one_by_one() -> None:
    statements = Statements()
    gate = gate_of(statements)
    first, good, bad, other = await ask(gate, *(("a", n) for n in range(4)))
    await statements.let_go(0)
    await statements.let_go(1, ConstraintViolated("one of them"))
    await statements.let_go(2)
    await statements.let_go(3, ConstraintViolated("this one"))
    await statements.let_go(4)
    assert statements.batches[2:] == [[("a", 1)], [("a", 2)], [("a", 3)]]
    assert [await first, await good, await other] == [0, 1, 3]
    with pytest.raises(ConstraintViolated, match="this one"):
        await bad


async def test_one_by_one_ends_with_the_database() -> None:
    statements = Statements()
    gate = gate_of(statements)
    first, good, second, third = await ask(gate, *(("a", n) for n in range(4)))
    await statements.let_go(0)
    await statements.let_go(1, ConstraintViolated("one of them"))
    await statements.let_go(2)
    await statements.let_go(3, DatabaseUnreachable("gone"))
    assert len(statements.batches) == 4
    assert [await first, await good] == [0, 1]
    for task in (second, third):
        with pytest.raises(DatabaseUnreachable, match="gone"):
            await task


async def test_a_closed_gate_refuses_and_waits_for_what_is_on_its_way() -> None:
    statements = Statements()
    gate = gate_of(statements)
    first, second = await ask(gate, ("a", 0), ("a", 1))
    closing = asyncio.create_task(gate.close())
    await asyncio.sleep(0)
    await statements.let_go(0)
    await closing
    assert await first == 0
    for task in (second, asyncio.create_task(gate.ask(("a", 2)))):
        with pytest.raises(DatabaseUnreachable, match="being stopped"):
            await task


@pytest.mark.on_every_postgres
async def test_each_has_a_verdict_of_its_own(database: Database, dsn: str) -> None:
    desk = LedgerDesk(database)
    await desk.deposit("anna", 50)
    async with await Database.open(Target(dsn), pool_size=4) as pool:
        ledger = Ledger(pool)
        wanted = [rules.withdrawal(f"w-{n}", "anna", 10, "EUR") for n in range(8)]
        outcomes = await asyncio.gather(
            *(ledger.transfer(one) for one in (*wanted, *wanted)), return_exceptions=True
        )
        await ledger.close()
    refused = [one for one in outcomes if isinstance(one, InsufficientFunds)]
    assert len(refused) == 6, "three could not be paid, each asked for twice"
    repeated = [one for one in outcomes if not isinstance(one, BaseException) and one.repeated]
    assert len(repeated) == 5
    assert not [one for one in outcomes if isinstance(one, HandfastError) and one not in refused]
    assert await desk.balance(wallet("anna")) == 0
    await desk.assert_sound()


def staked(*legs: Leg, terms: HoldTerms | None = None) -> TransferRequest:
    return TransferRequest("bad", TransferKind.STAKE, "EUR", legs, hold=terms or HoldTerms(LATER))


def into(account: AccountName, amount: int) -> Leg:
    return Leg(account, amount, TransferKind.STAKE_IN)


ANNA = wallet("anna")
A_STAKE = (into(ANNA, -10), into(ESCROW, 10))
EAST = timezone(timedelta(hours=14))


@pytest.mark.on_every_postgres
@pytest.mark.parametrize(
    "bad",
    [
        staked(*A_STAKE, terms=HoldTerms(datetime.max)),  # noqa: DTZ901
        staked(*A_STAKE, terms=HoldTerms(datetime(2040, 1, 1))),  # noqa: DTZ001
        staked(*A_STAKE, terms=HoldTerms(datetime.max.replace(tzinfo=UTC))),
        staked(*A_STAKE, terms=HoldTerms(LATER, datetime(1, 1, 1, tzinfo=EAST))),
        TransferRequest("bad", TransferKind.STAKE, "EUR", A_STAKE, queue_id=2**63),
        TransferRequest("bad", TransferKind.STAKE, "EUR", A_STAKE, session_id=-(2**63) - 1),
        TransferRequest("bad", TransferKind.STAKE, "EUR", A_STAKE, session_id=True),
        rules.payout("bad", [Take(2**63, 10)], [(ANNA, 10)], "EUR"),
        rules.payout("bad", [Take(7), Take(8, 2**63)], [(ANNA, 10)], "EUR"),
        TransferRequest("bad", TransferKind.DEPOSIT, "EUR", [Leg(CASH, -1), Leg(ANNA, True)]),
        TransferRequest("bad", TransferKind.DEPOSIT, "EUR", [Leg(CASH, -1), Leg(ANNA, 1)] * 20_000),
        staked(Leg(ANNA, -10), Leg(ESCROW, 10)),
        staked(into(CASH, -10), into(ESCROW, 10)),
        staked(into(ANNA, -10), into(credit("anna"), 5), into(ESCROW, 5)),
        staked(into(ANNA, -10), into(wallet("ben"), -10), into(ESCROW, 20)),
        staked(*[into(funds("anna"), -AMOUNT_MAX), into(ESCROW, AMOUNT_MAX)] * 2),
    ],
)
async def test_a_request_that_cannot_be_read_fails_alone(
    database: Database, dsn: str, bad: TransferRequest
) -> None:
    """Whatever waits for the same account would go in one statement with it."""
    desk = LedgerDesk(database)
    for owner in ("anna", "ben"):
        await desk.deposit(owner, 50)
    async with await Database.open(Target(dsn), pool_size=4) as pool:
        ledger = Ledger(pool)
        first, refused, last = await asyncio.gather(
            ledger.transfer(rules.withdrawal("w-1", "anna", 10, "EUR")),
            ledger.transfer(bad),
            ledger.transfer(rules.withdrawal("w-2", "anna", 10, "EUR")),
            return_exceptions=True,
        )
        await ledger.close()
    assert isinstance(first, Posted)
    assert isinstance(last, Posted), last
    assert isinstance(refused, InvalidRequest | AmountInvalid), refused
    assert await desk.balance(ANNA) == 30
    await desk.assert_sound()


@pytest.mark.on_every_postgres
async def test_what_nobody_foresaw_fails_alone(database: Database, dsn: str) -> None:
    desk = LedgerDesk(database)
    await desk.deposit("anna", 50)
    await desk.run("ALTER TABLE handfast_ledger.transfers ADD CHECK (reference <> 'w-2')")
    async with await Database.open(Target(dsn), pool_size=4) as pool:
        ledger = Ledger(pool)
        wanted = [rules.withdrawal(f"w-{n}", "anna", 10, "EUR") for n in range(5)]
        outcomes = await asyncio.gather(
            *(ledger.transfer(one) for one in wanted), return_exceptions=True
        )
        await ledger.close()
    assert isinstance(outcomes.pop(2), ConstraintViolated)
    assert all(isinstance(one, Posted) for one in outcomes)
    assert await desk.balance(ANNA) == 10
    await desk.assert_sound()


@pytest.mark.on_every_postgres
async def test_a_transfer_is_one_round_trip(database: Database) -> None:
    """Counted by the server: statements that came over the wire, not those inside of functions."""
    async with database.connection() as connection:
        heard: list[str] = []
        connection.add_query_logger(lambda query: heard.append(query.query))
        desk = LedgerDesk(database)
        await desk.deposit("anna", 50)  # on another connection
    async with await Database.open(database.target, pool_size=1) as pool:
        async with pool.connection() as only:
            only.add_query_logger(lambda query: heard.append(query.query))
        ledger = Ledger(pool)
        await ledger.transfer(rules.withdrawal("w", "anna", 10, "EUR"))
        await asyncio.gather(
            *(ledger.transfer(rules.withdrawal(f"w-{n}", "anna", 1, "EUR")) for n in range(20))
        )
        await ledger.close()
    posts = [query for query in heard if "handfast_ledger.post" in query]
    assert len(heard) == len(posts) == 3, "one alone, then one and nineteen together"
