"""Signing in with a browser: a token, or a code, for a cookie.

For anybody, since that is who signs in: the tokens are looked at here, and wrong ones count as they
do everywhere. Beginnings and ends are in the audit.
"""

from typing import Any

from litestar import Request, Response, delete, get, post
from litestar.datastructures import State
from litestar.params import JSONBody

from handfast.base.errors import NotAllowed
from handfast.base.settings import Mode
from handfast.db.transaction import Transaction
from handfast.edge.api.sessions import SessionEnded, SessionView, SignIn, SignInWithCode
from handfast.edge.http import cookies
from handfast.edge.http.around.observe import REQUEST_ID
from handfast.edge.http.auth import count_wrong_token, staff_holder, staff_identity
from handfast.edge.http.policies import ANYONE, KIB, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import INVALID
from handfast.engine.operating.audit import Actor, record
from handfast.engine.operating.sessions import (
    NewSession,
    begin_session,
    end_session,
    end_sessions,
    session_owner,
    take_code,
)
from handfast.engine.system import System

_REFUSED = {
    403: problem_spec("That is nobody's token or code, or the header for changes is missing"),
    429: problem_spec("Too many wrong tokens came from this address"),
    503: problem_spec("The database cannot be reached, or does not fit"),
}
_SIGNED_OUT = {
    401: problem_spec("Nobody is signed in"),
    **_REFUSED,
}


@policy(ANYONE, body=4 * KIB)
@post(
    "/session",
    summary="Sign in with a token",
    operation_id="adminSignIn",
    status_code=201,
    responses=INVALID | _REFUSED,
)
async def sign_in(
    request: Request[Any, Any, State], state: State, data: JSONBody[SignIn]
) -> Response[SessionView]:
    """An operator's or a viewer's token for a cookie that lasts twelve hours. Calls that change
    something then need the header `X-Handfast-Change`."""
    caller, held = await staff_holder(request.scope, state, data.token)
    system: System = state.system
    async with system.database.transaction() as tx:
        await _end_before(tx, request)
        session = await begin_session(tx, caller, held)
        await _note(tx, request, session.name, "session.begin", session.caller)
    return _answer(request, session)


@policy(ANYONE, body=4 * KIB)
@post(
    "/session/code",
    summary="Sign in with a code",
    operation_id="adminSignInWithCode",
    status_code=201,
    responses=INVALID | _REFUSED,
)
async def sign_in_with_code(
    request: Request[Any, Any, State], state: State, data: JSONBody[SignInWithCode]
) -> Response[SessionView]:
    """A code that `handfast demo` has printed, for a cookie: once, within five minutes, in
    development and on the same machine."""
    system: System = state.system
    here = cookies.is_here(request.scope) and cookies.is_loopback(
        state.proxies.caller(request.scope)
    )
    if system.settings.mode is not Mode.DEVELOPMENT or not here:
        raise NotAllowed(
            "Codes are for development, and for browsers on the same machine.",
            hint="Sign in with a token.",
        )
    await count_wrong_token(request.scope, state, cost=0)
    async with system.database.transaction() as tx:
        taken = await take_code(tx, data.code, state.staff_tokens)
        if taken is not None:
            await _end_before(tx, request)
            session = await begin_session(tx, *taken)
            await _note(tx, request, session.name, "session.begin", session.caller)
    if taken is None:
        await count_wrong_token(request.scope, state, cost=1)
        raise NotAllowed(
            "That code signs nobody in.",
            hint="A code is good once, and for five minutes. Sign in with a token instead.",
        )
    return _answer(request, session)


@policy(ANYONE)
@get("/session", summary="Who is signed in", operation_id="adminSession", responses=_SIGNED_OUT)
async def session(request: Request[Any, Any, State], state: State) -> SessionView:
    """By the cookie, or by the token that was sent. A token has no end."""
    who = await staff_identity(request.scope, state)
    secret = cookies.session_secret(request.scope)
    system: System = state.system
    owner = None
    if secret is not None:
        async with system.database.connection() as connection:
            owner = await session_owner(connection, secret, state.staff_tokens)
    return SessionView(who.kind.value, who.name, None if owner is None else owner.ends_at)


@policy(ANYONE)
@delete(
    "/session",
    summary="Sign out",
    operation_id="adminSignOut",
    status_code=200,
    responses=_SIGNED_OUT,
)
async def sign_out(request: Request[Any, Any, State], state: State) -> Response[SessionEnded]:
    """This browser."""
    who = await staff_identity(request.scope, state)
    system: System = state.system
    async with system.database.transaction() as tx:
        ended = await _end_before(tx, request)
        await _note(tx, request, who.name, "session.end", who.kind)
    return _cleared(request, int(ended))


@policy(ANYONE)
@delete(
    "/session/all",
    summary="Sign out everywhere",
    operation_id="adminSignOutEverywhere",
    status_code=200,
    responses=_SIGNED_OUT,
)
async def sign_out_everywhere(
    request: Request[Any, Any, State], state: State
) -> Response[SessionEnded]:
    """Every browser that is signed in under your name."""
    who = await staff_identity(request.scope, state)
    system: System = state.system
    async with system.database.transaction() as tx:
        ended = await end_sessions(tx, who.kind, who.name)
        await _note(tx, request, who.name, "session.end_all", who.kind)
    return _cleared(request, ended)


async def _end_before(tx: Transaction, request: Request[Any, Any, State]) -> bool:
    """The session that this browser had, if any: it is replaced."""
    secret = cookies.session_secret(request.scope)
    return secret is not None and await end_session(tx, secret)


async def _note(
    tx: Transaction, request: Request[Any, Any, State], name: str, action: str, caller: str
) -> None:
    actor = Actor(name, request.scope.get(REQUEST_ID))  # type: ignore[arg-type]
    await record(tx, actor, action, [f"{caller}:{name}"])


def _answer(request: Request[Any, Any, State], made: NewSession) -> Response[SessionView]:
    return Response(
        SessionView(made.caller, made.name, made.ends_at),
        status_code=201,
        headers={
            "Set-Cookie": cookies.set_session(request.scope, made.secret),
            "Cache-Control": "no-store",
        },
    )


def _cleared(request: Request[Any, Any, State], ended: int) -> Response[SessionEnded]:
    return Response(
        SessionEnded(ended), headers={"Set-Cookie": cookies.clear_session(request.scope)}
    )


HANDLERS: list[Any] = [sign_in, sign_in_with_code, session, sign_out, sign_out_everywhere]
