"""Transactions: the caller owns them, and constraints have names."""

import asyncpg
import pytest

from handfast.base.errors import DatabaseError
from handfast.db import constraints
from handfast.db.errors import ConstraintViolated
from handfast.db.pool import Database
from handfast.db.transaction import joined


class WalletEmpty(ConstraintViolated):
    code = "TEST_WALLET_EMPTY"
    title = "There is not enough in the wallet"
    status = 402


@pytest.fixture
async def wallets(database: Database, monkeypatch: pytest.MonkeyPatch) -> Database:
    monkeypatch.setitem(constraints.BY_CONSTRAINT, "wallet_not_negative", WalletEmpty)
    async with database.transaction() as tx:
        await tx.execute(
            "CREATE TABLE wallet (id int PRIMARY KEY, amount int NOT NULL,"
            " CONSTRAINT wallet_not_negative CHECK (amount >= 0))"
        )
        await tx.execute("INSERT INTO wallet VALUES (1, 100)")
    return database


async def amount(database: Database) -> int:
    async with database.connection() as connection:
        found: int = await connection.fetchval("SELECT amount FROM wallet WHERE id = 1")
        return found


async def test_it_commits_at_the_end(wallets: Database) -> None:
    async with wallets.transaction() as tx:
        await tx.execute("UPDATE wallet SET amount = 50")
        assert await amount(wallets) == 100
    assert await amount(wallets) == 50


async def test_any_exception_undoes_it(wallets: Database) -> None:
    with pytest.raises(KeyError):
        async with wallets.transaction() as tx:
            await tx.execute("UPDATE wallet SET amount = 50")
            raise KeyError
    assert await amount(wallets) == 100


async def test_a_named_constraint_is_a_named_error(wallets: Database) -> None:
    with pytest.raises(WalletEmpty) as caught:
        async with wallets.transaction() as tx:
            await tx.execute("UPDATE wallet SET amount = -1")
    assert caught.value.extra["constraint"] == "wallet_not_negative"


async def test_a_constraint_without_an_owner_is_still_ours(wallets: Database) -> None:
    with pytest.raises(ConstraintViolated) as caught:
        async with wallets.transaction() as tx:
            await tx.execute("INSERT INTO wallet VALUES (1, 5)")
    assert type(caught.value) is ConstraintViolated
    assert caught.value.extra["constraint"] == "wallet_pkey"


async def test_a_deferred_constraint_is_named_at_commit(wallets: Database) -> None:
    async with wallets.transaction() as tx:
        await tx.execute(
            "CREATE TABLE leg (id int, of int CONSTRAINT leg_of_wallet REFERENCES wallet"
            " DEFERRABLE INITIALLY DEFERRED)"
        )
    with pytest.raises(ConstraintViolated) as caught:
        async with wallets.transaction() as tx:
            await tx.execute("INSERT INTO leg VALUES (1, 99)")
    assert caught.value.extra["constraint"] == "leg_of_wallet"


async def test_a_constraint_is_claimed_once() -> None:
    constraints.register({"test_claimed_once": ConstraintViolated})
    try:
        constraints.register({"test_claimed_once": ConstraintViolated})
        with pytest.raises(ValueError, match="test_claimed_once"):
            constraints.register({"test_claimed_once": WalletEmpty})
    finally:
        del constraints.BY_CONSTRAINT["test_claimed_once"]


async def test_a_savepoint_fails_alone(wallets: Database) -> None:
    async with wallets.transaction() as tx:
        await tx.execute("UPDATE wallet SET amount = 70")
        with pytest.raises(WalletEmpty):
            async with tx.savepoint():
                await tx.execute("UPDATE wallet SET amount = -5")
    assert await amount(wallets) == 70


async def test_joining_a_transaction_of_the_callers(wallets: Database, dsn: str) -> None:
    mine = await asyncpg.connect(dsn)
    try:
        with pytest.raises(DatabaseError, match="no open transaction"):
            joined(mine)
        async with mine.transaction():
            await joined(mine).execute("UPDATE wallet SET amount = 1")
            assert await amount(wallets) == 100
        assert await amount(wallets) == 1
    finally:
        await mine.close()
