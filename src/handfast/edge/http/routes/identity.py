"""Signing in, staying signed in, signing out."""

from datetime import timedelta
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Request, Response, Router, delete, get, post
from litestar.datastructures import State
from litestar.params import JSONBody, PathParameter

from handfast.base.errors import HandfastError
from handfast.edge.api.identity import (
    CodeSent,
    CodeTried,
    CodeWanted,
    KeySet,
    NewSession,
    RefreshAsked,
    SignInList,
    TokenPair,
    as_document,
    sign_ins_view,
)
from handfast.edge.http.policies import ANYONE, KIB, USER, Key, policy
from handfast.edge.http.problems import problem_spec
from handfast.edge.http.routes import admin_users, user_events
from handfast.edge.http.routes.admin_problems import INVALID
from handfast.edge.http.signed_in import signed_in
from handfast.engine.system import System
from handfast.services.idempotency import tag, transaction
from handfast.services.idempotency.asgi.rules import Need
from handfast.services.identity.authority import TokenAuthority
from handfast.services.identity.describing import describe, onboarding_of
from handfast.services.identity.errors import (
    RefreshTokenExpired,
    RefreshTokenReused,
    RefreshTokenRevoked,
    TokenInvalid,
)
from handfast.services.identity.otp import sending, verifying
from handfast.services.identity.otp.phones import read_phone
from handfast.services.identity.otp.signing_in import sign_in
from handfast.services.identity.sign_ins import end_sign_in, list_sign_ins, tag_of
from handfast.services.identity.tokens import refresh as refreshing
from handfast.services.identity.tokens.access import LIFE
from handfast.services.identity.tokens.signing_keys import JWKS_SECONDS, published, verifying_keys

WRONG_CODE = {401: problem_spec("The code is wrong or has expired, was used, or tried too often")}
WRONG_TOKEN = {401: problem_spec("The refresh token is unknown, expired, revoked or was reused")}
NO_SUCH_NUMBER = {422: problem_spec("No code can be sent to that number: the detail says why")}
TOO_OFTEN = {429: problem_spec("Too many codes: Retry-After says when to come again")}
NO_SUCH_SIGN_IN = {404: problem_spec("You have no such sign-in")}

SignInId = Annotated[UUID, PathParameter(description="The sign-in's id.")]


def _asked_for(_scope: Any, body: bytes) -> str | None:
    """Whose key a send has: the phone's and the device's."""
    try:
        wanted = msgspec.json.decode(body, type=CodeWanted)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    device = "" if wanted.device_id is None else f"/{wanted.device_id}"
    return f"otp-send/{wanted.country_code}/{wanted.phone_number}{device}"


def _tried(_scope: Any, body: bytes) -> str | None:
    """Whose key a verify has: its request's."""
    try:
        return f"otp-verify/{msgspec.json.decode(body, type=CodeTried).request_id}"
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


SENT_KEY = Key(Need.REQUIRED, ttl=sending.LIFE, body_principal=_asked_for)
# Tokens: encrypted, not for long, and tagged with the sign-in, whose end ends the replays too.
SIGNED_IN_KEY = Key(Need.REQUIRED, ttl=timedelta(minutes=5), encrypted=True, body_principal=_tried)


@policy(ANYONE, key=SENT_KEY, body=4 * KIB)
@post(
    "/auth/otp/send",
    summary="Send a code",
    operation_id="otpSend",
    status_code=200,
    responses=INVALID | NO_SUCH_NUMBER | TOO_OFTEN,
)
async def send(
    request: Request[Any, Any, State], state: State, data: JSONBody[CodeWanted]
) -> CodeSent:
    """For ten minutes the same phone and device have the same `requestId`; asked for again after
    `retryAfter` seconds, another message brings a new code for it. Nobody learns whether the number
    has an account."""
    authority: TokenAuthority = state.shared["identity"]
    known = frozenset(authority.test_numbers)
    phone = read_phone(data.country_code, data.phone_number, known=known)
    async with transaction(request) as tx:
        sent = await sending.send(
            tx,
            authority,
            state.limiter,
            phone,
            device=data.device_id,
            address=state.proxies.caller(request.scope),
        )
    return CodeSent(sent.id, sent.expires_at, sent.retry_after)


@policy(ANYONE, key=SIGNED_IN_KEY, body=4 * KIB)
@post(
    "/auth/otp/verify",
    summary="Sign in with a code",
    operation_id="otpVerify",
    status_code=200,
    responses=INVALID | WRONG_CODE,
)
async def verify(
    request: Request[Any, Any, State], state: State, data: JSONBody[CodeTried]
) -> NewSession:
    """The account is made when its phone first signs in. The same key and body answer the same
    tokens for five minutes, unless the sign-in was refreshed or has ended since."""
    system: System = state.system
    authority: TokenAuthority = state.shared["identity"]
    secret = authority.secret
    await verifying.count_try(system.database, secret, data.request_id, data.code)
    async with transaction(request) as tx:
        phone = await verifying.use(tx, secret, data.request_id, data.code)
        made = await sign_in(tx, system.hooks, secret, phone, data.device_id)
        tag(request, tag_of(made.sign_in_id))
        token = await authority.issue(tx, made.user_id, made.sign_in_id)
        described = await describe(tx, system.capabilities, made.user_id)
    return NewSession(
        access_token=token,
        refresh_token=made.refresh_token,
        expires_in=int(LIFE.total_seconds()),
        user=as_document(described),
        onboarding_status=onboarding_of(described),
    )


@policy(ANYONE, body=4 * KIB)
@post(
    "/auth/refresh",
    summary="Stay signed in",
    operation_id="refresh",
    status_code=200,
    responses=INVALID | WRONG_TOKEN,
)
async def refresh(
    request: Request[Any, Any, State], state: State, data: JSONBody[RefreshAsked]
) -> TokenPair:
    """A new pair; the token that was sent is spent. Sent again within 20 s by the same device, it
    answers the same refresh token. Later, or from elsewhere, it ends the sign-in."""
    authority: TokenAuthority = state.shared["identity"]
    address = state.proxies.caller(request.scope)
    async with transaction(request) as tx:
        done = await refreshing.refresh(
            tx, authority.secret, data.refresh_token, device=data.device_id, address=address
        )
        if done.token is not None:
            token = await authority.issue(tx, done.user_id, done.sign_in_id)
            return TokenPair(token, done.token, int(LIFE.total_seconds()))
    raise _refused(done.outcome)  # after the commit: theft has ended the sign-in


def _refused(outcome: str) -> HandfastError:
    again = "Sign in again: POST /auth/otp/send, then /auth/otp/verify."
    match outcome:
        case "reused":
            return RefreshTokenReused(
                "This refresh token was used before, or comes from another device: the sign-in is "
                "ended, because somebody else may have it.",
                hint=again,
            )
        case "revoked":
            return RefreshTokenRevoked("The sign-in of this token has ended.", hint=again)
        case "expired":
            return RefreshTokenExpired("The sign-in of this token has expired.", hint=again)
    return TokenInvalid("That is no refresh token of ours.", hint=again)


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
    responses=INVALID | NO_SUCH_SIGN_IN,
)
async def end_session(request: Request[Any, Any, State], sign_in_id: SignInId) -> None:
    """It may be this one."""
    async with transaction(request) as tx:
        await end_sign_in(tx, signed_in(request).user_id, sign_in_id, "revoked")


@policy(ANYONE)
@get("/.well-known/jwks.json", summary="What verifies access tokens", operation_id="jwks")
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
    path="/",
    route_handlers=[
        *(send, verify, refresh, logout, sessions, end_session, jwks),
        *admin_users.HANDLERS,
        *user_events.HANDLERS,
    ],
    tags=["identity"],
)
