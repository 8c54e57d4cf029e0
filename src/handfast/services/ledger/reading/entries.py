"""A stake's money, entry by entry: every transfer that names its place in the queue, whole."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import msgspec

from handfast.base.words import OneOf
from handfast.db.statements import statement
from handfast.db.transaction import Queryable
from handfast.services.ledger.values import AccountKind, TransferKind

ENTRIES_MAX = 500  # a stake has a dozen


class MoneyEntry(msgspec.Struct, frozen=True, rename="camel"):
    """One line of a transfer: so much went to this account, or came from it. ``owner`` is the
    player whose account it is, null for the platform's."""

    transfer_id: int
    line: int
    at: datetime
    kind: Annotated[str, OneOf(TransferKind)]
    entry_kind: Annotated[str, OneOf(TransferKind)]
    reference: str
    account: Annotated[str, OneOf(AccountKind)]
    owner: str | None
    currency: str
    amount: int
    balance: int | None
    queue_id: int | None
    session_id: int | None


_ENTRIES = statement("ledger.entries_of_queue", row=MoneyEntry)


async def entries_of(
    on: Queryable, queue_ids: Sequence[int], references: Sequence[str] = ()
) -> list[MoneyEntry]:
    """In the order in which they were written; also of transfers that are called so."""
    return await _ENTRIES.all(on, list(queue_ids), list(references), ENTRIES_MAX)
