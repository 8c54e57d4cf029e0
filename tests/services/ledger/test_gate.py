"""The gate: who contends goes one after the other, together with all that came meanwhile."""

import asyncio
from collections.abc import Sequence

import pytest

from handfast.base.errors import HandfastError
from handfast.db.connect import Target
from handfast.db.errors import DatabaseUnreachable
from handfast.db.pool import Database
from handfast.services.ledger import rules
from handfast.services.ledger.errors import InsufficientFunds, LedgerBusy
from handfast.services.ledger.facade import Ledger
from handfast.services.ledger.posting.gate import Gate
from handfast.services.ledger.values import wallet
from tests.support.ledger_desk import LedgerDesk

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
