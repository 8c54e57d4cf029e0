"""Answers that belong to something: a sign-in, a session. When it ends, so do their replays.

The record stays, so that the request is not carried out again; only what was answered goes.
"""

import re
from types import NoneType

from handfast.db.statements import statement
from handfast.db.transaction import Transaction

TAG_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9:._-]{0,199}")  # a kind and an id

_DROP_TAG = statement("idempotency.drop_tag", row=NoneType)


def checked(tag: str) -> str:
    """``ValueError`` for what can be no tag."""
    if TAG_PATTERN.fullmatch(tag) is None:
        raise ValueError(
            f"{tag!r} cannot be a tag: use at most 200 letters, digits, colons, dots, dashes and "
            "underscores, such as sign-in:42."
        )
    return tag


async def drop_tag(tx: Transaction, tag: str) -> int:
    """Nobody gets an answer with this tag again, once ``tx`` is committed. Answers how many there
    were; what is recorded under the tag afterwards is not dropped."""
    return await _DROP_TAG.count(tx, checked(tag))
