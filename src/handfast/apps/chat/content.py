"""What may be sent: text that shows something. It is kept as it was sent, HTML and all; whoever
shows it shows it as text.

A message of spaces, or of characters that nobody sees, would be a notification without a message.
Joiners, marks and directions between what can be seen are left alone: scripts and emoji need them.
"""

import re
import unicodedata

from handfast.apps.chat.errors import MessageInvalid
from handfast.base.text import why_unstorable

CONTENT_MAX = 2000  # characters, as the contract has them
CLIENT_ID_MAX = 100
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")  # all there are, but lines and tabs
# Letters and symbols that show nothing: fillers, and the blank of Braille.
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800\u17b4\u17b5\U0001d159\U00016fe4")


def check_content(text: str) -> None:
    why = why_refused(text)
    if why is not None:
        raise MessageInvalid(f"The message {why}.", hint="Send text that can be seen.")


def why_refused(text: str) -> str | None:
    """In words that follow "the message"; None if it may be sent."""
    unstorable = why_unstorable(text)
    if unstorable is not None:
        return unstorable
    if len(text) > CONTENT_MAX:
        return f"has {len(text)} characters; at most {CONTENT_MAX} are allowed"
    if _CONTROL.search(text):
        return "has a control character"
    if not any(_shows(one) for one in text):
        return "shows nothing"
    return None


def _shows(one: str) -> bool:
    return unicodedata.category(one)[0] in "LNSP" and one not in _BLANK
