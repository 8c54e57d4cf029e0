"""A session: started, given a picture, completed. Three that failed are the end of it.

Locks are taken in one order: the user, then the session. The provider is asked outside of any
transaction, because it may take its time; what it says counts only if the session is still open
when it is written down, so two who complete at once make one verdict.
"""

from datetime import date, datetime, timedelta
from types import NoneType
from uuid import UUID

import msgspec

from handfast.apps.people.errors import (
    VerificationBlocked,
    VerificationNotReady,
    VerificationOver,
)
from handfast.apps.people.photos import store as files
from handfast.apps.people.photos.store import PhotoStore
from handfast.apps.people.profiles.changing import ensure_user
from handfast.apps.people.verification.provider import (
    ClaimedPerson,
    FailureReason,
    Verdict,
    VerificationProvider,
    VerificationStatus,
)
from handfast.base.errors import InvalidRequest, NotFound
from handfast.base.ids import new_id
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction

LIFETIME = timedelta(minutes=10)
SAME_FOR = timedelta(minutes=5)  # asked again within it, the same session is answered
FAILURES_MAX = 3


class StartedSession(msgspec.Struct, frozen=True, rename="camel"):
    """`provider` says who will look: `development` looks at nobody's face."""

    session_id: UUID
    upload_url: str
    expires_at: datetime
    provider: str


class VerificationResult(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    session_id: UUID
    status: VerificationStatus
    attempts_left: int
    failure_reason: FailureReason | None = None


class _Candidate(msgspec.Struct, frozen=True):
    birth_date: date | None
    verified: bool
    in_review: bool
    failures: int


class _Session(msgspec.Struct, frozen=True):
    id: UUID
    status: str
    live: bool
    has_picture: bool
    failure_reason: str | None
    birth_date: date | None
    failures: int


class _Started(msgspec.Struct, frozen=True):
    id: UUID
    expires_at: datetime
    provider: str


_CANDIDATE = statement("people.verification_candidate", row=_Candidate)
_START = statement("people.start_verification", row=_Started)
_SESSION = statement("people.verification_session", row=_Session)
_PICTURE = statement("people.verification_picture", row=NoneType)
_END = statement("people.end_verification", row=int)
_DECIDE = statement("people.decide_verification", row=int)
_RESET = statement("people.reset_verification", row=int)


async def start_session(
    tx: Transaction, user_id: UUID, consent_version: str, provider: VerificationProvider
) -> StartedSession:
    await ensure_user(tx, user_id)
    candidate = await _CANDIDATE.one(tx, user_id)
    _check_may_start(candidate)
    started = await _START.one(
        tx, new_id(), user_id, consent_version, provider.name, LIFETIME, SAME_FOR
    )
    url = f"/verification/session/{started.id}/picture"
    return StartedSession(started.id, url, started.expires_at, started.provider)


def _check_may_start(candidate: _Candidate) -> None:
    if candidate.verified:
        raise VerificationOver("You are verified already.", hint="Nothing is left to do.")
    if candidate.failures >= FAILURES_MAX:
        raise _blocked()
    if candidate.in_review:
        raise VerificationNotReady(
            "Somebody is looking at your last session.", hint="Wait until they have decided."
        )
    if candidate.birth_date is None:
        raise VerificationNotReady(
            "Your profile has no birthDate, so there is nothing to compare with.",
            hint="PATCH /users/me with birthDate first.",
        )


async def open_session(on: Queryable, user_id: UUID, session_id: UUID) -> None:
    """Refuses unless it is this user's and takes a picture: asked before one is looked at."""
    _check_open(await _session(on, user_id, session_id))


async def put_picture(
    tx: Transaction, store: PhotoStore, user_id: UUID, session_id: UUID, jpeg: bytes
) -> None:
    """Over the one before, while the session is open."""
    _check_open(await _session(tx, user_id, session_id))
    await store.put(user_id, files.verification(session_id), jpeg)
    await _PICTURE.run(tx, session_id)


async def complete_session(
    database: Database,
    store: PhotoStore,
    provider: VerificationProvider,
    user_id: UUID,
    session_id: UUID,
) -> VerificationResult:
    """A session that was completed answers its verdict again."""
    async with database.connection() as connection:
        found = await _session(connection, user_id, session_id)
    if found.status in set(VerificationStatus):
        return _result(found)
    _check_open(found)
    picture = await store.get(user_id, files.verification(session_id))
    if picture is None:  # whoever completed it a moment ago has removed it: their verdict is ours
        async with database.connection() as connection:
            found = await _session(connection, user_id, session_id)
        if found.status in set(VerificationStatus):
            return _result(found)
    if not found.has_picture or picture is None or found.birth_date is None:
        raise VerificationNotReady(
            "The session has no picture yet.",
            hint=f"PUT /verification/session/{session_id}/picture first.",
        )
    verdict = await provider.verify(ClaimedPerson(session_id, found.birth_date, picture))
    async with database.transaction() as tx:
        await _end(tx, user_id, session_id, verdict, found.birth_date)
        ended = await _session(tx, user_id, session_id)
    if ended.live:  # the verdict was about somebody born on another day
        raise VerificationNotReady(
            "Your birthDate was changed while your picture was looked at.",
            hint=f"POST /verification/session/{session_id}/complete again.",
        )
    if ended.status not in set(VerificationStatus):  # it expired while the provider looked
        raise _over()
    if ended.status != VerificationStatus.MANUAL_REVIEW:
        await store.remove(user_id, files.verification(session_id))
    return _result(ended)


async def decide(tx: Transaction, user_id: UUID, verdict: Verdict) -> None:
    """What an operator says of a session that waits for it."""
    if not await _DECIDE.one(tx, user_id, verdict.status, verdict.failure_reason):
        raise VerificationOver(
            "No session of this user waits for a decision.", hint="Look at the user again."
        )


async def reset(tx: Transaction, user_id: UUID) -> None:
    """The failures so far do not count any more; for operators."""
    if not await _RESET.one(tx, user_id):
        raise NotFound("There is no such user.", hint="Look at the id.")


async def _end(
    tx: Transaction, user_id: UUID, session_id: UUID, verdict: Verdict, born: date
) -> int:
    return await _END.one(tx, user_id, session_id, verdict.status, verdict.failure_reason, born)


async def _session(on: Queryable, user_id: UUID, session_id: UUID) -> _Session:
    found = await _SESSION.maybe(on, session_id, user_id)
    if found is None:
        raise NotFound(
            "There is no such verification session.", hint="POST /verification/session starts one."
        )
    return found


def _check_open(session: _Session) -> None:
    if not session.live:
        raise _over()


def _over() -> VerificationOver:
    return VerificationOver(
        "This verification session is over.", hint="POST /verification/session starts another."
    )


def _blocked() -> VerificationBlocked:
    return VerificationBlocked(
        f"Verification failed {FAILURES_MAX} times.", hint="Ask support to look at it."
    )


def _result(session: _Session) -> VerificationResult:
    reason = session.failure_reason
    return VerificationResult(
        session.id,
        VerificationStatus(session.status),
        max(0, FAILURES_MAX - session.failures),
        None if reason is None else FailureReason(reason),
    )


def consent(version: str) -> str:
    """Which text the user agreed to."""
    said = version.strip()
    if not 1 <= len(said) <= 50 or not said.isprintable():
        raise InvalidRequest("consentVersion names no version.", hint="Such as 2026-11.")
    return said
