"""What somebody wrote goes with their account. What is open then is still evidence, and goes when
it is decided: both have the account's row, so whoever comes second sees what the first has done.
"""

from types import NoneType
from uuid import UUID

from handfast.db.statements import statement
from handfast.db.transaction import Transaction
from handfast.services.identity.accounts import Account

_FORGET = statement("safety.forget_in_reports", row=NoneType)
_FORGET_APPEALS = statement("safety.forget_appeals_of", row=NoneType)


async def forget(tx: Transaction, user_id: UUID) -> None:
    """That something was reported and decided stays, with an id that means nothing any more."""
    await _FORGET.run(tx, user_id)
    await _FORGET_APPEALS.run(tx, user_id)


async def forget_if_erased(tx: Transaction, *accounts: Account) -> None:
    for account in accounts:
        if account.erased_at is not None:
            await forget(tx, account.id)
