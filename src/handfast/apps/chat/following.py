"""What happens here when an operator removes what was reported, or an account is erased: hooks, in
the transaction of whoever states the fact. When a match is closed there is nothing to do: whoever
writes looks whether it is open."""

from types import NoneType
from uuid import UUID

from handfast.db.statements import statement
from handfast.db.transaction import Transaction

_REMOVE = statement("chat.remove_message", row=NoneType)
_FORGET = statement("chat.forget_chats_of", row=NoneType)


async def on_removed(tx: Transaction, type: str, subject_id: UUID, user_id: UUID) -> None:  # noqa: A002
    """The text goes; that there was a message stays."""
    if type == "message":
        await _REMOVE.run(tx, subject_id)


async def on_erased(tx: Transaction, user_id: UUID) -> None:
    """Their matches were closed when the account was deleted, 30 days ago."""
    await _FORGET.run(tx, user_id)
