"""The keys that sign access tokens: Ed25519, the private half encrypted, a new one every 90 days.

A new key is in the published set before it signs, so that whoever caches the set knows it; the one
before it goes on verifying for a while. Which key signs, and whether one still verifies, the
database says each time: a process keeps nothing but what a key is, which never changes.
"""

from base64 import urlsafe_b64encode
from datetime import datetime, timedelta
from types import NoneType
from uuid import uuid4

import msgspec

from handfast.base.errors import SettingsError
from handfast.base.extras import extra
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.services.identity.secret import IdentitySecret
from handfast.services.identity.tokens.access import ALGORITHM

with extra("identity"):
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )
    from joserfc.jwk import OKPKey

ROTATE_EVERY = timedelta(days=90)
JWKS_SECONDS = 300  # how long others may keep the published set
LEAD = 2 * timedelta(seconds=JWKS_SECONDS)  # published so long before it signs
OVERLAP = timedelta(days=1)  # verifies so long after another signs; tokens live 15 minutes
KEPT = timedelta(days=30)  # afterwards, for people who look what happened


class SigningKeyRow(msgspec.Struct, frozen=True):
    kid: str
    created_at: datetime
    signs_from: datetime
    verifies_until: datetime | None
    public_key: bytes


class _Signing(msgspec.Struct, frozen=True):
    kid: str
    public_key: bytes
    private_key: bytes
    at: datetime


class SigningKey(msgspec.Struct, frozen=True):
    """What signs now, and the database's time."""

    kid: str
    key: OKPKey
    at: datetime


class PublishedKey(msgspec.Struct, frozen=True):
    """As RFC 8037 writes it."""

    kty: str
    crv: str
    kid: str
    use: str
    alg: str
    x: str


_ADD = statement("identity.add_signing_key", row=bool)
_SIGNING = statement("identity.signing_key", row=_Signing)
_VERIFYING = statement("identity.verifying_keys", row=SigningKeyRow)
_FORGET = statement("identity.forget_signing_keys", row=NoneType)


class SigningKeys:
    def __init__(self, secret: IdentitySecret) -> None:
        self._secret = secret
        self._private: dict[str, OKPKey] = {}
        self._public: dict[str, OKPKey] = {}

    async def current(self, on: Queryable) -> SigningKey:
        """What signs now; the first of all is made when it is first needed."""
        row = await _SIGNING.maybe(on)
        if row is None:
            await add_key(on, self._secret, max_age=ROTATE_EVERY)
            row = await _SIGNING.one(on)
        if row.kid not in self._private:
            self._private[row.kid] = self._opened(row)
        return SigningKey(row.kid, self._private[row.kid], row.at)

    async def public(self, database: Database, kid: str) -> OKPKey | None:
        """The key of this name. One that is unknown is looked for each time: another process may
        have made it just now, and whoever makes names up costs a read, as any stranger does."""
        if kid not in self._public:
            async with database.connection() as connection:
                rows = await verifying_keys(connection)
            self._public = {row.kid: _verifier(row.public_key) for row in rows}
        return self._public.get(kid)

    def _opened(self, row: _Signing) -> OKPKey:
        private = self._secret.open(row.private_key, row.kid.encode())
        if private is None:
            raise SettingsError(
                f"The signing key {row.kid} cannot be opened with HANDFAST_IDENTITY_SECRET.",
                hint="Set the secret that it was made with (several may stand there, with commas "
                "between), or make a new key: handfast identity keys rotate --revoke.",
            )
        return OKPKey.import_key(Ed25519PrivateKey.from_private_bytes(private))


async def add_key(
    on: Queryable,
    secret: IdentitySecret,
    *,
    max_age: timedelta | None,
    revoke: bool = False,
) -> bool:
    """Make the next key, unless there is one younger than ``max_age``. With ``revoke`` it signs at
    once, and nothing that was signed before is good."""
    key = Ed25519PrivateKey.generate()
    kid = uuid4().hex
    private = secret.seal(key.private_bytes_raw(), kid.encode())
    public = key.public_key().public_bytes_raw()
    return await _ADD.one(on, kid, public, private, max_age, LEAD, OVERLAP, revoke)


async def verifying_keys(on: Queryable) -> list[SigningKeyRow]:
    """Those whose tokens are good, the newest first; also the one that will sign next."""
    return await _VERIFYING.all(on)


async def forget_keys(on: Queryable) -> None:
    """Private halves that will sign nothing more, and keys that verify nothing more."""
    await _FORGET.run(on, KEPT, timedelta(minutes=1))


def published(row: SigningKeyRow) -> PublishedKey:
    x = urlsafe_b64encode(row.public_key).rstrip(b"=").decode()
    return PublishedKey("OKP", "Ed25519", row.kid, "sig", ALGORITHM, x)


def _verifier(public: bytes) -> OKPKey:
    return OKPKey.import_key(Ed25519PublicKey.from_public_bytes(public))
