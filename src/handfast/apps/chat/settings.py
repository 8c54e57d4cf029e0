"""Settings of chat."""

from handfast.base.settings import Section, setting


class ChatSettings(Section):
    chat_messages_per_minute: int = setting(
        30,
        "messages that a user may send in a minute",
        allowed="1 to 10000",
        example="30",
        ge=1,
        le=10_000,
    )
    chat_messages_per_hour: int = setting(
        200,
        "messages that a user may send in an hour",
        allowed="1 to 100000",
        example="200",
        ge=1,
        le=100_000,
    )
    chat_kept_days: int = setting(
        30,
        "days for which the chat of a closed match is kept",
        allowed="1 to 3650",
        example="30",
        ge=1,
        le=3650,
    )
