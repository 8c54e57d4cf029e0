"""The roots of every error that Handfast raises on purpose, and those of requests in general.

Each room has an ``errors`` module of its own for what it refuses; ``docs/reference/errors.md`` has
the whole tree, drawn from the classes.

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


class ExtraMissing(MachineError, ImportError):
    """Also an ``ImportError``: programs that try an import and do without know that one."""

    code = "EXTRA_MISSING"
    title = "A part of Handfast is not installed"


# --- the database -----------------------------------------------------------------------------


class DatabaseError(HandfastError):
    code = "DATABASE_ERROR"
    title = "The database could not do what was asked"
    status = 503
    exit_code = 5
    told = "The database could not do what was asked. The server's log has the details."


# --- migrations -------------------------------------------------------------------------------


class MigrationError(HandfastError):
    code = "MIGRATION_ERROR"
    title = "The database schema does not fit this version of Handfast"
    status = 503
    exit_code = 6
    told = "The database is not at the version that this server needs."


# --- the engine -------------------------------------------------------------------------------


class EngineError(HandfastError):
    code = "ENGINE_ERROR"
    title = "The engine cannot do that"
    status = 422


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


class InvalidRequest(RequestError):
    code = "INVALID_REQUEST"
    title = "The request is not valid"
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


# --- calls to others --------------------------------------------------------------------------


class NotReady(HandfastError):
    code = "NOT_READY"
    title = "Handfast is not ready yet"
    status = 503
