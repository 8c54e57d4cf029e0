"""What users send about messages. The answers are described where their rules are."""

from typing import Annotated
from uuid import UUID

import msgspec

from handfast.apps.chat.content import CLIENT_ID_MAX, CONTENT_MAX
from handfast.base.text import NO_NUL

Content = Annotated[
    str,
    msgspec.Meta(
        min_length=1,
        max_length=CONTENT_MAX,
        pattern=NO_NUL,
        description="Kept as you send it. It must show something: spaces alone do not.",
    ),
]
ClientMessageId = Annotated[
    str,
    msgspec.Meta(
        min_length=1,
        max_length=CLIENT_ID_MAX,
        pattern=NO_NUL,
        description="Yours, for this message and its retries.",
    ),
]


class NewMessage(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    content: Content
    client_message_id: ClientMessageId | None = None


class ReadMark(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    up_to_message_id: UUID | None = None
