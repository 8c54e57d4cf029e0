"""The history for Jepsen's bank checker, read by a small one of our own that shares no code."""

import re
from pathlib import Path

import pytest

from handfast.db.pool import Database
from handfast.services.ledger import rules
from handfast.services.ledger.errors import LedgerExportFailed
from handfast.services.ledger.reading.history import HistoryEntry, export_history, moves
from handfast.services.ledger.values import Back, Take, wallet
from tests.support.ledger_desk import LedgerDesk

LINE = re.compile(
    r"\{:index (\d+), :type :(invoke|ok), :f :(transfer|read), :process (\d+), :time (\d+),"
    r" :value (nil|\{.*\})\}"
)
TOLD = re.compile(r"; \{:accounts \[([\d ]*)\], :total-amount (\d+)\}")
MOVE = re.compile(r"\{:from (\d+), :to (\d+), :amount (\d+)\}")


Balances = dict[int, int]


def judged(file: Path) -> list[str]:
    """What is wrong with a history: with its reads, and with what transfers come to."""
    first, *lines = file.read_text().splitlines()
    told = TOLD.fullmatch(first)
    assert told is not None, first
    accounts, total = {int(one) for one in told[1].split()}, int(told[2])
    problems: list[str] = []
    held: Balances | None = None
    asked: dict[str, tuple[str, str]] = {}
    for number, line in enumerate(lines):
        found = LINE.fullmatch(line)
        assert found is not None, line
        index, kind, what, process, _, value = found.groups()
        assert int(index) == number
        if kind == "invoke":
            assert process not in asked, "one operation of a process at a time"
            asked[process] = (what, value)
            continue
        assert asked.pop(process) == (what, "nil" if what == "read" else value)
        if what == "read":
            read = dict(re.findall(r"(\d+) (nil|-?\d+)", value))
            problems += [f"{number}: {one}" for one in wrong_with(read, accounts, total)]
            seen = {int(account): 0 if it == "nil" else int(it) for account, it in read.items()}
            if held not in (None, seen):
                problems.append(f"{number}: not what the transfers since the last read come to")
            held = seen
        elif not moved(held, value):
            problems.append(f"{number}: from or to nobody")
    assert held is not None, "there is a read at the end"
    assert not asked
    return problems


def wrong_with(read: dict[str, str], accounts: set[int], total: int) -> list[str]:
    """As Jepsen's bank checker judges a read."""
    balances = [int(one) for one in read.values() if one != "nil"]
    judgements = {
        "an account that nobody named": not {int(one) for one in read} <= accounts,
        "a balance is missing": len(balances) < len(read),
        f"the total is {sum(balances)} and not {total}": sum(balances) != total,
        "a balance is below zero": any(one < 0 for one in balances),
    }
    return [problem for problem, found in judgements.items() if found]


def moved(held: Balances | None, value: str) -> bool:
    move = MOVE.fullmatch(value)
    if move is not None and held is not None:
        source, target, amount = map(int, move.groups())
        held[source] -= amount
        held[target] += amount
    return move is not None


@pytest.fixture
async def desk(database: Database) -> LedgerDesk:
    desk = LedgerDesk(database)
    for owner in ("anna", "ben", "cora"):
        await desk.deposit(owner, 1000)
    await desk.give_credit("anna", 30)
    holds = [await desk.stake(owner, 100, 10) for owner in ("anna", "ben")]
    await desk.transfer(
        rules.payout("anna wins", [Take(hold.id) for hold in holds], [(wallet("anna"), 200)], "EUR")
    )
    back = await desk.stake("cora", 50, 5)
    await desk.transfer(rules.release("back", [back.id], "EUR", back=Back.CREDIT))
    await desk.transfer(rules.withdrawal("out", "anna", 700, "EUR"))
    return desk


async def test_every_read_has_the_same_total(desk: LedgerDesk, tmp_path: Path) -> None:
    file = tmp_path / "history.edn"
    report = await export_history(desk.database, file, reads=1000)
    transfers = await desk.fetch("SELECT count(*) FROM handfast_ledger.transfers")
    assert (report.transfers, report.reads, report.wrong) == (transfers, transfers + 1, 0)
    assert report.total == 3030, "all that ever came in"
    assert judged(file) == []


async def test_fewer_reads(desk: LedgerDesk, tmp_path: Path) -> None:
    file = tmp_path / "history.edn"
    report = await export_history(desk.database, file, reads=2)
    assert 2 <= report.reads <= 4
    assert judged(file) == []


async def test_of_nothing(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "history.edn"
    assert (await export_history(database, file)).reads == 1
    assert judged(file) == []


FIRST = "WHERE transfer_id = (SELECT min(transfer_id) FROM handfast_ledger.entries)"
PLANTED = {
    "an amount": f"UPDATE handfast_ledger.entries SET amount = amount - 1 {FIRST} AND line = 1",
    "a row removed": f"DELETE FROM handfast_ledger.entries {FIRST} AND line = 2",
    "a balance in the past": f"UPDATE handfast_ledger.entries SET balance = 7 {FIRST} AND line = 2",
    "a balance now": "UPDATE handfast_ledger.accounts SET balance = 7 WHERE owner = 'ben'",
    "a leg moved": (
        "UPDATE handfast_ledger.entries SET account_id = handfast_ledger.account_called("
        f"'wallet', 'ben', 'EUR') {FIRST} AND line = 2"
    ),
}


@pytest.mark.parametrize("fault", PLANTED)
async def test_a_planted_fault_is_found(desk: LedgerDesk, tmp_path: Path, fault: str) -> None:
    await desk.unguarded(PLANTED[fault])
    file = tmp_path / "history.edn"
    report = await export_history(desk.database, file, reads=1000)
    assert judged(file) != []
    assert report.wrong > 0


async def test_a_file_that_is_there_stays(desk: LedgerDesk, tmp_path: Path) -> None:
    file = tmp_path / "mine"
    file.write_text("mine")
    with pytest.raises(LedgerExportFailed, match="exists"):
        await export_history(desk.database, file)
    assert file.read_text() == "mine"


def test_what_is_taken_goes_to_who_is_given() -> None:
    legs = [HistoryEntry(1, n, amount, None, 0) for n, amount in ((1, -30), (2, -20), (3, 40))]
    assert list(moves(legs)) == [(1, 3, 30), (2, 3, 10), (2, None, 10)]
