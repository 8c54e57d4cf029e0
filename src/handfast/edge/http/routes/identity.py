"""Signing in, staying signed in, signing out; and what operators do about accounts."""

from typing import Annotated, Any
from uuid import UUID

from litestar import Request, Response, Router, delete, get, post
from litestar.datastructures import State
from litestar.params import PathParameter

from handfast.edge.api.identity import KeySet, SignInList, sign_ins_view
from handfast.edge.http.policies import ANYONE, USER, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.signed_in import signed_in
from handfast.engine.system import System
from handfast.services.idempotency import transaction
from handfast.services.identity.sign_ins import end_sign_in, list_sign_ins
from handfast.services.identity.tokens.signing_keys import JWKS_SECONDS, published, verifying_keys

NO_SUCH_SIGN_IN = {404: problem_spec("You have no such sign-in")}

SignInId = Annotated[UUID, PathParameter(description="The sign-in's id.")]


@policy(USER, suspended=True)
@post("/auth/logout", summary="Sign out", operation_id="logout", status_code=204)
async def logout(request: Request[Any, Any, State]) -> None:
    """The sign-in ends at once, with its refresh tokens. A second time it is 401."""
    user = signed_in(request)
    async with transaction(request) as tx:
        await end_sign_in(tx, user.user_id, user.sign_in_id, "logout")


@policy(USER)
@get("/auth/sessions", summary="Your sign-ins", operation_id="sessions")
async def sessions(request: Request[Any, Any, State], state: State) -> SignInList:
    """At most five, the newest first."""
    system: System = state.system
    user = signed_in(request)
    async with system.database.connection() as connection:
        return sign_ins_view(await list_sign_ins(connection, user.user_id), user.sign_in_id)


@policy(USER)
@delete(
    "/auth/sessions/{sign_in_id:uuid}",
    summary="End one of your sign-ins",
    operation_id="sessionEnd",
    responses=NO_SUCH_SIGN_IN,
)
async def end_session(request: Request[Any, Any, State], sign_in_id: SignInId) -> None:
    """It may be this one."""
    async with transaction(request) as tx:
        await end_sign_in(tx, signed_in(request).user_id, sign_in_id, "revoked")


@policy(ANYONE)
@get(
    "/.well-known/jwks.json",
    summary="What verifies access tokens",
    operation_id="jwks",
)
async def jwks(state: State) -> Response[KeySet]:
    """A JWK set: the key that signs, those that signed lately, and the one that will sign next."""
    system: System = state.system
    async with system.database.connection() as connection:
        keys = await verifying_keys(connection)
    return Response(
        KeySet([published(key) for key in keys]),
        headers={"Cache-Control": f"public, max-age={JWKS_SECONDS}"},
    )


router: Any = Router(
    path="/", route_handlers=[logout, sessions, end_session, jwks], tags=["identity"]
)
