"""Statements whose text is whole only when they are run.

What changes from call to call is a parameter, wherever PostgreSQL takes one. It takes none for the
name of a table, as the versions of a corpus have one each, nor for a query that a program declared.
Such a statement has places in braces:

    STARTUPS = template(
        "runs.version_startups",
        row=StartupRow,
        example={"startups": Identifier("handfast_runs", "startup_uploads")},
    )
    rows = await STARTUPS.on(startups=Identifier("handfast_runs",
    "startup_uploads_v7")).all(connection)

Only the three kinds of values below fit into a place, and each writes itself so that it cannot be
mistaken for anything else. With the example that is given at the declaration,
``tests/schema`` prepares every template as it does every statement.
"""

import re
from collections.abc import Mapping
from typing import Any, Generic, TypeAlias, TypeVar

from handfast.db.statements import SECONDS_MAX, Statement, load

R = TypeVar("R")

_PLACE = re.compile(r"\{(?P<name>[a-z_]+)\}")  # '{}' and JSON are no places


class Identifier:
    """The name of a table, a column or the like, with its schema before it if it has one."""

    def __init__(self, *names: str) -> None:
        if not names or not all(names) or "\0" in "".join(names):
            raise ValueError(f"{names!r} is not the name of anything in PostgreSQL")
        self.names = names

    def __str__(self) -> str:
        return ".".join('"' + name.replace('"', '""') + '"' for name in self.names)


class Literal:
    """A constant, where the text must stand by itself and so can have no parameter."""

    def __init__(self, value: str | int) -> None:
        if isinstance(value, str) and "\0" in value:
            raise ValueError("a text of PostgreSQL has no NUL")
        self.value = value

    def __str__(self) -> str:
        if isinstance(self.value, int):
            return f"({self.value:d})"
        # With E, backslashes mean the same whatever standard_conforming_strings says.
        return "E'" + self.value.replace("\\", "\\\\").replace("'", "''") + "'"


class Query:
    """A query that a program has declared, as trustworthy as the program is."""

    def __init__(self, sql: str) -> None:
        self.sql = sql.strip().rstrip(";")

    def __str__(self) -> str:
        return f"(\n{self.sql}\n)"  # it may end with a comment


PlaceValue: TypeAlias = Identifier | Literal | Query


class Template(Generic[R]):
    """A named text with places, and the type of its rows."""

    def __init__(
        self, name: str, row: type[R], seconds: float, example: Mapping[str, PlaceValue]
    ) -> None:
        self.name = name
        self.row = row
        self.seconds = seconds
        self.text = load(name)
        self.places = frozenset(_PLACE.findall(self.text))
        self.example = self.on(**example)

    def on(self, **values: PlaceValue) -> Statement[R]:
        """The statement with every place filled."""
        if values.keys() != self.places:
            raise ValueError(f"{self.name} has the places {sorted(self.places)}, not {[*values]}")
        if not all(isinstance(value, PlaceValue) for value in values.values()):
            raise TypeError(f"a place of {self.name} takes no text that could be anything")
        sql = _PLACE.sub(lambda place: str(values[place["name"]]), self.text)
        return Statement(self.name, self.row, self.seconds, sql=sql)


TEMPLATES: dict[str, Template[Any]] = {}


def template(
    name: str,
    *,
    row: type[R],
    example: Mapping[str, PlaceValue],
    seconds: float = SECONDS_MAX,
) -> Template[R]:
    """Bind ``schema.name`` to its row type, with an example of what fills its places."""
    if name in TEMPLATES:
        raise ValueError(f"template {name!r} is bound twice")
    TEMPLATES[name] = bound = Template(name, row, seconds, example)
    return bound
