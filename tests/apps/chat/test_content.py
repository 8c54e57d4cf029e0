"""What may be sent, by itself."""

import pytest

from handfast.apps.chat.content import CONTENT_MAX, check_content, why_refused
from handfast.apps.chat.errors import MessageInvalid


@pytest.mark.parametrize(
    "text",
    [
        "hi",
        "?",
        "1",
        "€",
        "🏳️‍🌈",
        "\u0639\u200c\u0628",
        "a\u202eb",
        " x ",
        "\n.\n",
        "x" * CONTENT_MAX,
    ],
)
def test_what_may_be_sent(text: str) -> None:
    assert why_refused(text) is None


@pytest.mark.parametrize(
    "text",
    ["", " ", "\u00a0\u2003", "\u200b", "\u202e\u202c", "\ufe0f", "\u0301", "\u3164", "\u2800"],
)
def test_what_shows_nothing(text: str) -> None:
    assert why_refused(text) == "shows nothing"
    with pytest.raises(MessageInvalid, match="shows nothing"):
        check_content(text)


def test_what_cannot_be_kept() -> None:
    assert why_refused("a\0b") is not None
    assert why_refused("\ud800") is not None
    assert why_refused("x" * (CONTENT_MAX + 1)) is not None
    assert why_refused("bell\x07") == "has a control character"
