"""What the list of matches shows of a chat, and what a user's copy of their data has of it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from handfast.db.statements import statement
from handfast.db.transaction import Queryable


class ChatState(msgspec.Struct, frozen=True):
    """A chat as one of the two sees it; ``read`` is how far they have."""

    match_id: UUID
    last_message_at: datetime
    unread: int
    read: int | None
    read_up_to: UUID | None


_STATES = statement("chat.state_of_chats", row=ChatState)
_OWN = statement("chat.own_data", row=str)


async def chats_of(
    on: Queryable, user_id: UUID, match_ids: Sequence[UUID]
) -> Mapping[UUID, ChatState]:
    """Of these matches, those in which something was written."""
    return {one.match_id: one for one in await _STATES.all(on, user_id, list(match_ids))}


async def describe_matches(
    on: Queryable, user_id: UUID, match_ids: Sequence[UUID]
) -> Mapping[UUID, Mapping[str, Any]]:
    states = await chats_of(on, user_id, match_ids)
    return {one: _fields(states.get(one)) for one in match_ids}


def _fields(state: ChatState | None) -> Mapping[str, Any]:
    if state is None:
        return {"unread_count": 0}
    return {"unread_count": state.unread, "last_message_at": state.last_message_at}


async def own_data(on: Queryable, user_id: UUID) -> dict[str, Any]:
    """What the user has written, and nothing that others wrote."""
    found: dict[str, Any] = msgspec.json.decode(await _OWN.one(on, user_id))
    return found
