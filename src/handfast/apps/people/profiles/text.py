"""Texts that people write about themselves, in one spelling and without tricks.

Unicode has several spellings for one text (``é`` is one character or two), characters that cannot
be seen, and characters that turn the text around them. NFC makes one spelling of the first. The
others are refused in names, where they serve to look like somebody else; a bio may have what emoji
and some scripts need: joiners between visible characters.
"""

import unicodedata

from handfast.apps.people.errors import ProfileInvalid

NAME_MIN, NAME_MAX = 2, 50  # characters, as the contract has them
BIO_MAX = 500
PLACE_NAME_MAX = 100  # the longest official name of a town has 85
PHYSICAL_PREFERENCE_MAX = 50

# Fillers and blanks that Unicode calls letters: a name of them shows nothing at all.
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u17b4\u17b5\U0001d159\U00016fe4")
# Marks that show nothing themselves: most choose between shapes of the character before them.
_UNSEEN_MARKS = frozenset("\u034f\u180b\u180c\u180d\u180f") | frozenset(
    map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
_KEYCAP = "\u20e3"
_JOINERS = frozenset("\u200c\u200d")  # in emoji, and between letters of Persian and Indic scripts
_MARKS_MAX = 4  # on one letter: no language needs more, and a hundred of them cover the next lines


def name(value: str) -> str:
    """A display name: one line, with something to see in it, and nothing that cannot be seen."""
    return _one_line("displayName", value, NAME_MIN, NAME_MAX)


def place_name(field: str, value: str) -> str:
    return _one_line(field, value, 1, PLACE_NAME_MAX)


def physical_preference(value: str) -> str:
    return _one_line("physicalPreferences", value, 1, PHYSICAL_PREFERENCE_MAX)


def bio(value: str) -> str:
    """Several lines are fine; an empty one removes it."""
    text = unicodedata.normalize("NFC", value).replace("\r\n", "\n").strip()
    _check("bio", text, allowed="\n\t")
    _check_length("bio", text, 0, BIO_MAX)
    return text


def _one_line(field: str, value: str, least: int, most: int) -> str:
    words = unicodedata.normalize("NFC", value).split(" ")
    text = " ".join(word for word in words if word)  # a page shows several spaces as one
    _check(field, text, allowed="")
    _check_length(field, text, least, most)
    if text and not any(unicodedata.category(one)[0] in "LNSP" for one in text):
        raise _refused(field, "shows nothing")
    return text


def _check(field: str, text: str, *, allowed: str) -> None:
    marks = 0
    for at, one in enumerate(text):
        kind = unicodedata.category(one)
        if one in allowed or (one in _JOINERS and _joins(text, at)):
            continue
        if kind in ("Cc", "Cs", "Zl", "Zp"):
            raise _refused(field, f"has a control character (U+{ord(one):04X})")
        idle = not allowed and one in _UNSEEN_MARKS and not _chooses(text, at)
        if (
            idle
            or one in _BLANK_LETTERS
            or kind in ("Cf", "Co", "Cn")
            or (kind == "Zs" and one != " ")
        ):
            raise _refused(field, f"has a character that cannot be seen (U+{ord(one):04X})")
        marks = marks + 1 if kind in ("Mn", "Me") else 0
        if marks > _MARKS_MAX:
            raise _refused(field, "has too many marks on one letter")


def _joins(text: str, at: int) -> bool:
    """Between two characters that can be seen. Between Latin letters there is nothing to join."""
    if not 0 < at < len(text) - 1:
        return False
    around = text[at - 1] + text[at + 1]
    return all(unicodedata.category(one)[0] in "LMS" for one in around) and not around.isascii()


def _chooses(text: str, at: int) -> bool:
    """After an emoji, a keycap's digit, a Han or a Mongolian letter: those have several shapes."""
    before = text[at - 1] if at else " "
    if text[at + 1 : at + 2] == _KEYCAP:
        return before in set("0123456789#*")
    if unicodedata.category(before)[0] in "SP":
        return not before.isascii()
    return unicodedata.name(before, "").startswith(("CJK", "MONGOLIAN", "INFORMATION"))


def _check_length(field: str, text: str, least: int, most: int) -> None:
    if not least <= len(text) <= most:
        raise ProfileInvalid(
            f"{field} has {len(text)} characters.",
            hint=f"Allowed are {least} to {most}, spaces around it not counted.",
        )


def _refused(field: str, why: str) -> ProfileInvalid:
    return ProfileInvalid(f"{field} {why}.", hint="Write it with letters that can be seen.")
