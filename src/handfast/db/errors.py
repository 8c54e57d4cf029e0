"""Errors of the database, and of our way to it."""

from handfast.base.errors import DatabaseError


class CommitUnknown(DatabaseError):
    """The connection broke while COMMIT was under way: the work may or may not be stored.

    Never retried for the caller: only the caller knows how to find out.
    """

    code = "COMMIT_UNKNOWN"
    title = "The outcome of the commit is unknown"
    status = 500  # 503 is for what was not done
    told = (
        "It is not known whether this was stored. Look whether it is there before doing it again."
    )


class ConstraintViolated(DatabaseError):
    """A named constraint refused a write. Modules map their own constraints to subclasses."""

    code = "CONSTRAINT_VIOLATED"
    title = "A rule of the database refused the change"
    status = 409
    told = ""  # it is the caller's own doing


class InstantOutOfRange(ConstraintViolated):
    """Stored, it could not be read: PostgreSQL's calendar goes further than anybody else's."""

    code = "INSTANT_OUT_OF_RANGE"
    title = "The instant is not in the years 1 to 9999"
    status = 422


class DatabaseTooOld(DatabaseError):
    code = "DATABASE_TOO_OLD"
    title = "The database server is too old"


class DatabaseUnreachable(DatabaseError):
    code = "DATABASE_UNREACHABLE"
    title = "The database cannot be reached"
    told = "The database cannot be reached."


class RedisAway(DatabaseError):
    """Redis gave no answer in time, or is not asked because it has not lately."""

    code = "REDIS_AWAY"
    title = "Redis does not answer"
    told = (
        "A part of this server does not answer. Try again: with the same key nothing is done twice."
    )


class RightMissing(DatabaseError):
    """The login may not do what Handfast needs; the hint is the GRANT."""

    code = "RIGHT_MISSING"
    title = "The database login lacks a right"


class TransactionContention(DatabaseError):
    """Serialization failures or deadlocks outlasted the bounded retries."""

    code = "TRANSACTION_CONTENTION"
    title = "The transaction kept losing against others"
    told = "Others wanted to change the same things; nothing was stored. Try again."


class TransactionEnded(DatabaseError):
    """Somebody kept a transaction after its end: a fault in the program, which no retry mends."""

    code = "TRANSACTION_ENDED"
    title = "The transaction has ended"
    status = 500
