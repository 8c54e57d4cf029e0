"""Alive, ready, and what is running."""

import msgspec


class Health(msgspec.Struct):
    status: str
    version: str


class Readiness(msgspec.Struct):
    """``lanes`` are those that this process works on."""

    status: str
    checks: dict[str, str]
    lanes: list[str]


class SystemView(msgspec.Struct, rename="camel"):
    version: str
    mode: str
    embedded: bool
    database: str
    server_version: str
    database_bytes: int
    now: str
    migrations_applied: int
    migrations_pending: list[str]
