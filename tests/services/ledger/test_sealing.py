"""Seals: what they cover, and that they show a change of the past, each kind of it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from handfast.db.pool import Database
from handfast.services.ledger import rules
from handfast.services.ledger.errors import LedgerExportFailed
from handfast.services.ledger.reading.checking import check_ledger
from handfast.services.ledger.sealing.exporting import export_ledger
from handfast.services.ledger.sealing.verifying import verify_seals
from handfast.services.ledger.values import CASH, ESCROW, REVENUE
from tests.support.ledger_desk import LedgerDesk

ROOT = Path(__file__).parents[3]
VERIFIER = ROOT / "tools" / "verify_ledger.py"


@pytest.fixture
async def desk(database: Database) -> LedgerDesk:
    """Three seals over a dozen transfers, and some that no seal covers."""
    desk = LedgerDesk(database)
    for owner in ("anna", "ben", "cora", "jürgen"):
        await desk.deposit(owner, 1000)
    for owner in ("anna", "ben"):
        await desk.stake(owner, 100, 10)
    assert len(await desk.seal_all(transfers=3)) == 2
    for owner in ("anna", "ben"):
        await desk.transfer(rules.withdrawal(desk.name(), owner, 5, "EUR"))
    assert len(await desk.seal_all()) == 1
    await desk.deposit("anna", 7)
    return desk


def independent(file: Path, *heads: str) -> tuple[int, list[str]]:
    """What the verifier that shares no code says: its exit code, and the problems."""
    words = [sys.executable, "-I", str(VERIFIER), str(file), "--json"]
    for head in heads:
        words += ["--head", head]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, json.loads(done.stdout)["problems"]


async def both(desk: LedgerDesk, folder: Path, *heads: str) -> tuple[list[str], list[str]]:
    """What our own verifier finds, and what the other one does in an export."""
    kept = {int(n): bytes.fromhex(h) for n, _, h in (head.partition(":") for head in heads)}
    ours = await verify_seals(desk.database, heads=kept)
    file = folder / f"{desk.name('export')}.hfl"
    await export_ledger(desk.database, file)
    code, problems = independent(file, *heads)
    assert code == (1 if problems else 0)
    return [fault.problem for fault in ours.faults], problems


async def test_all_is_well(desk: LedgerDesk, tmp_path: Path) -> None:
    report = await verify_seals(desk.database)
    assert (report.seals, report.faults) == (3, [])
    assert report.head is not None
    assert await both(desk, tmp_path, report.head) == ([], [])
    everything = await desk.fetch("SELECT count(*) FROM handfast_ledger.entries")
    assert report.entries == everything - 2
    await desk.assert_sound()


async def test_every_head_goes_out(desk: LedgerDesk) -> None:
    async with desk.database.connection() as connection:
        rows = await connection.fetch(
            "SELECT s.number, encode(s.hash, 'hex') AS hash, e.data::jsonb ->> 'hash' AS told"
            " FROM handfast_ledger.seals AS s LEFT JOIN handfast_engine.events AS e"
            " ON e.type = 'ledger.sealed' AND (e.data::jsonb ->> 'number')::bigint = s.number"
        )
    assert len(rows) == 3
    assert all(row["hash"] == row["told"] for row in rows)


async def test_nothing_to_seal_makes_no_seal(desk: LedgerDesk) -> None:
    assert len(await desk.seal_all()) == 1
    assert await desk.seal() is None


async def test_platform_balances_are_those_of_the_seal_and_since(desk: LedgerDesk) -> None:
    for account in (CASH, ESCROW, REVENUE):
        total = await desk.fetch(
            "SELECT sum(e.amount)::bigint FROM handfast_ledger.entries AS e JOIN"
            " handfast_ledger.accounts AS a ON a.id = e.account_id WHERE a.kind::text = $1",
            account.account,
        )
        assert await desk.balance(account) == total
    async with desk.database.connection() as connection:
        for row in await connection.fetch("SELECT DISTINCT at FROM handfast_ledger.transfers"):
            then = await connection.fetchval(
                "SELECT coalesce(sum(e.amount), 0)::bigint FROM handfast_ledger.entries AS e JOIN"
                " handfast_ledger.accounts AS a ON a.id = e.account_id"
                " WHERE a.kind = 'cash' AND e.at <= $1",
                row["at"],
            )
            assert await desk.balance(CASH, row["at"]) == then


FIRST = "(SELECT min(transfer_id) FROM handfast_ledger.entries)"
ADDED = (
    "INSERT INTO handfast_ledger.entries (transfer_id, line, account_id, amount, balance, at,"
    " kind) SELECT transfer_id, 9, account_id, 5, 1005, at, kind FROM handfast_ledger.entries"
    f" WHERE transfer_id = {FIRST} AND line = 2"
)
MOVED = (
    "UPDATE handfast_ledger.entries SET account_id = handfast_ledger.account_called('wallet',"
    f" 'ben', 'EUR') WHERE transfer_id = {FIRST} AND line = 2"
)
SMALLEST = "DELETE FROM handfast_ledger.transfers WHERE reference = 't-1'"
OF_FIRST = f"handfast_ledger.entries WHERE transfer_id = {FIRST}"
CHANGED = "UPDATE handfast_ledger.entries SET amount = amount"
CORRUPTIONS = {
    "an amount changed": (f"{CHANGED} + 1 WHERE transfer_id = {FIRST} AND line = 2",),
    "both amounts changed": (f"{CHANGED} * 2 WHERE transfer_id = {FIRST}",),
    "a row removed": (f"DELETE FROM {OF_FIRST} AND line = 2",),
    "a transfer removed": (f"DELETE FROM {OF_FIRST}", SMALLEST),
    "a row added": (ADDED,),
    "a leg moved to another account": (MOVED,),
    "blocks reordered": (
        "UPDATE handfast_ledger.seals SET number = -number WHERE number IN (1, 2)",
        "UPDATE handfast_ledger.seals SET number = 3 + number WHERE number < 0",
    ),
    "a block removed": ("DELETE FROM handfast_ledger.seals WHERE number = 2",),
}
# What concerns seals alone leaves the money as it is.
ONLY_SEALS = {"blocks reordered", "a block removed"}


@pytest.mark.parametrize("corruption", CORRUPTIONS)
async def test_a_corruption_is_found_by_all_three(
    desk: LedgerDesk, tmp_path: Path, corruption: str
) -> None:
    await desk.unguarded(*CORRUPTIONS[corruption])
    ours, theirs = await both(desk, tmp_path)
    assert ours, "handfast ledger verify"
    assert theirs, "tools/verify_ledger.py"
    report = await check_ledger(desk.database)
    assert report.passed == (corruption in ONLY_SEALS), "handfast ledger check"


# No trigger is switched off: whoever may post may write this, and everything adds up.
HIDDEN = (
    "WITH made AS (INSERT INTO handfast_ledger.transfers (xid, at, kind, epoch, request, reference)"
    " VALUES (pg_current_xact_id(), now(), 'PAYOUT', 0, '', 'hidden') RETURNING id, at)"
    ", moved AS (UPDATE handfast_ledger.accounts AS a SET balance = a.balance + w.amount,"
    " changed_at = now() FROM (VALUES ('cora', -50), ('jürgen', 50)) AS w(owner, amount)"
    " WHERE a.owner = w.owner RETURNING a.id, a.balance, w.amount)"
    " INSERT INTO handfast_ledger.entries"
    " (transfer_id, line, account_id, amount, balance, at, kind)"
    " SELECT made.id, row_number() OVER (), moved.id, moved.amount, moved.balance, made.at,"
    " 'PAYOUT' FROM made, moved"
)


async def test_a_transfer_that_no_seal_will_ever_cover(desk: LedgerDesk, tmp_path: Path) -> None:
    """Of an epoch that is over, or never was: seals go on from where the last one ended."""
    kept = (await verify_seals(desk.database)).head
    await desk.run(HIDDEN)
    assert len(await desk.seal_all()) == 1, "of what was written before"
    await desk.assert_sound()
    ours, theirs = await both(desk, tmp_path, kept or "")
    assert ours, "handfast ledger verify"
    assert theirs, "tools/verify_ledger.py"


async def test_an_owner_exchanged(desk: LedgerDesk, tmp_path: Path) -> None:
    """The sums are as they were: only the seals know whose account it was."""
    await desk.unguarded("UPDATE handfast_ledger.accounts SET owner = 'eve' WHERE owner = 'anna'")
    ours, theirs = await both(desk, tmp_path)
    assert ours
    assert theirs


async def test_a_chain_that_was_made_anew_is_known_by_its_head_alone(
    desk: LedgerDesk, tmp_path: Path
) -> None:
    kept = (await verify_seals(desk.database)).head
    assert kept is not None
    await desk.unguarded(
        "UPDATE handfast_ledger.entries SET amount = amount * 2, balance = balance * 2"
        " WHERE transfer_id = (SELECT max(transfer_id) FROM handfast_ledger.entries AS e JOIN"
        " handfast_ledger.accounts AS a ON a.id = e.account_id WHERE a.owner = 'cora')",
        "UPDATE handfast_ledger.accounts SET balance = balance * 2 WHERE owner = 'cora'",
        "DELETE FROM handfast_ledger.seals",
        "DELETE FROM handfast_ledger.seal_totals",
    )
    await desk.seal_all(transfers=3)
    await desk.assert_sound()
    assert await both(desk, tmp_path) == ([], []), "beside its rows a chain proves little"
    ours, theirs = await both(desk, tmp_path, kept)
    assert ours
    assert theirs


async def test_a_balance_changed_without_an_entry(desk: LedgerDesk) -> None:
    await desk.unguarded("UPDATE handfast_ledger.accounts SET balance = 5 WHERE owner = 'cora'")
    report = await check_ledger(desk.database)
    assert [finding.problem for finding in report.findings] == [
        "the stored balance is not that of the newest entry"
    ]
    assert report.imbalance == 995


async def test_one_connection_is_enough_and_progress_goes_on(desk: LedgerDesk) -> None:
    told: list[float] = []
    async with await Database.open(desk.database.target, pool_size=1) as narrow:
        report = await check_ledger(narrow, progress=told.append)
    assert report.passed
    assert told == sorted(told)
    assert told[-1] == 1.0


async def test_escrow_that_nobody_holds(desk: LedgerDesk) -> None:
    await desk.unguarded("DELETE FROM handfast_ledger.holds WHERE owner = 'ben'")
    report = await check_ledger(desk.database)
    assert [finding.problem for finding in report.findings] == ["escrow is not what is held"]


async def test_an_export_overwrites_nothing(desk: LedgerDesk, tmp_path: Path) -> None:
    file = tmp_path / "there"
    file.write_text("mine")
    with pytest.raises(LedgerExportFailed, match="exists"):
        await export_ledger(desk.database, file)
    assert file.read_text() == "mine"
    assert independent(file)[0] == 1


async def test_a_file_that_was_cut(desk: LedgerDesk, tmp_path: Path) -> None:
    file = tmp_path / "whole"
    await export_ledger(desk.database, file)
    whole = file.read_bytes()
    for at in range(0, len(whole) - 1, 211):
        cut = tmp_path / f"cut-{at}"
        cut.write_bytes(whole[:at])
        assert independent(cut)[0] == 1, at


async def test_rows_from_before_a_restore_are_sealed_first(
    desk: LedgerDesk, tmp_path: Path
) -> None:
    """As after a dump and restore into a younger server: the rows are of transactions to come."""
    await desk.unguarded(
        "UPDATE handfast_ledger.transfers SET xid ="
        " (xid::text::bigint + 1000000000)::text::xid8 WHERE id > 3",
        "UPDATE handfast_ledger.accounts SET xid = (xid::text::bigint + 1000000000)::text::xid8",
        "DELETE FROM handfast_ledger.seals",
        "DELETE FROM handfast_ledger.seal_totals",
    )
    await desk.deposit("dora", 5)
    await desk.deposit("anna", 5)
    seals = await desk.seal_all(transfers=4)
    assert [seal.epoch for seal in seals] == sorted(seal.epoch for seal in seals)
    assert {seal.epoch for seal in seals} == {1, 2}
    unsealed = "SELECT count(*) FROM handfast_ledger.transfers"
    assert await desk.fetch(unsealed) > 3
    assert await both(desk, tmp_path, seals[-1].head) == ([], [])
    await desk.assert_sound()
    await desk.deposit("anna", 5)
    [more] = await desk.seal_all()
    assert more.epoch == 2
