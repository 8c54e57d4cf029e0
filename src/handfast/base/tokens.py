"""Tokens of people and programs that operate this: one, or several with a name each.

    hf_admin_lK3v…                         one token, nobody's in particular
    anna=hf_admin_lK3v…,deploys=Vq0p1m…    each with the name that the audit writes down

A name may stand twice, with an old token and a new one: that is how one is rotated.
"""

import hmac
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

LENGTH_MIN = 16  # characters; shorter ones are guessable by trying

_NAMED = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9_.-]{0,49})=(?P<token>.*[^=].*)")


@dataclass(frozen=True)
class NamedToken:
    name: str
    token: str = field(repr=False)


def read_tokens(text: str, unnamed: str) -> list[NamedToken]:
    """Each with its name; one without is called ``unnamed``. ``ValueError`` if one is too short,
    has spaces, or is there twice."""
    found = [_read(part.strip(), unnamed) for part in text.split(",")]
    if any(len(one.token) < LENGTH_MIN for one in found):
        raise ValueError("too short")
    if any(not one.token.isprintable() or " " in one.token for one in found):
        raise ValueError("has spaces")
    if len({one.token for one in found}) < len(found):
        raise ValueError("the same token twice")
    return found


def _read(part: str, unnamed: str) -> NamedToken:
    # What is nothing but padding behind the sign (of base64) names nobody.
    named = _NAMED.fullmatch(part)
    return NamedToken(named["name"], named["token"]) if named else NamedToken(unnamed, part)


def holder_of(token: str, tokens: Sequence[NamedToken]) -> str | None:
    """Whose it is. As bytes, in constant time and to the end of the list: neither odd characters
    nor timing tell anything."""
    sent = token.encode()
    held = [one.name for one in tokens if hmac.compare_digest(sent, one.token.encode())]
    return held[0] if held else None
