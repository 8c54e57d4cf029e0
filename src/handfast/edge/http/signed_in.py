"""Signed-in users: known by their access tokens, and what a handler is told of them.

    user = signed_in(request)
    await view(tx, user.user_id)

A player is the user who is signed in, under the same id.
"""

from typing import Any

from litestar import Request

from handfast.db.transaction import Transaction
from handfast.edge.http.identity import Identity, SignedIn, identity_of
from handfast.edge.http.policies import PLAYER, USER
from handfast.engine.system import System
from handfast.services.identity.accounts import HeldAccount, hold_account
from handfast.services.identity.authority import TokenAuthority
from handfast.services.identity.errors import AccountSuspended, InsufficientScope, TokenRevoked
from handfast.services.identity.sign_ins import Standing


class UserTokens:
    """Users and players, by access tokens: one read for each request."""

    kinds = frozenset({USER, PLAYER})

    def __init__(self, system: System, authority: TokenAuthority) -> None:
        self._database = system.database
        self._authority = authority

    async def identify(self, token: str) -> Identity | None:
        claims, stands = await self._authority.admit(self._database, token)
        kinds = [kind for kind in (USER, PLAYER) if kind.value in claims.scopes]
        if not kinds:
            raise InsufficientScope(
                f"The scope of this token is {claims.scope!r}.",
                hint="Sign in for a token that says user.",
            )
        return Identity(
            kinds[0],
            str(claims.sub),
            also=frozenset(kinds[1:]),
            signed_in=SignedIn(claims.sub, claims.sid),
            suspension=_suspension(stands),
        )


def _suspension(stands: Standing | HeldAccount) -> AccountSuspended | None:
    if not stands.suspended:
        return None
    until = stands.suspended_until
    end = "" if until is None else f" until {until.isoformat()}"
    return AccountSuspended(
        f"This account is suspended{end}.",
        hint="You can look at your account, appeal, export your data, delete it and sign out.",
        action_id=stands.action_id,
        until=until,
    )


def signed_in(request: Request[Any, Any, Any]) -> SignedIn:
    """Who is signed in, in a handler whose policy lets in users or players alone."""
    found = identity_of(request).signed_in
    assert found is not None  # noqa: S101  # or the guard would have refused
    return found


async def still_let_in(tx: Transaction, request: Request[Any, Any, Any]) -> None:
    """Once more, as the first thing of a transaction: for what is ended with an account, and must
    not begin beside that end. Until the transaction is over nobody suspends or deletes it."""
    stands = await hold_account(tx, signed_in(request).user_id)
    if stands is None or stands.deleted:
        raise TokenRevoked("The sign-in of this token has ended.", hint="Sign in again.")
    suspension = _suspension(stands)
    if suspension is not None:
        raise suspension
