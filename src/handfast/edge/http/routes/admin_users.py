"""Accounts, for operators: found by phone, shown, suspended, reinstated, signed out. No viewer sees
anything of them."""

from datetime import timedelta
from typing import Annotated, Any
from uuid import UUID

from litestar import Request, delete, get, post
from litestar.datastructures import State
from litestar.params import JSONBody, PathParameter, QueryParameter

from handfast.edge.api.identity import (
    AccountDetail,
    AccountList,
    AccountView,
    Reinstating,
    SignInList,
    Suspending,
    account_view,
    as_document,
    sign_ins_view,
)
from handfast.edge.http.changes import changing
from handfast.edge.http.policies import OPERATOR, OPTIONAL, PERSONAL, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import INVALID
from handfast.engine.system import System
from handfast.services.identity.accounts import find_by_phone, get_account, instant_after
from handfast.services.identity.describing import describe
from handfast.services.identity.sign_ins import end_sign_in, list_sign_ins
from handfast.services.identity.suspension import reinstate, suspend

NO_SUCH_USER = {404: problem_spec("There is no such user")}
NO_SUCH_SIGN_IN = {404: problem_spec("The user has no such sign-in")}
SUSPENDED_ALREADY = {409: problem_spec("The user is suspended already")}
NOT_SUSPENDED = {409: problem_spec("The user is not suspended")}

UserId = Annotated[UUID, PathParameter(description="The user's id.")]
SignInId = Annotated[UUID, PathParameter(description="The sign-in's id.")]
PhoneNumber = Annotated[
    str,
    QueryParameter(
        pattern=r"^[ +]?[0-9]{7,15}$",
        description="The whole number with its country's code; + may be left out.",
    ),
]


@policy(OPERATOR)
@get(
    "/admin/users",
    summary="Find a user by phone",
    operation_id="adminUsers",
    responses=INVALID,
    tags=["admin"],
)
async def users(state: State, phone: PhoneNumber) -> AccountList:
    """One, or none."""
    system: System = state.system
    async with system.database.connection() as connection:
        found = await find_by_phone(connection, f"+{phone.lstrip(' +')}")
    return AccountList([] if found is None else [account_view(found)])


@policy(OPERATOR)
@get(
    "/admin/users/{user_id:uuid}",
    summary="Show a user",
    operation_id="adminUser",
    responses=INVALID | NO_SUCH_USER,
    tags=["admin"],
)
async def user(state: State, user_id: UserId) -> AccountDetail:
    """The account, and what the user sees of themselves."""
    system: System = state.system
    async with system.database.transaction() as tx:
        account = await get_account(tx, user_id)
        described = await describe(tx, system.capabilities, user_id)
    return AccountDetail(account_view(account), as_document(described))


@policy(OPERATOR)
@get(
    "/admin/users/{user_id:uuid}/sessions",
    summary="A user's sign-ins",
    operation_id="adminUserSessions",
    responses=INVALID | NO_SUCH_USER,
    tags=["admin"],
)
async def sessions(state: State, user_id: UserId) -> SignInList:
    """Those that stand, the newest first."""
    system: System = state.system
    async with system.database.connection() as connection:
        await get_account(connection, user_id)
        return sign_ins_view(await list_sign_ins(connection, user_id))


@policy(OPERATOR, key=OPTIONAL, audit="user.sign_out")
@delete(
    "/admin/users/{user_id:uuid}/sessions/{sign_in_id:uuid}",
    summary="End a user's sign-in",
    operation_id="adminUserSessionEnd",
    responses=INVALID | NO_SUCH_SIGN_IN,
    tags=["admin"],
)
async def end_session(
    request: Request[Any, Any, State], user_id: UserId, sign_in_id: SignInId
) -> None:
    """At once, with its refresh tokens."""
    async with changing(request, f"user:{user_id}") as change:
        await end_sign_in(change.tx, user_id, sign_in_id, "operator")


@policy(OPERATOR, key=PERSONAL, audit="user.suspend")
@post(
    "/admin/users/{user_id:uuid}/suspend",
    summary="Suspend a user",
    operation_id="adminUserSuspend",
    status_code=200,
    responses=INVALID | NO_SUCH_USER | SUSPENDED_ALREADY,
    tags=["admin"],
)
async def suspend_user(
    request: Request[Any, Any, State], state: State, user_id: UserId, data: JSONBody[Suspending]
) -> AccountView:
    """Holds for the user's next request. Ends no sign-in, and leaves the user their account, an
    appeal, export, deletion, refresh, logout and signing in. `actionId` is what an appeal names."""
    system: System = state.system
    async with changing(request, f"user:{user_id}", reason=data.reason) as change:
        tx = change.tx
        until = None if data.days is None else await instant_after(tx, timedelta(days=data.days))
        return account_view(await suspend(tx, system.hooks, user_id, until=until))


@policy(OPERATOR, key=PERSONAL, audit="user.reinstate")
@post(
    "/admin/users/{user_id:uuid}/reinstate",
    summary="End a user's suspension",
    operation_id="adminUserReinstate",
    status_code=200,
    responses=INVALID | NO_SUCH_USER | NOT_SUSPENDED,
    tags=["admin"],
)
async def reinstate_user(
    request: Request[Any, Any, State], state: State, user_id: UserId, data: JSONBody[Reinstating]
) -> AccountView:
    """Holds for the user's next request."""
    system: System = state.system
    async with changing(request, f"user:{user_id}", reason=data.reason) as change:
        return account_view(await reinstate(change.tx, system.hooks, user_id))


HANDLERS = (users, user, sessions, end_session, suspend_user, reinstate_user)
