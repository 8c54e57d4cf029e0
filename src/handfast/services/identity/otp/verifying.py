"""Verifying a code: a try is counted by the statement that compares, and the right one signs in.

Two commits on purpose. The count is one of its own, whatever is answered: a refusal that undid it
would give any number of tries. The code is used up in the transaction that signs in: of two who
know it, one does.
"""

from uuid import UUID

from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Transaction
from handfast.services.identity import metrics
from handfast.services.identity.errors import OtpInvalid
from handfast.services.identity.otp.codes import comparable
from handfast.services.identity.otp.sending import TRIES
from handfast.services.identity.secret import IdentitySecret

_COUNT = statement("identity.count_try", row=bool)
_USE = statement("identity.use_otp_request", row=str)


async def count_try(database: Database, secret: IdentitySecret, request: UUID, code: str) -> None:
    """Raises unless the code is right. The try is counted when this returns, or raises."""
    async with database.connection() as connection:
        right = await _COUNT.maybe(connection, request, comparable(secret, request, code), TRIES)
    metrics.TRIES.labels("right" if right else "wrong").inc()
    if not right:
        raise _invalid()


async def use(tx: Transaction, secret: IdentitySecret, request: UUID, code: str) -> str:
    """The phone that the code proves, once."""
    phone = await _USE.maybe(tx, request, comparable(secret, request, code))
    if phone is None:
        raise _invalid()
    return phone


def _invalid() -> OtpInvalid:
    return OtpInvalid(
        "That code is wrong, has expired, was used, or was tried too often.",
        hint="Ask for another: POST /auth/otp/send.",
    )
