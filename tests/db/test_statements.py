"""Statements are found by name, and bound once."""

import msgspec
import pytest

from handfast.db.pool import Database
from handfast.db.server_facts import read_server
from handfast.db.statements import Statement, load, parse, statement


def test_a_file_is_split_at_its_names() -> None:
    found = parse("-- preface\n\n-- name: one\nSELECT 1;\n\n-- name: two\n-- why\nSELECT 2\n")
    assert found == {"one": "SELECT 1", "two": "-- why\nSELECT 2"}


def test_two_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="'one'"):
        parse("-- name: one\nSELECT 1;\n-- name: one\nSELECT 2;\n")


@pytest.mark.parametrize("name", ["db.nonsense", "nowhere.server"])
def test_an_unknown_name_is_refused(name: str) -> None:
    with pytest.raises(LookupError, match=name.partition(".")[2]):
        load(name)


def test_a_statement_is_bound_once() -> None:
    with pytest.raises(ValueError, match="bound twice"):
        statement("db.server", row=str)


async def test_rows_are_typed(database: Database) -> None:
    async with database.connection() as connection:
        server = await read_server(connection)
        assert server.now.tzinfo is not None
        assert server.database.startswith("test_")


class Pair(msgspec.Struct):
    a: int
    b: str


async def test_how_many_rows(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "handfast.db.statements.load",
        lambda _: "SELECT n, n::text FROM generate_series(1, $1::int) AS n",
    )
    pairs = Statement("test.pairs", Pair)
    numbers = Statement("test.numbers", int)
    async with database.connection() as connection:
        assert await pairs.all(connection, 2) == [Pair(1, "1"), Pair(2, "2")]
        assert await numbers.all(connection, 3) == [1, 2, 3]
        assert await numbers.one(connection, 1) == 1
        assert await numbers.maybe(connection, 0) is None
        with pytest.raises(LookupError, match=r"test\.numbers"):
            await numbers.one(connection, 0)
