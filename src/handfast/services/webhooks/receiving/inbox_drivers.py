"""One statement with two parameters, run through whichever driver the receiver uses.

Drivers are told apart by what they are, without importing them: a receiver has one of them, and
this package must not ask for the others.
"""

from typing import Any

from handfast.base.errors import DatabaseError


async def record_with(tx: Any, sql: str, receiver: str, event_id: str) -> bool:
    """Run ``sql``, in which ``{receiver}`` and ``{id}`` stand for the parameters; whether it
    returned a row."""
    match _family(tx):
        case "asyncpg":
            return await _asyncpg(tx, sql, receiver, event_id)
        case "psycopg":
            return await _psycopg(tx, sql, receiver, event_id)
        case "sqlalchemy":
            return await _sqlalchemy(tx, sql, receiver, event_id)
        case _:
            raise TypeError(
                f"a {type(tx).__name__} cannot hold the inbox's record: pass a Transaction of "
                "Handfast, an asyncpg or async psycopg connection, or an AsyncSession or "
                "AsyncConnection of SQLAlchemy"
            )


def _family(tx: Any) -> str | None:
    homes = {cls.__module__.partition(".")[0] for cls in type(tx).__mro__}
    if homes & {"asyncpg", "handfast"}:
        return "asyncpg"
    asynchronous = any("Async" in cls.__name__ for cls in type(tx).__mro__)
    return next((one for one in ("psycopg", "sqlalchemy") if one in homes and asynchronous), None)


async def _asyncpg(tx: Any, sql: str, receiver: str, event_id: str) -> bool:
    # A transaction of ours is one by being there; a bare connection may have none.
    if not getattr(tx, "connection", tx).is_in_transaction():
        raise _no_transaction("async with connection.transaction(): ...")
    made = await tx.fetchval(sql.format(receiver="$1", id="$2"), receiver, event_id)
    return made is not None


async def _psycopg(tx: Any, sql: str, receiver: str, event_id: str) -> bool:
    if tx.autocommit and tx.info.transaction_status.name == "IDLE":
        raise _no_transaction("async with connection.transaction(): ...")
    cursor = await tx.execute(
        sql.format(receiver="%(receiver)s", id="%(id)s"), {"receiver": receiver, "id": event_id}
    )
    return await cursor.fetchone() is not None


async def _sqlalchemy(tx: Any, sql: str, receiver: str, event_id: str) -> bool:
    from sqlalchemy import text  # noqa: PLC0415  # whoever passes a session has it

    result = await tx.execute(
        text(sql.format(receiver=":receiver", id=":id")), {"receiver": receiver, "id": event_id}
    )
    return result.first() is not None


def _no_transaction(example: str) -> DatabaseError:
    return DatabaseError(
        "This connection has no open transaction, so the event would be recorded whether or not "
        "it is handled.",
        hint=f"Open one first: {example}",
    )
