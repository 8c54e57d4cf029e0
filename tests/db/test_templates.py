"""Templates: what is put into a place is what was meant, whatever is in it."""

import pytest

from handfast.db.pool import Database
from handfast.db.templates import Identifier, Literal, PlaceValue, Query, Template, template

HOSTILE = """it's "x"; DROP TABLE t; -- \\' /* $1 {rows}"""


def of(text: str, monkeypatch: pytest.MonkeyPatch, **example: PlaceValue) -> Template[int]:
    monkeypatch.setattr("handfast.db.templates.load", lambda _: text)
    return Template("test.one", int, 5.0, example)


def test_names_are_quoted() -> None:
    assert str(Identifier("runs", "investors_v7")) == '"runs"."investors_v7"'
    assert str(Identifier('a"b')) == '"a""b"'


@pytest.mark.parametrize("names", [(), ("",), ("runs", ""), ("a\0b",)])
def test_what_names_nothing_is_refused(names: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="not the name of anything"):
        Identifier(*names)


def test_a_text_with_nul_is_refused() -> None:
    with pytest.raises(ValueError, match="NUL"):
        Literal("a\0b")


async def test_a_hostile_name_is_a_name(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = Identifier(HOSTILE[:60])
    bound = of("SELECT count(*) FROM {rows} AS r WHERE r.n > $1", monkeypatch, rows=name)
    async with database.connection() as connection:
        await connection.execute(f"CREATE TABLE {name} AS SELECT * FROM generate_series(1, 3) AS n")
        assert await bound.on(rows=name).one(connection, 1) == 2


@pytest.mark.parametrize("conforming", ["on", "off"])
@pytest.mark.parametrize("value", [HOSTILE, "", "'", "\\", -7])
async def test_a_literal_is_its_value(
    database: Database, monkeypatch: pytest.MonkeyPatch, value: str | int, conforming: str
) -> None:
    literal = Literal(value)
    bound = of("SELECT 1 WHERE ({value})::text = $1", monkeypatch, value=literal)
    async with database.transaction() as tx:
        await tx.execute(f"SET LOCAL standard_conforming_strings = {conforming}")
        await tx.execute("SET LOCAL escape_string_warning = off")
        assert await bound.on(value=literal).one(tx, str(value)) == 1


async def test_a_query_may_end_as_it_likes(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = of("SELECT n FROM {rows} AS r", monkeypatch, rows=Identifier("t"))
    async with database.connection() as connection:
        assert await bound.on(rows=Query("SELECT 3 AS n ; \n")).one(connection) == 3
        assert await bound.on(rows=Query("SELECT 4 AS n -- four")).one(connection) == 4


def test_arrays_and_json_are_no_places(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """SELECT '{}'::jsonb, '{"a": 1}'::jsonb, '{1,2}'::int[] FROM {rows}"""
    bound = of(text, monkeypatch, rows=Identifier("t"))
    assert bound.places == {"rows"}
    assert bound.example.sql == text.replace("{rows}", '"t"')


def test_every_place_is_filled_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    bound = of("SELECT 1 FROM {rows}", monkeypatch, rows=Identifier("t"))
    with pytest.raises(ValueError, match="places"):
        bound.on()
    with pytest.raises(ValueError, match="places"):
        bound.on(rows=Identifier("t"), more=Identifier("t"))


def test_plain_text_fits_into_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    bound = of("SELECT 1 FROM {rows}", monkeypatch, rows=Identifier("t"))
    with pytest.raises(TypeError, match="takes no text"):
        bound.on(rows="t; DROP TABLE t")  # type: ignore[arg-type]


def test_a_template_is_bound_once() -> None:
    with pytest.raises(ValueError, match="bound twice"):
        template("engine.list_gaps", row=int, example={})
