"""What the database refuses, whoever asks: rules with names, and names that are errors."""

import asyncpg
import pytest

from handfast.db import constraints
from handfast.db.pool import Database
from handfast.services.ledger import errors, rules
from handfast.services.ledger.errors import (
    AmountInvalid,
    InsufficientFunds,
    LedgerAppendOnly,
    OtherCurrency,
    TransferUnbalanced,
)
from handfast.services.ledger.posting.commands import transfer
from handfast.services.ledger.values import wallet
from tests.support.ledger_desk import LedgerDesk

pytestmark = pytest.mark.on_every_postgres

TRANSFER = (
    "INSERT INTO handfast_ledger.transfers (id, xid, at, kind, epoch, request, reference)"
    " VALUES (1000, pg_current_xact_id(), now(), 'PAYOUT', 1, '', 'by hand');"
)
ENTRIES = (
    "INSERT INTO handfast_ledger.entries"
    " (transfer_id, line, account_id, amount, balance, at, kind) "
)


@pytest.fixture
async def desk(database: Database) -> LedgerDesk:
    desk = LedgerDesk(database)
    await desk.deposit("anna", 100)
    await desk.deposit("dora", 100, currency="USD")
    await desk.stake("anna", 10, 0)
    return desk


async def account(
    desk: LedgerDesk, kind: str, owner: str | None = None, currency: str = "EUR"
) -> int:
    sql = "SELECT handfast_ledger.account_called($1, $2, $3)"
    return int(await desk.fetch(sql, kind, owner, currency))


async def by_hand(desk: LedgerDesk, sql: str, *args: object) -> None:
    async with desk.database.transaction() as tx:
        await tx.execute(TRANSFER.rstrip(";"))
        await tx.execute(sql, *args)


async def test_entries_that_do_not_sum_to_zero(desk: LedgerDesk) -> None:
    cash, escrow = await account(desk, "cash"), await account(desk, "escrow")
    values = (
        "VALUES (1000, 1, $1, -5, NULL, now(), 'PAYOUT'), (1000, 2, $2, 4, NULL, now(), 'PAYOUT')"
    )
    with pytest.raises(TransferUnbalanced, match="sum to -1"):
        await by_hand(desk, ENTRIES + values, cash, escrow)
    with pytest.raises(TransferUnbalanced):  # half of it, the rest to follow
        await by_hand(desk, ENTRIES + "VALUES (1000, 1, $1, -5, NULL, now(), 'PAYOUT')", cash)


async def test_entries_of_no_account_or_of_two_currencies(desk: LedgerDesk) -> None:
    cash, dollars = await account(desk, "cash"), await account(desk, "cash", currency="USD")
    values = (
        "VALUES (1000, 1, $1, -5, NULL, now(), 'PAYOUT'), (1000, 2, $2, 5, NULL, now(), 'PAYOUT')"
    )
    with pytest.raises(OtherCurrency):
        await by_hand(desk, ENTRIES + values, cash, dollars)
    with pytest.raises(TransferUnbalanced, match="not a whole one"):
        await by_hand(desk, ENTRIES + values, cash, 99_999)
    with pytest.raises(TransferUnbalanced):  # a player's entry has the balance after it
        await by_hand(desk, ENTRIES + values, cash, await account(desk, "wallet", "anna"))


async def test_nobody_adds_to_a_transfer_that_is_committed(desk: LedgerDesk) -> None:
    posted = await desk.transfer(rules.deposit("d", "anna", 5, "EUR"))
    cash, escrow = await account(desk, "cash"), await account(desk, "escrow")
    values = (
        f"VALUES ({posted.transfer_id}, 8, $1, -5, NULL, now(), 'PAYOUT'),"
        f" ({posted.transfer_id}, 9, $2, 5, NULL, now(), 'PAYOUT')"
    )
    with pytest.raises(LedgerAppendOnly):
        await by_hand(desk, ENTRIES + values, cash, escrow)


async def test_amounts_and_balances_have_bounds(desk: LedgerDesk) -> None:
    cash, escrow = await account(desk, "cash"), await account(desk, "escrow")
    values = (
        "VALUES (1000, 1, $1, $3, NULL, now(), 'PAYOUT'), (1000, 2, $2, -$3, NULL, now(), 'PAYOUT')"
    )
    for amount in (0, 10**12 + 1):
        with pytest.raises(AmountInvalid):
            await by_hand(desk, ENTRIES + values, cash, escrow, amount)
    with pytest.raises(InsufficientFunds):
        async with desk.database.transaction() as tx:
            await tx.execute(
                "UPDATE handfast_ledger.accounts SET balance = -1 WHERE owner = 'anna'"
            )


@pytest.mark.parametrize("table", ["transfers", "entries", "seals", "seal_totals", "epochs"])
@pytest.mark.parametrize("change", ["UPDATE {} SET {} = {}", "DELETE FROM {}", "TRUNCATE {}"])
async def test_what_is_written_stays(desk: LedgerDesk, table: str, change: str) -> None:
    await desk.seal_all()
    column = {"entries": "amount", "seal_totals": "total", "epochs": "began_at", "seals": "hash"}
    name = column.get(table, "reference")
    with pytest.raises(LedgerAppendOnly):
        async with desk.database.transaction() as tx:
            await tx.execute(change.format(f"handfast_ledger.{table}", name, name))


async def test_an_account_stays_what_it_is(desk: LedgerDesk) -> None:
    for change in (
        "UPDATE handfast_ledger.accounts SET owner = 'eve' WHERE owner = 'anna'",
        "UPDATE handfast_ledger.accounts SET currency = 'USD' WHERE owner = 'anna'",
        "DELETE FROM handfast_ledger.accounts",
    ):
        with pytest.raises(LedgerAppendOnly):
            async with desk.database.transaction() as tx:
                await tx.execute(change)


async def test_the_owner_of_the_tables_has_no_right_to_change_them(desk: LedgerDesk) -> None:
    rights = await desk.fetch(
        "SELECT count(*) FROM pg_class AS c, aclexplode(c.relacl) AS a"
        " WHERE c.relnamespace = 'handfast_ledger'::regnamespace AND c.relkind = 'r'"
        " AND c.relname NOT IN ('accounts', 'holds')"
        " AND a.privilege_type IN ('UPDATE', 'DELETE', 'TRUNCATE')"
    )
    assert rights == 0
    named = await desk.fetch(
        "SELECT count(*) FROM pg_class WHERE relnamespace = 'handfast_ledger'::regnamespace"
        " AND relkind = 'r' AND relacl IS NULL AND relname NOT IN ('accounts', 'holds')"
    )
    assert named == 0, "without an ACL the owner has every right"


async def test_nothing_is_for_public(desk: LedgerDesk) -> None:
    async with desk.database.transaction() as tx:
        await tx.execute("CREATE ROLE ledger_stranger")
        await tx.execute("SET LOCAL ROLE ledger_stranger")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with tx.savepoint():
                await tx.execute("SELECT 1 FROM handfast_ledger.accounts")
        may = await tx.fetchval(
            "SELECT bool_or(has_function_privilege(p.oid, 'EXECUTE')) FROM pg_proc AS p"
            " JOIN pg_namespace AS n ON n.oid = p.pronamespace WHERE n.nspname = 'handfast_ledger'"
        )
        assert may is False
        await tx.execute("RESET ROLE")
        await tx.execute("DROP ROLE ledger_stranger")


async def test_every_named_rule_exists(desk: LedgerDesk) -> None:
    """An error for a rule that nobody has would never be raised."""
    ours = {
        name
        for name, error in constraints.BY_CONSTRAINT.items()
        if error.__module__ == errors.__name__
    }
    async with desk.database.connection() as connection:
        rows = await connection.fetch(
            "SELECT conname FROM pg_constraint WHERE connamespace = 'handfast_ledger'::regnamespace"
            " UNION SELECT encode(substring(tgargs FROM 1 FOR length(tgargs) - 1), 'escape')"
            " FROM pg_trigger WHERE tgnargs = 1"
        )
        source = await connection.fetchval(
            "SELECT prosrc FROM pg_proc WHERE proname = 'check_entries'"
        )
    known = {row[0] for row in rows}
    assert {name for name in ours if name not in known and f"'{name}'" not in source} == set()


async def test_serialization_is_not_missing_funds(desk: LedgerDesk, dsn: str) -> None:
    """In a snapshot that is older than somebody's transfer the account cannot be locked."""
    async with desk.database.transaction("repeatable_read") as tx:
        await tx.execute("SELECT 1 FROM handfast_ledger.accounts")
        await desk.deposit("anna", 5)
        with pytest.raises(asyncpg.SerializationError):
            await transfer(tx, rules.withdrawal("w", "anna", 1, "EUR"))
    assert await desk.balance(wallet("anna")) == 95
