"""Messages of a match: sent once, read in pages, marked as read.

Whoever sends holds the pair, as does whoever blocks or unmatches: a message is in before the match
is closed, or refused. It has its number under that lock, and both sides hear of it in one event, so
the order of a chat is the order of both streams.
"""

from datetime import datetime
from uuid import UUID

import msgspec

from handfast.apps.chat import metrics
from handfast.apps.chat.content import check_content
from handfast.apps.chat.describing import chats_of
from handfast.apps.chat.errors import MatchClosed, MessageIdReused
from handfast.base.errors import InvalidRequest, NotFound
from handfast.base.ids import new_id
from handfast.base.pages import cut
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction

PAGE_DEFAULT, PAGE_LARGEST = 50, 100  # messages, as the contract has them


class Message(msgspec.Struct, rename="camel", frozen=True, omit_defaults=True):
    """`content` is text and nothing else: show it as such. It is missing once it was removed.
    `clientMessageId` is shown to the sender alone."""

    id: UUID
    match_id: UUID
    sender_id: UUID
    created_at: datetime
    content: str | None = None
    client_message_id: str | None = None
    read_at: datetime | None = None
    removed_at: datetime | None = None


class MessagePage(msgspec.Struct, rename="camel", frozen=True):
    """The newest first; for more, ask for what is `before` the last one."""

    messages: list[Message]
    has_more: bool


class ReadState(msgspec.Struct, rename="camel", frozen=True, omit_defaults=True):
    match_id: UUID
    unread_count: int
    up_to_message_id: UUID | None = None


class _SendOutcome(msgspec.Struct, frozen=True):
    """The message is there if it was sent, now or before."""

    outcome: str
    message_id: UUID | None
    created_at: datetime | None
    read_at: datetime | None
    removed_at: datetime | None


class _MessageRow(msgspec.Struct, frozen=True):
    id: UUID
    match_id: UUID
    sender_id: UUID
    content: str | None
    client_message_id: str | None
    created_at: datetime
    read_at: datetime | None
    removed_at: datetime | None

    def shown(self) -> Message:
        return Message(
            self.id,
            self.match_id,
            self.sender_id,
            self.created_at,
            self.content,
            self.client_message_id,
            self.read_at,
            self.removed_at,
        )


_SEND = statement("chat.send", row=_SendOutcome)
_MARK = statement("chat.mark_read", row=str)
_IS_IN = statement("chat.is_in_match", row=bool)
_NUMBER = statement("chat.number_of", row=int)
_PAGE = statement("chat.page", row=_MessageRow)


async def send_message(
    tx: Transaction, user_id: UUID, match_id: UUID, content: str, client_id: str | None
) -> tuple[Message, bool]:
    """The stored message, and whether it is new: sent again under its ``client_id`` it is the same
    one, for ever, also when the match is closed by now."""
    check_content(content)
    done = await _SEND.one(tx, new_id(), match_id, user_id, content, client_id)
    _refuse_closed_or_none(done.outcome)
    metrics.MESSAGES.labels(done.outcome).inc()
    if done.outcome == "reused":
        raise MessageIdReused(
            f"The clientMessageId is that of the message {done.message_id}, which says something "
            "else.",
            hint="Make a new clientMessageId for each message, and keep it for its retries.",
            existing_id=done.message_id,
        )
    assert done.message_id is not None and done.created_at is not None  # noqa: S101, PT018
    message = Message(
        id=done.message_id,
        match_id=match_id,
        sender_id=user_id,
        created_at=done.created_at,
        content=content if done.removed_at is None else None,
        client_message_id=client_id,
        read_at=done.read_at,
        removed_at=done.removed_at,
    )
    return message, done.outcome == "sent"


async def mark_read(
    tx: Transaction, user_id: UUID, match_id: UUID, up_to: UUID | None
) -> ReadState:
    """Up to a message, or all. A mark never goes back."""
    outcome = await _MARK.one(tx, match_id, user_id, up_to)
    _refuse_closed_or_none(outcome)
    if outcome == "unknown":
        raise NotFound(
            "There is no such message in this match.",
            hint="Name one that GET /matches/{id}/messages shows, or none for all.",
        )
    state = (await chats_of(tx, user_id, [match_id])).get(match_id)
    if state is None:
        return ReadState(match_id, 0)
    return ReadState(match_id, state.unread, state.read_up_to)


async def list_messages(
    on: Queryable, user_id: UUID, match_id: UUID, *, before: UUID | None, limit: int
) -> MessagePage:
    """Also of a closed match, as long as its chat is kept: who was hurt may still report it."""
    if not await _IS_IN.one(on, match_id, user_id):
        raise no_such_match()
    number = None if before is None else await _NUMBER.maybe(on, before, match_id)
    if before is not None and number is None:
        raise InvalidRequest(
            "`before` is no message of this match.",
            hint="Pass the id of the last message of the page before.",
        )
    shown, last = cut(await _PAGE.all(on, match_id, user_id, number, limit + 1), limit)
    return MessagePage([row.shown() for row in shown], last is not None)


def no_such_match() -> NotFound:
    return NotFound("You have no such match.", hint="GET /matches?status=all has yours.")


def _refuse_closed_or_none(outcome: str) -> None:
    if outcome == "none":
        raise no_such_match()
    if outcome == "closed":
        metrics.MESSAGES.labels(outcome).inc()
        raise MatchClosed(
            "The match is closed: nothing can be written or marked in it.",
            hint="GET /matches has those that are open.",
        )
