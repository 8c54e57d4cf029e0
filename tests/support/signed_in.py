"""Somebody who is signed in, without a code and without HTTP: what hundreds of tests begin with.

    anna = await sign_in(api)
    await client.get("/users/me", headers=anna.headers)

The API need not serve.
"""

import secrets
from dataclasses import dataclass
from uuid import UUID

from litestar import Litestar

from handfast.engine.system import System
from handfast.services.identity.authority import TokenAuthority
from handfast.services.identity.otp import signing_in

TEST_SECRET = "a-secret-of-the-tests-that-guards-nobody"


@dataclass(frozen=True)
class Person:
    user_id: UUID
    sign_in_id: UUID
    phone: str
    access_token: str
    refresh_token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.access_token}"}


def some_phone() -> str:
    """A number that nobody else of the test has, most probably; of a range for films."""
    return f"+4930{secrets.randbelow(10**8):08}"


async def sign_in(
    at: Litestar | System, phone: str | None = None, *, device: str | None = None
) -> Person:
    """The account of the phone, made if it is new, signed in once more."""
    system: System = at.state.system if isinstance(at, Litestar) else at
    shared = at.state.shared["identity"] if isinstance(at, Litestar) else None
    authority: TokenAuthority = shared or TokenAuthority(system.settings)
    phone = phone or some_phone()
    async with system.database.transaction() as tx:
        made = await signing_in.sign_in(tx, system.hooks, authority.secret, phone, device)
        token = await authority.issue(tx, made.user_id, made.sign_in_id)
    return Person(made.user_id, made.sign_in_id, phone, token, made.refresh_token)
