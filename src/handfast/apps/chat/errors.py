"""Errors of chat."""

from handfast.base.errors import Conflict, InvalidRequest


class MatchClosed(Conflict):
    """What was written stays readable for 30 days."""

    code = "MATCH_CLOSED"
    title = "The match is closed"


class MessageIdReused(Conflict):
    """The sender has used this ``clientMessageId`` in this match, for another text."""

    code = "MESSAGE_ID_REUSED"
    title = "The clientMessageId belongs to another message"


class MessageInvalid(InvalidRequest):
    code = "MESSAGE_INVALID"
    title = "That cannot be sent as a message"
