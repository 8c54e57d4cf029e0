"""Messages as a report takes them along: copied, because a chat goes after a while. Only what the
one who reports may see."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from handfast.db.statements import statement
from handfast.db.transaction import Queryable

NEWEST_MAX = 50  # messages of a match that is reported as a whole: the last page


class _Evidence(msgspec.Struct, frozen=True):
    id: UUID
    match_id: UUID
    sender_id: UUID
    recipient_id: UUID
    created_at: datetime
    content: str | None


_EVIDENCE = statement("chat.evidence", row=_Evidence)


async def evidence(
    on: Queryable, user_id: UUID, message_ids: Sequence[UUID], match_id: UUID | None
) -> list[dict[str, Any]]:
    """Messages by id, and the newest of a match; those that the user cannot see are missing."""
    rows = await _EVIDENCE.all(on, user_id, list(message_ids), match_id, NEWEST_MAX)
    return [
        {
            "messageId": row.id,
            "matchId": row.match_id,
            "senderId": row.sender_id,
            "recipientId": row.recipient_id,
            "sentAt": row.created_at,
            "content": row.content,
        }
        for row in rows
    ]
