"""Alive, ready, and what is running."""

from typing import Annotated, Literal

import msgspec

from handfast.base.settings import Mode
from handfast.base.words import OneOf


class Health(msgspec.Struct):
    status: Literal["ok"]
    version: str


class Readiness(msgspec.Struct):
    """``lanes`` are those that this process works on."""

    status: Literal["ready"]
    checks: dict[str, str]
    lanes: list[str]


class SystemView(msgspec.Struct, rename="camel"):
    """``connections`` are those of Handfast to this database now; ``transactions`` all that it has
    ended since its figures were reset: of two answers, the difference over the time between their
    ``now`` is what is done a second."""

    version: str
    mode: Annotated[str, OneOf(Mode)]
    embedded: bool
    database: str
    server_version: str
    database_bytes: int
    now: str
    migrations_applied: int
    migrations_pending: list[str]
    connections: int
    transactions: int
