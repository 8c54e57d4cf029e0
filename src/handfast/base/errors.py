"""Every error that Handfast raises on purpose, in one tree.

    HandfastError
    ├── SettingsError                 exit 3   what the environment says cannot be used
    ├── MachineError                  exit 4   this machine cannot do what was asked
    │   ├── BinariesMissing
    │   ├── DataFolderUnusable
    │   ├── DataFolderVersion
    │   ├── DiskFull
    │   ├── EmbeddedServerFailed
    │   ├── PortTaken
    │   └── SocketPathTooLong
    ├── DatabaseError                 exit 5   the database, or our way to it
    │   ├── CommitUnknown
    │   ├── ConstraintViolated                 named constraints have their own subclasses
    │   ├── DatabaseTooOld
    │   ├── DatabaseUnreachable
    │   ├── InstantOutOfRange
    │   ├── RedisAway                          callers take their other way
    │   ├── RightMissing
    │   ├── RunsLoginUnfit
    │   ├── TransactionContention
    │   └── TransactionEnded
    ├── MigrationError                exit 6   code and schema do not fit
    │   ├── DatabaseNewer
    │   ├── MigrationEdited
    │   ├── MigrationFailed
    │   ├── MigrationsInvalid
    │   └── MigrationsPending
    ├── EngineError                            jobs, and how they are declared and enqueued
    │   ├── ChainInvalid
    │   ├── ExpectationInvalid
    │   ├── JobInvalid
    │   ├── JobMoveRefused
    │   ├── JobTooLarge
    │   ├── KindInvalid
    │   ├── LeaseLost
    │   ├── PayloadInvalid
    │   ├── ScheduleInvalid
    │   └── WorkerLost
    ├── CorpusError                   exit 9   versions of the corpus, and what is loaded into them
    │   ├── CorpusBuildLost
    │   ├── CorpusBusy
    │   ├── CorpusColumnsWrong
    │   ├── CorpusFileUnreadable
    │   ├── CorpusMoved
    │   ├── CorpusRefused
    │   ├── CorpusTooManyBadRows
    │   └── CorpusVersionUnusable
    ├── FixtureError                  exit 10  fixtures, and where they come from
    │   ├── FixtureAliasRefused
    │   ├── FixtureSourceUnreadable
    │   ├── LineupsUnavailable
    │   ├── OutputFrozen
    │   └── PipelineInvalid
    ├── RequestError                  4xx      what a caller asked for
    │   ├── BodyTooLarge
    │   ├── Conflict
    │   ├── CorpusRetired
    │   ├── HeadTooLarge
    │   ├── IdempotencyInProgress
    │   ├── IdempotencyKeyMalformed
    │   ├── IdempotencyKeyMissing
    │   ├── IdempotencyKeyReused
    │   ├── IdempotencyResponseNotKept
    │   ├── InvalidEndpointUrl
    │   ├── InvalidRequest
    │   ├── InvalidUrl
    │   ├── NotAuthenticated
    │   ├── NotAllowed
    │   ├── NotFound
    │   ├── RequestTimeout
    │   ├── TooManyBodies
    │   ├── TooManyRequests
    │   ├── WebhookSecretInvalid
    │   └── WebhookSignatureInvalid
    ├── CallError                     exit 8   a call that we made to another server
    │   ├── CallRefused
    │   └── CallUnanswered
    └── NotReady                      503      alive, but not able to serve yet

Each leaf has a stable ``code`` for programs, a ``title`` for people, an HTTP ``status`` and a CLI
``exit_code``. ``detail`` says what happened, ``hint`` says what to do about it. The edge turns the
same object into an RFC 9457 problem or into a paragraph in a terminal.
"""

from typing import Any, ClassVar


class HandfastError(Exception):
    """The root: catch this to catch everything that Handfast raises on purpose."""

    code: ClassVar[str] = "INTERNAL_ERROR"
    title: ClassVar[str] = "Something went wrong inside Handfast"
    status: ClassVar[int] = 500
    exit_code: ClassVar[int] = 1
    # What whoever sent a request is told instead of the detail and the hint, where those name
    # addresses, files and settings of ours: they are for the log. Empty: the detail itself.
    told: ClassVar[str] = ""

    def __init__(self, detail: str, *, hint: str | None = None, **extra: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.hint = hint
        self.extra = extra

    def __str__(self) -> str:
        return f"{self.detail} {self.hint}" if self.hint else self.detail

    @property
    def type(self) -> str:
        """The stable problem type of RFC 9457, made from the code."""
        return problem_type(self.code)

    def as_problem(self) -> dict[str, Any]:
        """The members of an RFC 9457 problem, for strangers."""
        return {
            "type": self.type,
            "title": self.title,
            "status": self.status,
            "detail": self.told or self.detail,
            "code": self.code,
            "message": self.told or str(self),
        }


def problem_type(code: str) -> str:
    """``IDEMPOTENCY_KEY_REUSED`` becomes ``urn:handfast:problem:idempotency-key-reused``."""
    return f"urn:handfast:problem:{code.lower().replace('_', '-')}"


# --- settings ---------------------------------------------------------------------------------


class SettingsError(HandfastError):
    """One or more settings are wrong; the detail names each of them."""

    code = "SETTINGS_INVALID"
    title = "Some settings cannot be used"
    exit_code = 3
    told = "This server is not set up for that. Its log has the details."


# --- the machine ------------------------------------------------------------------------------


class MachineError(HandfastError):
    code = "MACHINE_ERROR"
    title = "This machine cannot do what was asked"
    exit_code = 4
    told = "This server cannot do that at the moment. Its log has the details."


class BinariesMissing(MachineError):
    code = "BINARIES_MISSING"
    title = "The embedded PostgreSQL is not installed"


class DataFolderUnusable(MachineError):
    code = "DATA_FOLDER_UNUSABLE"
    title = "The data folder cannot be used"


class DataFolderVersion(MachineError):
    code = "DATA_FOLDER_VERSION"
    title = "The data folder belongs to another major version of PostgreSQL"


class DiskFull(MachineError):
    code = "DISK_FULL"
    title = "The disk is full"


class EmbeddedServerFailed(MachineError):
    code = "EMBEDDED_SERVER_FAILED"
    title = "The embedded PostgreSQL did not start"


class PortTaken(MachineError):
    code = "PORT_TAKEN"
    title = "The port is taken"


class SocketPathTooLong(MachineError):
    code = "SOCKET_PATH_TOO_LONG"
    title = "The path of the database socket is too long"


# --- the database -----------------------------------------------------------------------------


class DatabaseError(HandfastError):
    code = "DATABASE_ERROR"
    title = "The database could not do what was asked"
    status = 503
    exit_code = 5
    told = "The database could not do what was asked. The server's log has the details."


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


class RunsLoginUnfit(DatabaseError):
    """The login that match runs are worked on with may do too much, or too little."""

    code = "RUNS_LOGIN_UNFIT"
    title = "Match runs cannot be worked on with that database login"


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


# --- migrations -------------------------------------------------------------------------------


class MigrationError(HandfastError):
    code = "MIGRATION_ERROR"
    title = "The database schema does not fit this version of Handfast"
    status = 503
    exit_code = 6
    told = "The database is not at the version that this server needs."


class DatabaseNewer(MigrationError):
    code = "DATABASE_NEWER"
    title = "The database is newer than this version of Handfast"


class MigrationEdited(MigrationError):
    code = "MIGRATION_EDITED"
    title = "A migration that was applied has been edited since"


class MigrationFailed(MigrationError):
    code = "MIGRATION_FAILED"
    title = "A migration failed and was rolled back"


class MigrationsInvalid(MigrationError):
    """The files themselves are wrong: a number twice, a hole, a bad name."""

    code = "MIGRATIONS_INVALID"
    title = "The migration files are not in order"


class MigrationsPending(MigrationError):
    code = "MIGRATIONS_PENDING"
    title = "The database has not been migrated yet"
    told = (
        "The database has not been migrated yet. Whoever runs this server runs `handfast migrate`."
    )


# --- the engine -------------------------------------------------------------------------------


class EngineError(HandfastError):
    code = "ENGINE_ERROR"
    title = "The engine cannot do that"
    status = 422


class ChainInvalid(ConstraintViolated):
    """The database refused a chain: a prerequisite that is not there, or the job itself."""

    code = "CHAIN_INVALID"
    title = "These jobs cannot wait for each other like that"
    status = 422


class ExpectationInvalid(EngineError):
    code = "EXPECTATION_INVALID"
    title = "What is expected cannot be computed like that"
    status = 500


class JobInvalid(EngineError):
    code = "JOB_INVALID"
    title = "The job cannot be enqueued like that"


class JobMoveRefused(ConstraintViolated):
    """The database refused a move that is not in the table of moves."""

    code = "JOB_MOVE_REFUSED"
    title = "A job may not go from that state to the other"


class JobTooLarge(ConstraintViolated):
    """As the database counts; what Python is given is counted before, and is PayloadInvalid."""

    code = "JOB_TOO_LARGE"
    title = "The payload or the result of a job is too large"
    status = 422


class KindInvalid(EngineError):
    code = "KIND_INVALID"
    title = "The kind of job is not declared like that"
    status = 500


class LeaseLost(EngineError):
    """The job was taken away from this attempt; nothing that it wrote in its transaction stays."""

    code = "LEASE_LOST"
    title = "The attempt no longer holds the job"
    status = 409


class PayloadInvalid(EngineError):
    code = "PAYLOAD_INVALID"
    title = "The payload does not fit the job"


class ScheduleInvalid(EngineError):
    code = "SCHEDULE_INVALID"
    title = "The schedule cannot be followed"


class WorkerLost(EngineError):
    """The worker was silent for longer than its lease; its jobs are somebody else's now."""

    code = "WORKER_LOST"
    title = "The worker has lost its lease"
    status = 409


# --- the corpus -------------------------------------------------------------------------------


class CorpusError(HandfastError):
    code = "CORPUS_ERROR"
    title = "The corpus cannot be changed like that"
    status = 409
    exit_code = 9


class CorpusBuildLost(CorpusError):
    """The builder's lock went while it built; what it built may be gone, and is not used."""

    code = "CORPUS_BUILD_LOST"
    title = "The build of a version was taken over"


class CorpusBusy(CorpusError):
    code = "CORPUS_BUSY"
    title = "Another version of the corpus is being built"


class CorpusColumnsWrong(CorpusError):
    code = "CORPUS_COLUMNS_WRONG"
    title = "The columns are not those of the corpus"
    status = 422


class CorpusFileUnreadable(CorpusError):
    code = "CORPUS_FILE_UNREADABLE"
    title = "The file cannot be read"
    status = 422


class CorpusMoved(CorpusError):
    """Readers were switched by somebody else between the look and the switch."""

    code = "CORPUS_MOVED"
    title = "Another version became current meanwhile"


class CorpusRefused(CorpusError):
    """The guardian refused a version; ``extra`` has the ``version``."""

    code = "CORPUS_REFUSED"
    title = "The version was refused"


class CorpusTooManyBadRows(CorpusError):
    code = "CORPUS_TOO_MANY_BAD_ROWS"
    title = "Too many rows are bad"
    status = 422


class CorpusVersionUnusable(CorpusError):
    code = "CORPUS_VERSION_UNUSABLE"
    title = "There is no such version to read"


# --- fixtures ---------------------------------------------------------------------------------


class FixtureError(HandfastError):
    code = "FIXTURE_ERROR"
    title = "Fixtures cannot be handled like that"
    status = 422
    exit_code = 10


class FixtureAliasRefused(ConstraintViolated):
    """Two teams that have met each other are not one team."""

    code = "FIXTURE_ALIAS_REFUSED"
    title = "Those two names cannot be one team"
    exit_code = 10


class FixtureSourceUnreadable(FixtureError):
    code = "FIXTURE_SOURCE_UNREADABLE"
    title = "The source of fixtures cannot be read"


class LineupsUnavailable(FixtureError):
    """The provider has no usable lineups now. Transient: it may have them in a minute."""

    code = "LINEUPS_UNAVAILABLE"
    title = "The provider has no lineups that can be used"
    status = 503


class OutputFrozen(ConstraintViolated):
    """What was said before kickoff is not unsaid after it."""

    code = "OUTPUT_FROZEN"
    title = "What was made for this fixture was frozen at its kickoff"
    exit_code = 10


class PipelineInvalid(FixtureError):
    code = "PIPELINE_INVALID"
    title = "The pipeline cannot be declared like that"


# --- requests ---------------------------------------------------------------------------------


class RequestError(HandfastError):
    code = "BAD_REQUEST"
    title = "The request cannot be carried out"
    status = 400


class BodyTooLarge(RequestError):
    code = "BODY_TOO_LARGE"
    title = "The body is too large"
    status = 413


class Conflict(RequestError):
    code = "CONFLICT"
    title = "The request conflicts with the present state"
    status = 409


class CorpusRetired(RequestError):
    """The run is ready, and the version of the corpus that it answers from is no longer kept."""

    code = "CORPUS_RETIRED"
    title = "The run's version of the corpus is no longer kept"
    status = 410


class HeadTooLarge(RequestError):
    code = "HEAD_TOO_LARGE"
    title = "The head of the request is too large"
    status = 431


class IdempotencyInProgress(RequestError):
    """The first request with this key has no answer yet. The one conflict that is worth a retry."""

    code = "IDEMPOTENCY_IN_PROGRESS"
    title = "The same request is still being carried out"
    status = 409


class IdempotencyKeyMalformed(RequestError):
    code = "IDEMPOTENCY_KEY_MALFORMED"
    title = "The idempotency key cannot be used"


class IdempotencyKeyMissing(RequestError):
    code = "IDEMPOTENCY_KEY_MISSING"
    title = "This request needs an idempotency key"


class IdempotencyKeyReused(RequestError):
    """The key belongs to another request of the same caller. Never worth a retry."""

    code = "IDEMPOTENCY_KEY_REUSED"
    title = "The idempotency key was used for another request"
    status = 409


class IdempotencyResponseNotKept(RequestError):
    code = "IDEMPOTENCY_RESPONSE_NOT_KEPT"
    title = "The request was carried out, and its response was not kept"
    status = 409


class InvalidEndpointUrl(RequestError):
    code = "INVALID_ENDPOINT_URL"
    title = "Webhooks cannot be delivered to that address"
    status = 422


class InvalidRequest(RequestError):
    code = "INVALID_REQUEST"
    title = "The request is not valid"
    status = 422


class InvalidUrl(RequestError):
    """What was given as the URL of a startup cannot be one."""

    code = "INVALID_URL"
    title = "The URL cannot be that of a startup"
    status = 422


class NotAuthenticated(RequestError):
    code = "NOT_AUTHENTICATED"
    title = "Authentication is needed"
    status = 401


class NotAllowed(RequestError):
    code = "NOT_ALLOWED"
    title = "This caller may not do that"
    status = 403


class NotFound(RequestError):
    code = "NOT_FOUND"
    title = "There is no such thing"
    status = 404


class RequestTimeout(RequestError):
    """The request did not arrive whole in its time, so nothing was done."""

    code = "REQUEST_TIMEOUT"
    title = "The request did not arrive in time"
    status = 408


class TooManyBodies(RequestError):
    """This process holds as many bytes of bodies as it may. Nothing was done."""

    code = "TOO_MANY_BODIES"
    title = "Too many large bodies at once"
    status = 503


class TooManyRequests(RequestError):
    """A rate limit is used up; ``extra`` has the ``headers`` that say when to come again."""

    code = "TOO_MANY_REQUESTS"
    title = "Too many requests"
    status = 429


class WebhookSecretInvalid(RequestError):
    code = "WEBHOOK_SECRET_INVALID"
    title = "The signing secret cannot be used"
    status = 422


class WebhookSignatureInvalid(RequestError):
    """Nobody who holds the secret sent this, or not lately."""

    code = "WEBHOOK_SIGNATURE_INVALID"
    title = "The webhook is not signed as it must be"
    status = 401


# --- calls to others --------------------------------------------------------------------------


class CallError(HandfastError):
    code = "CALL_ERROR"
    title = "A call to another server did not succeed"
    status = 502
    exit_code = 8


class CallRefused(CallError):
    """The server answered with a problem: ``extra`` has its ``status``, ``code`` and ``type``."""

    code = "CALL_REFUSED"
    title = "The other server refused the call"


class CallUnanswered(CallError):
    """No answer: with a key or an idempotent method the call may be made again, by the same key."""

    code = "CALL_UNANSWERED"
    title = "The other server gave no answer"
    status = 504


class NotReady(HandfastError):
    code = "NOT_READY"
    title = "Handfast is not ready yet"
    status = 503
