"""Users, for operators. Viewers see nobody."""

from typing import Annotated, Any
from uuid import UUID

from litestar import Request, get, patch, post
from litestar.datastructures import State
from litestar.params import JSONBody, PathParameter, QueryParameter

from handfast.apps.people.profiles.changing import correct_profile
from handfast.apps.people.profiles.profile import UserStatus
from handfast.apps.people.verification import sessions
from handfast.apps.people.verification.provider import FailureReason, Verdict, VerificationStatus
from handfast.apps.people.views import UserDetail, UserFilter, UserPage, list_users, show_user
from handfast.base.pages import CURSOR_LENGTH_MAX, CURSOR_PATTERN
from handfast.edge.api.people import Correction, VerificationDecision
from handfast.edge.http.changes import changing
from handfast.edge.http.policies import OPERATOR, PERSONAL, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import (
    INVALID,
    NO_SUCH_PLACE,
    Limit,
    text_parameter,
)
from handfast.engine.system import System

NO_SUCH_USER = {404: problem_spec("There is no such user")}
NOT_USABLE = {422: problem_spec("It can be read, but not done: the detail says why")}
NOTHING_WAITS = {409: problem_spec("No session of this user waits for a decision")}

UserId = Annotated[UUID, PathParameter(description="The user's id.")]


@policy(OPERATOR)
@get(
    "/admin/people",
    summary="Find users",
    operation_id="adminPeople",
    responses=INVALID | NO_SUCH_PLACE,
)
async def users(
    state: State,
    *,
    phone: Annotated[str | None, text_parameter("The whole number, as +49…")] = None,
    name: Annotated[str | None, text_parameter("How the display name begins.")] = None,
    status: Annotated[
        UserStatus | None,
        QueryParameter(description="Only users of this status who have begun a profile."),
    ] = None,
    after: Annotated[
        str | None,
        QueryParameter(
            max_length=CURSOR_LENGTH_MAX,
            pattern=CURSOR_PATTERN,
            description="The `next` of the page before.",
        ),
    ] = None,
    limit: Limit = 50,
) -> UserPage:
    """The newest first; by `name` in the order of names, by `status` the newest profile first."""
    system: System = state.system
    where = UserFilter(phone, name, status)
    async with system.database.connection() as connection:
        return await list_users(connection, where, after=after, limit=limit)


@policy(OPERATOR)
@get(
    "/admin/people/{user_id:uuid}",
    summary="A user",
    operation_id="adminPerson",
    responses=INVALID | NO_SUCH_USER,
)
async def user(state: State, user_id: UserId) -> UserDetail:
    """The profile, and what happened around it."""
    system: System = state.system
    async with system.database.connection() as connection:
        return await show_user(connection, user_id)


@policy(OPERATOR, key=PERSONAL, audit="user.correct")
@patch(
    "/admin/people/{user_id:uuid}",
    summary="Correct what is fixed",
    operation_id="adminPersonCorrect",
    responses=INVALID | NO_SUCH_USER | NOT_USABLE,
)
async def correct(
    request: Request[Any, Any, State], user_id: UserId, data: JSONBody[Correction]
) -> UserDetail:
    """A birth date or a gender that a verified user cannot change any more."""
    async with changing(request, f"user:{user_id}", reason=data.reason) as change:
        await correct_profile(change.tx, user_id, birth_date=data.birth_date, gender=data.gender)
        return await show_user(change.tx, user_id)


@policy(OPERATOR, key=PERSONAL, audit="user.verification")
@post(
    "/admin/people/{user_id:uuid}/verification",
    summary="Decide a verification",
    operation_id="adminPersonVerification",
    status_code=200,
    responses=INVALID | NO_SUCH_USER | NOTHING_WAITS,
)
async def decide(
    request: Request[Any, Any, State], user_id: UserId, data: JSONBody[VerificationDecision]
) -> UserDetail:
    """What a provider has left to people; or another three tries."""
    async with changing(request, f"user:{user_id}", reason=data.reason) as change:
        if data.decision == "reset":
            await sessions.reset(change.tx, user_id)
        else:
            await sessions.decide(change.tx, user_id, _verdict(data.decision))
        return await show_user(change.tx, user_id)


def _verdict(decision: str) -> Verdict:
    if decision == VerificationStatus.VERIFIED:
        return Verdict(VerificationStatus.VERIFIED)
    return Verdict(VerificationStatus.FAILED, FailureReason(decision))


HANDLERS = (users, user, correct, decide)
