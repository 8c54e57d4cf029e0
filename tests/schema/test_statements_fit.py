"""Every statement prepares on a real server, and its columns are its row type's fields."""

import importlib
import pkgutil
import typing
from datetime import date, datetime, timedelta
from decimal import Decimal
from types import NoneType, UnionType
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
import pytest

import handfast
from handfast.db import statements
from handfast.db.statements import STATEMENTS, Statement
from handfast.db.templates import TEMPLATES

pytestmark = pytest.mark.on_every_postgres

for module in pkgutil.walk_packages(handfast.__path__, "handfast."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)

PYTHON_TYPES = {
    "bool": bool,
    "int2": int,
    "int4": int,
    "int8": int,
    "float4": float,
    "float8": float,
    "numeric": Decimal,
    "text": str,
    "name": str,
    "varchar": str,
    "json": str,
    "jsonb": str,
    "uuid": UUID,
    "date": date,
    "timestamptz": datetime,
    "interval": timedelta,
    "bytea": bytes,
    "xid8": int,
}


def python_type(kind: str) -> Any:
    if kind.endswith("[]"):
        return list
    return PYTHON_TYPES[kind]


def without_none(annotation: Any) -> Any:
    if typing.get_origin(annotation) in (typing.Union, UnionType):
        annotation = next(a for a in typing.get_args(annotation) if a is not NoneType)
    return list if typing.get_origin(annotation) is list else annotation


def test_there_are_statements() -> None:
    assert len(STATEMENTS) >= 9


ALL: dict[str, Statement[Any]] = STATEMENTS | {
    name: bound.example for name, bound in TEMPLATES.items()
}


@pytest.mark.parametrize("bound", ALL.values(), ids=ALL)
async def test_columns_are_the_fields(reader: "asyncpg.Connection", bound: Statement[Any]) -> None:
    prepared = await reader.prepare(bound.sql)
    columns = [
        (c.name, python_type(c.type.name))
        for c in prepared.get_attributes()
        if c.type.name != "void"
    ]
    if bound.row is NoneType:
        return
    if issubclass(bound.row, msgspec.Struct):
        hints = typing.get_type_hints(bound.row)
        assert columns == [(f, without_none(hints[f])) for f in bound.row.__struct_fields__]
    else:
        assert [kind for _, kind in columns] == [bound.row]


def test_every_text_is_bound() -> None:
    """A statement that nobody uses is dead."""
    schemas = (folder.name for folder in statements.queries_folder().iterdir())
    texts = {f"{schema}.{name}" for schema in schemas for name in statements.texts(schema)}
    assert texts == set(ALL)
    assert len(ALL) == len(STATEMENTS) + len(TEMPLATES)


def test_a_text_with_places_is_a_template() -> None:
    assert all(bound.places for bound in TEMPLATES.values())


async def test_every_name_is_qualified(reader: "asyncpg.Connection") -> None:
    """Whatever search_path a login has: what a statement means is found without one."""
    await reader.execute("SET search_path = pg_catalog")
    for bound in ALL.values():
        await reader.prepare(bound.sql)
