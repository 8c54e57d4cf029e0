"""Facts are stated in a transaction, and every hook does its part in the same one, in order."""

from typing import Any

import pytest

from handfast.db.pool import Database
from handfast.engine.capability import Capability, Fact, Hook, switched_on
from handfast.engine.hooks import Hooks

HERE = "tests.engine.test_hooks"
PEOPLE = Capability("people", "", facts=(Fact("pair.blocked", ("first", "second")),))
OFFERS = Capability("offers", "", hooks=(Hook("pair.blocked", f"{HERE}:end_offers"),))
CHAT = Capability("chat", "", hooks=(Hook("pair.blocked", f"{HERE}:close_chat"),))
LATE = Capability("late", "", hooks=(Hook("pair.blocked", f"{HERE}:fails"),))
KNOWN = (PEOPLE, OFFERS, CHAT, LATE)


async def end_offers(tx: Any, first: str, second: str) -> None:
    await tx.execute("INSERT INTO done VALUES ('offers', $1, $2)", first, second)


async def close_chat(tx: Any, first: str, second: str) -> None:
    await tx.execute("INSERT INTO done VALUES ('chat', $1, $2)", first, second)


async def fails(tx: Any, first: str, second: str) -> None:
    raise LookupError(first)


async def takes_other_words(tx: Any, one: str) -> None:
    raise AssertionError(tx, one)


@pytest.fixture
async def stage(database: Database) -> Database:
    async with database.transaction() as tx:
        await tx.execute("CREATE TABLE done (who text, first text, second text)")
    return database


async def done(database: Database) -> list[str]:
    async with database.connection() as connection:
        return [row[0] for row in await connection.fetch("SELECT who FROM done")]


async def test_hooks_are_called_in_the_order_of_the_capabilities(stage: Database) -> None:
    hooks = Hooks(switched_on(KNOWN, ["chat", "offers", "people"]))
    async with stage.transaction() as tx:
        await hooks.state(tx, "pair.blocked", first="a", second="b")
    assert await done(stage) == ["offers", "chat"]
    assert hooks.listed == {"pair.blocked": [f"{HERE}:end_offers", f"{HERE}:close_chat"]}


async def test_all_of_it_or_nothing(stage: Database) -> None:
    hooks = Hooks(switched_on(KNOWN, None))
    with pytest.raises(LookupError):
        async with stage.transaction() as tx:
            await hooks.state(tx, "pair.blocked", first="a", second="b")
    assert await done(stage) == []


async def test_what_is_off_is_not_called(stage: Database) -> None:
    hooks = Hooks(switched_on(KNOWN, ["people"]))
    async with stage.transaction() as tx:
        await hooks.state(tx, "pair.blocked", first="a", second="b")
    assert await done(stage) == []


def test_a_fact_of_what_is_off_needs_nobody() -> None:
    assert Hooks(switched_on(KNOWN, ["offers"])).listed == {}


async def test_a_fact_tells_what_it_declares(stage: Database) -> None:
    hooks = Hooks(switched_on(KNOWN, ["people"]))
    async with stage.transaction() as tx:
        with pytest.raises(TypeError, match="tells first, second"):
            await hooks.state(tx, "pair.blocked", first="a")


async def test_a_hook_takes_what_the_fact_tells(stage: Database) -> None:
    wrong = Capability("x", "", hooks=(Hook("pair.blocked", f"{HERE}:takes_other_words"),))
    hooks = Hooks(switched_on((PEOPLE, wrong), None))
    async with stage.transaction() as tx:
        with pytest.raises(TypeError, match=r"takes \['one'\]"):
            await hooks.state(tx, "pair.blocked", first="a", second="b")


def test_a_fact_that_nobody_declares() -> None:
    wrong = Capability("x", "", hooks=(Hook("pair.bocked", f"{HERE}:fails"),))
    with pytest.raises(ValueError, match="nobody declares"):
        Hooks(switched_on((PEOPLE, wrong), None))
