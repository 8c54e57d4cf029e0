"""What a process needs to issue and to read tokens: the secret, the keys, whom they are for.

In development the secret is made once and kept in the data folder, when it is first needed; in
production nothing starts without it, nor with a sender that only writes to the log.
"""

from datetime import UTC, datetime
from functools import cached_property
from uuid import UUID

from handfast.base.errors import SettingsError
from handfast.base.settings import Mode, Settings
from handfast.db.pool import Database
from handfast.db.transaction import Queryable
from handfast.engine.host import Host
from handfast.engine.kept_secrets import kept_secret
from handfast.engine.system import System
from handfast.services.identity.errors import SessionExpired, TokenExpired, TokenRevoked
from handfast.services.identity.secret import IdentitySecret
from handfast.services.identity.settings import (
    LOG_SENDER,
    SECRET_FILE,
    IdentitySettings,
    read_test_numbers,
)
from handfast.services.identity.sign_ins import Standing, standing
from handfast.services.identity.tokens import access
from handfast.services.identity.tokens.access import Claims, ReadToken
from handfast.services.identity.tokens.signing_keys import SigningKeys

READ_MAX = 5000  # tokens whose signatures are remembered: 5 MB; checking one takes 0.1 ms

_AGAIN = "Refresh it: POST /auth/refresh."
_SIGN_IN = "Sign in again: POST /auth/otp/send, then /auth/otp/verify."


class TokenAuthority:
    def __init__(self, settings: Settings) -> None:
        check_production(settings)
        self._settings = settings
        self.settings = settings.of(IdentitySettings)
        self.test_numbers = read_test_numbers(self.settings.test_numbers)
        self._read: dict[str, ReadToken] = {}

    @cached_property
    def secret(self) -> IdentitySecret:
        given = self.settings.identity_secret
        if given is not None:
            return IdentitySecret(given.get_secret_value().split(","))
        file = self._settings.data_dir / SECRET_FILE
        return IdentitySecret([kept_secret(file, "hf_id", "HANDFAST_IDENTITY_SECRET").value])

    @cached_property
    def keys(self) -> SigningKeys:
        return SigningKeys(self.secret)

    async def issue(self, on: Queryable, user_id: UUID, sign_in_id: UUID) -> str:
        """A new access token of a sign-in."""
        key = await self.keys.current(on)
        issuer, audience = self.settings.identity_issuer, self.settings.identity_audience
        claims = access.claims_of(user_id, sign_in_id, key.at, issuer=issuer, audience=audience)
        return access.sign(key.key, key.kid, claims)

    async def admit(self, database: Database, token: str) -> tuple[Claims, Standing]:
        """Whose token it is, and how they stand now: one round trip. Raises if it is no good."""
        read = self._read.get(token) or await self._look_at(database, token)
        async with database.connection() as connection:
            found = await standing(connection, read.claims.sid, read.kid)
        return read.claims, _checked(read.claims, found)

    async def _look_at(self, database: Database, token: str) -> ReadToken:
        """What the token says, once its signature is seen to be right. An app sends the same one
        for 15 minutes, and a signature stays right: whether its key does is asked each time."""
        if len(token) > access.TOKEN_LENGTH_MAX:
            raise access.invalid("is too long to be one of ours")
        kid = access.kid_of(token)
        key = await self.keys.public(database, kid)
        if key is None:
            raise access.invalid("is signed with a key that is not ours, or no longer")
        issuer, audience = self.settings.identity_issuer, self.settings.identity_audience
        read = access.read(token, key, kid, issuer=issuer, audience=audience)
        while len(self._read) >= READ_MAX:
            del self._read[next(iter(self._read))]  # the oldest
        self._read[token] = read
        return read

    async def close(self) -> None:
        """Nothing is held open."""


def _checked(claims: Claims, found: Standing | None) -> Standing:
    if found is None:  # ended long ago, and forgotten
        raise SessionExpired("The sign-in of this token is over.", hint=_SIGN_IN)
    if not found.key_stands:
        raise access.invalid("is signed with a key that is not ours, or no longer")
    if found.account_id != claims.sub:
        raise access.invalid("names another user than its sign-in")
    if found.ended:
        raise TokenRevoked("The sign-in of this token has ended.", hint=_SIGN_IN)
    if found.expired:
        raise SessionExpired("The sign-in of this token is over.", hint=_SIGN_IN)
    if datetime.fromtimestamp(claims.exp, UTC) <= found.at:
        raise TokenExpired("The access token has expired.", hint=_AGAIN)
    return found


def authority_of(system: System, _host: Host | None = None) -> TokenAuthority:
    return TokenAuthority(system.settings)


def check_production(settings: Settings) -> None:
    ours = settings.of(IdentitySettings)
    if settings.mode is not Mode.PRODUCTION:
        return
    wrong = {
        "HANDFAST_IDENTITY_SECRET is not set. With it codes are hashed and signing keys encrypted. "
        "Make one: python -c 'import secrets; print(secrets.token_urlsafe(32))', and give the same "
        "to every process.": ours.identity_secret is None,
        "HANDFAST_SMS_SENDER is log, which sends nothing. Name a function of yours, "
        "module:function.": ours.sms_sender == LOG_SENDER,
        "HANDFAST_TEST_NUMBERS is set: anybody who knows them could sign in. Unset it.": bool(
            read_test_numbers(ours.test_numbers)
        ),
    }
    said = [why for why, is_so in wrong.items() if is_so]
    if said:
        raise SettingsError(
            "HANDFAST_MODE is production.\n" + "\n".join(said),
            hint="Nothing was started. Without sign-ins, leave identity out of "
            "HANDFAST_CAPABILITIES.",
        )
