"""A transaction whose beginning and end are in different places.

``Database.transaction()`` is a block; here the owner begins, hands the transaction to somebody
else, and ends it later. The owner may have a last word: one more statement that is sent in the same
message as COMMIT, so that it costs no round trip. If it fails, nothing is committed. And while
somebody waits for a connection to begin such a transaction, their BEGIN is in that message too.
"""

from typing import NamedTuple, Self

import asyncpg

from handfast.base.errors import DatabaseError
from handfast.base.telemetry import COMMITS_UNKNOWN
from handfast.db.constraints import named
from handfast.db.errors import CommitUnknown
from handfast.db.pool import BROKEN, Database, Isolation, Lent, said
from handfast.db.transaction import COMMIT_SECONDS, WORD_SECONDS, Transaction, hang_up

_BEGIN: dict[Isolation, str] = {
    "read_committed": "BEGIN ISOLATION LEVEL READ COMMITTED",
    "repeatable_read": "BEGIN ISOLATION LEVEL REPEATABLE READ",
    "serializable": "BEGIN ISOLATION LEVEL SERIALIZABLE",
}


_INTERVENTIONS = (asyncpg.OperatorInterventionError, asyncpg.InsufficientResourcesError)


class Prepared(NamedTuple):
    """A statement that connections keep ready, so that a last word need only name it: reading and
    planning a small statement costs as much as carrying it out."""

    name: str
    sql: str


class OpenTransaction(Transaction):
    """Begun by hand, so that it can be ended with a last word: asyncpg's own transaction objects
    do not know of it, and ``savepoint()`` is the way to have a part that may fail."""

    __slots__ = ("_database", "_lent", "is_prepared")

    def __init__(self, database: Database, lent: Lent, *, is_prepared: bool = False) -> None:
        super().__init__(lent.connection, ours=True)
        self._database = database
        self._lent = lent
        self.is_prepared = is_prepared  # the last word may EXECUTE what ``begin`` was given

    @classmethod
    async def begin(
        cls,
        database: Database,
        isolation: Isolation = "read_committed",
        prepared: Prepared | None = None,
    ) -> Self:
        """``prepared`` travels with BEGIN when this connection does not have it yet. Behind a
        transaction pooler it never does: the next transaction may be on another connection."""
        pooler = database.target.transaction_pooling
        wanted = None if pooler else prepared
        # Behind a pooler, one connection of the server's would go from hand to hand among us, and
        # nobody else's turn would come.
        lent = await database.lend("" if pooler else _BEGIN[isolation])
        try:
            known = _prepared_on(lent)
            begin = "" if lent.connection.is_in_transaction() else _BEGIN[isolation]
            if wanted is not None and wanted.name not in known:
                await _begin_and_prepare(lent, begin, wanted)
                known.add(wanted.name)
            elif begin:
                await lent.connection.execute(begin, timeout=WORD_SECONDS)
        except BaseException:
            await database.take_back(lent, well=False)
            raise
        return cls(database, lent, is_prepared=wanted is not None)

    async def commit(self, last_word: str = "") -> None:
        """``last_word`` is SQL with its values in it: make sure that they are harmless. When this
        raises, the connection is given back and, unless ``CommitUnknown``, nothing is stored."""
        connection = self.connection
        self.end()
        # In a transaction that has failed, COMMIT is answered by ROLLBACK, and a BEGIN behind it
        # would hide that. A last word fails there.
        begin = self._database.promise(self._lent) if last_word else ""
        answer = ""
        try:
            answer = await connection.execute(
                "; ".join(filter(None, (last_word, "COMMIT", begin))), timeout=COMMIT_SECONDS
            )
        except asyncpg.IntegrityConstraintViolationError as violation:
            raise named(violation) from violation
        except asyncpg.InvalidSQLStatementNameError:  # the owner threw away what was prepared
            _prepared_on(self._lent).clear()
            raise
        except BROKEN as broken:
            raise _unknown("The connection broke", broken) from broken
        except _INTERVENTIONS as stopped:
            if not begin or connection.is_in_transaction():
                raise
            # One that comes during COMMIT stops what is behind it.
            raise _unknown("The server was interrupted", stopped) from stopped
        finally:
            if answer != "BEGIN" or not self._database.hand_over(self._lent, begin):
                await self._give_back()
        if answer == "ROLLBACK":
            raise DatabaseError(
                "A statement of this transaction had failed, so PostgreSQL rolled it back.",
                hint="Let the error of that statement pass, or put it into a savepoint.",
            )
        self._database.committed(self)

    async def rollback(self) -> None:
        """Undo what is not committed, and give the connection back. A second time, or after a
        commit, it does nothing."""
        if self._connection is not None:
            self.end()
            await self._give_back()

    async def _give_back(self) -> None:
        connection = self._lent.connection
        well = False
        try:
            if connection.is_in_transaction() and not connection.is_closed():
                await connection.execute("ROLLBACK", timeout=WORD_SECONDS)
            well = True
        except (asyncpg.PostgresError, *BROKEN):
            pass  # the connection is dropped, and has rolled back by itself
        finally:
            await self._database.take_back(self._lent, well=well)


def _unknown(what: str, error: Exception) -> CommitUnknown:
    COMMITS_UNKNOWN.inc()
    return CommitUnknown(
        f"{what} while the transaction was being committed ({said(error)}); it may or may not have "
        "been stored.",
        hint="Look whether the work is there before doing it again.",
    )


async def _begin_and_prepare(lent: Lent, begin: str, wanted: Prepared) -> None:
    try:
        # In this order: PREPARE looks at tables, and then it is too late for an isolation level.
        message = (begin, f"PREPARE {wanted.name} AS {wanted.sql}")
        await lent.connection.execute("; ".join(filter(None, message)), timeout=COMMIT_SECONDS)
    except BaseException:
        hang_up(lent.connection)  # nobody knows whether it has the statement now
        raise


def _prepared_on(lent: Lent) -> set[str]:
    """Of our ``Connection``, through the pool's proxy, which is empty once the line was cut."""
    known: set[str] | None = getattr(lent.connection, "prepared", None)
    if known is None:
        raise asyncpg.InterfaceError("the connection was cut before it was used")
    return known
