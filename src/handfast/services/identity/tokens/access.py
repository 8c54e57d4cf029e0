"""Access tokens: JWTs signed with Ed25519, good for 15 minutes.

What can be seen in the token itself is checked here: form, algorithm, signature, issuer, audience.
Whether it has expired is judged by the database's clock, together with whether its sign-in still
stands (``sign_ins.standing``): one read, and all processes agree.
"""

import base64
from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from handfast.base.extras import extra
from handfast.services.identity.errors import TokenInvalid

with extra("identity"):
    from joserfc import jwt
    from joserfc.errors import JoseError
    from joserfc.jwk import OKPKey

LIFE = timedelta(minutes=15)
ALGORITHM = "Ed25519"
TOKEN_LENGTH_MAX = 4096  # characters; ours have about 500
SCOPES = ("user", "player")  # a player is the user, at first use


class Claims(msgspec.Struct, frozen=True):
    """As they are signed. Times are seconds since 1970, as RFC 7519 has them."""

    sub: UUID
    sid: UUID
    scope: str
    iat: int
    exp: int
    iss: str
    aud: str

    @property
    def scopes(self) -> frozenset[str]:
        return frozenset(self.scope.split())


class ReadToken(msgspec.Struct, frozen=True):
    """A token whose signature is right."""

    kid: str
    claims: Claims


def sign(key: OKPKey, kid: str, claims: Claims) -> str:
    header = {"alg": ALGORITHM, "typ": "at+jwt", "kid": kid}
    return jwt.encode(header, msgspec.to_builtins(claims), key, algorithms=[ALGORITHM])


def claims_of(
    user_id: UUID, sign_in_id: UUID, at: datetime, *, issuer: str, audience: str
) -> Claims:
    issued = int(at.timestamp())
    return Claims(
        sub=user_id,
        sid=sign_in_id,
        scope=" ".join(SCOPES),
        iat=issued,
        exp=issued + int(LIFE.total_seconds()),
        iss=issuer,
        aud=audience,
    )


def kid_of(token: str) -> str:
    """Which key it says it is signed with; nothing of it is believed yet."""
    head = token.partition(".")[0]
    try:
        header = msgspec.json.decode(_unbase64(head))
    except (ValueError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise invalid("cannot be read") from None
    if not isinstance(header, dict) or header.get("alg") != ALGORITHM:
        raise invalid("is not signed as ours are")
    kid = header.get("kid")
    if not isinstance(kid, str) or not 0 < len(kid) <= 100 or not kid.isprintable():
        raise invalid("does not say which key signed it")
    return kid


def read(token: str, key: OKPKey, kid: str, *, issuer: str, audience: str) -> ReadToken:
    """The claims of a token, once its signature and whom it is for are seen to be right."""
    try:
        decoded = jwt.decode(token, key, algorithms=[ALGORITHM])
        claims = msgspec.convert(decoded.claims, Claims)
    except (JoseError, msgspec.ValidationError, ValueError, TypeError, RecursionError):
        raise invalid("is not signed by us, or not as it should be") from None
    if claims.iss != issuer or claims.aud != audience:
        raise invalid("is meant for somebody else")
    return ReadToken(kid, claims)


def invalid(why: str) -> TokenInvalid:
    return TokenInvalid(
        f"The access token {why}.",
        hint="Sign in again: POST /auth/otp/send, then /auth/otp/verify.",
    )


def _unbase64(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
