"""Who is calling, and whether the route's policy lets them.

Operators, viewers and game servers hold tokens that the settings name; a browser of the first two
may hold a session instead (``cookies``), and a token that is sent goes before it. Users and players
are known by whatever a capability brings (``authenticator``): without one, a route for them refuses
everybody with 401.

Wrong tokens are counted by the caller's address, in the database: whoever has tried too many is
refused whatever it sends next, also the right one, or the refusals would tell which one was right.
Only where a token of operators or viewers could be guessed: elsewhere an old token is no attack,
and theirs is not even compared.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Protocol

from litestar.connection import ASGIConnection, Request
from litestar.datastructures import State
from litestar.handlers import BaseRouteHandler

from handfast.base.errors import HandfastError, NotAllowed, NotAuthenticated
from handfast.base.tokens import NamedToken, holder_of
from handfast.edge.http import cookies, viewers
from handfast.edge.http.identity import IDENTITY, STRANGER, Identity
from handfast.edge.http.policies import ANYONE, GUESSABLE, STAFF, Caller, Policy, policy_of
from handfast.engine.operating.sessions import session_owner
from handfast.engine.system import System
from handfast.services.idempotency.asgi.rules import SAFE_METHODS
from handfast.services.limits.headers import too_many
from handfast.services.limits.limit import Limit, LimitDecision
from handfast.services.limits.limiter import Limiter
from handfast.services.limits.subject import Proxies

_STAFF_ONLY = Policy(STAFF)
NOBODYS = "TOKEN_INVALID"  # what an authenticator says of a token that was never anybody's


class Authenticator(Protocol):
    """Knows some kinds of caller by their tokens."""

    kinds: frozenset[Caller]

    async def identify(self, token: str) -> Identity | None:
        """Whose it is; None, or an error that says why not, if it is nobody's."""


class SettingsTokens:
    """Operators, viewers or game servers, by the tokens of the settings."""

    def __init__(self, held: Mapping[Caller, Sequence[NamedToken]]) -> None:
        self.kinds = frozenset(held)
        self._held = held

    async def identify(self, token: str) -> Identity | None:
        holders = [(kind, holder_of(token, tokens)) for kind, tokens in self._held.items()]
        return next((Identity(kind, name) for kind, name in holders if name is not None), None)


def operator_logins(quota: int) -> Limit:
    """How many wrong tokens one address may send."""
    return Limit("operator-logins", quota=quota, period=timedelta(minutes=1))


async def admit(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """The guard in front of every handler."""
    if connection.scope.get("method") == "OPTIONS":  # the framework's own: which methods there are
        return
    made = policy_of(handler)
    viewers.serving(made, await authenticate(connection.scope, connection.app.state, made))


async def authenticate(scope: Any, state: State, policy: Policy) -> Identity:
    """Who sent the request of this ASGI scope. Raises unless the policy lets them.

    The keys' middleware asks before anything is looked up, and the guard asks again: it takes the
    answer of a moment ago if that fits its own policy, and compares no token twice."""
    known: Identity | None = scope.get(IDENTITY)
    if known is None or known.kind not in policy.callers:
        known = STRANGER if ANYONE in policy.callers else await _identified(scope, state, policy)
        scope[IDENTITY] = known
    if known.suspension is not None and not policy.suspended:
        raise known.suspension
    return known


def require_change_header(scope: Any) -> None:
    """Of what comes with a cookie and changes something; and it has to come from our own pages."""
    if scope["method"] in SAFE_METHODS:
        return
    if cookies.is_foreign(scope):
        raise NotAllowed(
            "A page of another site has sent this.",
            hint="Sign in and act at this address; programs send a token instead of a cookie.",
        )
    if not cookies.says_change(scope):
        raise NotAllowed(
            "What changes something needs a header that no other site can send.",
            hint=f"Send {cookies.CHANGE_HEADER}: 1 with the cookie.",
        )


async def staff_holder(scope: Any, state: State, token: str) -> tuple[str, NamedToken]:
    """Whose token somebody signs in with. A wrong one counts, and the right one of an address that
    has sent too many is refused all the same."""
    held: Mapping[Caller, Sequence[NamedToken]] = state.staff_tokens
    found = [
        (kind, one)
        for kind, tokens in held.items()
        for one in tokens
        if holder_of(token, [one]) is not None
    ]
    await count_wrong_token(scope, state, cost=0 if found else 1)
    if not found:
        raise _unknown(_STAFF_ONLY)
    kind, one = found[0]
    return kind.value, one


async def _by_cookie(scope: Any, state: State, policy: Policy, secret: str) -> Identity:
    """Who is signed in with this browser. Forged ones are not counted: there is nothing to guess,
    and a browser that was asleep for a day is no attack."""
    system: System = state.system
    async with system.database.connection() as connection:
        owner = await session_owner(connection, secret, state.staff_tokens)
    if owner is None:
        raise NotAuthenticated("The session has ended.", hint="Sign in again: POST /admin/session.")
    require_change_header(scope)
    caller = Caller(owner.caller)
    if caller not in policy.callers:
        raise NotAllowed(
            f"This address is for {_plural(policy)}, and the session is a {caller}'s.",
            hint="Sign in with a token that may do this.",
        )
    return Identity(caller, owner.name)


async def still_signed_in(request: Request[Any, Any, State]) -> bool:
    """Whether the session by which a long request came has not ended. A token stands as long as the
    process does."""
    secret = None if _bearer(request.scope) else cookies.session_secret(request.scope)
    if secret is None:
        return True
    state = request.app.state
    system: System = state.system
    async with system.database.connection() as connection:
        return await session_owner(connection, secret, state.staff_tokens) is not None


async def _identified(scope: Any, state: State, policy: Policy) -> Identity:
    token = _bearer(scope)
    if token is None and policy.callers & STAFF:
        secret = cookies.session_secret(scope)
        if secret is not None:
            return await _by_cookie(scope, state, policy, secret)
    if token is None:
        raise NotAuthenticated(f"This address is for {_plural(policy)}.", hint=_hint(policy))
    authenticators: Sequence[Authenticator] = state.authenticators
    asked = [one for one in authenticators if one.kinds & policy.callers]
    found, refusal = await _looked_up(asked, token)
    if policy.callers & GUESSABLE:
        # A user's old token is no guess at an operator's, where both are let in.
        was_ours = refusal is not None and refusal.code != NOBODYS
        await count_wrong_token(scope, state, cost=0 if found or was_ours else 1)
    if found is None:
        raise (refusal if refusal is not None else _unknown(policy))
    caller = found.called_as(policy.callers)
    if caller.kind not in policy.callers:
        raise NotAllowed(
            f"This address is for {_plural(policy)}, and the token is a {found.kind}'s.",
            hint="Ask with a token that may do this.",
        )
    return caller


async def _looked_up(
    asked: Sequence[Authenticator], token: str
) -> tuple[Identity | None, HandfastError | None]:
    """Whose it is; else why it is nobody's, if somebody can say that."""
    refusal: HandfastError | None = None
    for one in asked:
        try:
            who = await one.identify(token)
        except (NotAllowed, NotAuthenticated) as no:
            refusal = refusal or no
            continue
        if who is not None:
            return who, None
    return None, refusal


def _bearer(scope: Any) -> str | None:
    authorization = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token else None


def _unknown(policy: Policy) -> HandfastError:
    if not policy.callers & STAFF:
        return NotAuthenticated(
            f"This address is for {_plural(policy)}, and the token is nobody's.",
            hint=_hint(policy),
        )
    return NotAllowed(
        "That is not the operator's token.",
        hint="It is the value of HANDFAST_ADMIN_TOKEN; in development it was printed at the "
        "first start and is kept in the data folder.",
    )


def _hint(policy: Policy) -> str:
    if policy.callers & STAFF:
        return "Send the operator's token: Authorization: Bearer <HANDFAST_ADMIN_TOKEN>."
    return "Send your token: Authorization: Bearer <token>."


def _plural(policy: Policy) -> str:
    kinds = [f"{kind.value.replace('_', ' ')}s" for kind in Caller if kind in policy.callers]
    return " and ".join(kinds)


async def count_wrong_token(scope: Any, state: State, *, cost: int) -> None:
    """A wrong token takes one; the right one only looks whether there is one left."""
    limiter: Limiter = state.limiter
    proxies: Proxies = state.proxies
    subject = f"address:{proxies.caller(scope)}"
    verdict = await limiter.take(state.operator_logins, subject, cost)
    if not verdict.admitted:
        raise too_many(LimitDecision([verdict]))
