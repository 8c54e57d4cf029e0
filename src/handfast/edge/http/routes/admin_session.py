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
from handfast.edge.api.sessions import CodeSignIn, SessionEnded, SessionView, TokenSignIn
from handfast.edge.api.viewing import as_it_is
from handfast.edge.http import cookies
from handfast.edge.http.around.observe import REQUEST_ID
from handfast.edge.http.auth import count_wrong_token, require_change_header, staff_holder
from handfast.edge.http.identity import identity_of
from handfast.edge.http.policies import ANYONE, KIB, OPERATOR, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes.admin_problems import INVALID
from handfast.engine.operating.audit import Actor, record
from handfast.engine.operating.sessions import (
    BegunSession,
    SessionOwner,
    begin_session,
    end_session,
    end_sessions,
    session_owner,
    take_code,
)
from handfast.engine.system import System

_REFUSED = {
    403: problem_spec("That is nobody's token or code"),
    429: problem_spec("Too many wrong tokens came from this address"),
    503: problem_spec("The database cannot be reached, or does not fit"),
}
_WITHOUT_HEADER = {
    403: problem_spec("A browser that is signed in has not sent the header for changes"),
    503: problem_spec("The database cannot be reached, or does not fit"),
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
    request: Request[Any, Any, State], state: State, data: JSONBody[TokenSignIn]
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
    request: Request[Any, Any, State], state: State, data: JSONBody[CodeSignIn]
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


@policy(OPERATOR, viewer=as_it_is)
@get("/session", summary="Who is signed in", operation_id="adminSession")
async def session(request: Request[Any, Any, State], state: State) -> SessionView:
    """By the cookie, or by the token that was sent. A token has no end."""
    who = identity_of(request)
    owner = await owner_of(request, state)
    return SessionView(who.kind.value, who.name, None if owner is None else owner.ends_at)


@policy(ANYONE)
@delete(
    "/session",
    summary="Sign out",
    operation_id="adminSignOut",
    status_code=200,
    responses=_WITHOUT_HEADER,
)
async def sign_out(request: Request[Any, Any, State], state: State) -> Response[SessionEnded]:
    """This browser, if it is signed in."""
    owner = await _changing_owner(request, state)
    system: System = state.system
    if owner is None:
        return _cleared(request, 0)
    async with system.database.transaction() as tx:
        ended = await _end_before(tx, request)
        await _note(tx, request, owner.name, "session.end", owner.caller)
    return _cleared(request, int(ended))


@policy(ANYONE)
@delete(
    "/session/all",
    summary="Sign out everywhere",
    operation_id="adminSignOutEverywhere",
    status_code=200,
    responses=_WITHOUT_HEADER,
)
async def sign_out_everywhere(
    request: Request[Any, Any, State], state: State
) -> Response[SessionEnded]:
    """Every browser that is signed in under the same name as this one."""
    owner = await _changing_owner(request, state)
    system: System = state.system
    if owner is None:
        return _cleared(request, 0)
    async with system.database.transaction() as tx:
        ended = await end_sessions(tx, owner.caller, owner.name)
        await _note(tx, request, owner.name, "session.end_all", owner.caller)
    return _cleared(request, ended)


async def owner_of(request: Request[Any, Any, State], state: State) -> SessionOwner | None:
    """Whose session the cookie is, whatever else was sent."""
    secret = cookies.session_secret(request.scope)
    if secret is None:
        return None
    system: System = state.system
    async with system.database.connection() as connection:
        return await session_owner(connection, secret, state.staff_tokens)


async def _changing_owner(request: Request[Any, Any, State], state: State) -> SessionOwner | None:
    owner = await owner_of(request, state)
    if owner is not None:
        require_change_header(request.scope)
    return owner


async def _end_before(tx: Transaction, request: Request[Any, Any, State]) -> bool:
    """The session that this browser had, if any: it is replaced."""
    secret = cookies.session_secret(request.scope)
    return secret is not None and await end_session(tx, secret)


async def _note(
    tx: Transaction, request: Request[Any, Any, State], name: str, action: str, caller: str
) -> None:
    actor = Actor(name, request.scope.get(REQUEST_ID))  # type: ignore[arg-type]
    await record(tx, actor, action, [f"{caller}:{name}"])


def _answer(request: Request[Any, Any, State], made: BegunSession) -> Response[SessionView]:
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
