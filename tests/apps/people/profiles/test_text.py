"""Names and bios: one spelling, and nothing that cannot be seen."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handfast.apps.people.errors import ProfileInvalid
from handfast.apps.people.profiles import text


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("Ada", "Ada"),
        ("  Ada Lovelace ", "Ada Lovelace"),
        ("Zoe\u0308", "Zoë"),  # two characters become one
        ("李雷", "李雷"),
        ("O'Neil-Smith Jr.", "O'Neil-Smith Jr."),
        ("نیلوفر\u200cبانو", "نیلوفر\u200cبانو"),  # noqa: RUF001  # a joiner that Persian needs
        ("Ann 👩\u200d🚀", "Ann 👩\u200d🚀"),
        ("Ann ❤\ufe0f", "Ann ❤\ufe0f"),  # in colour
        ("Ann 1\ufe0f\u20e3", "Ann 1\ufe0f\u20e3"),  # a keycap
        ("葛\U000e0100飾", "葛\U000e0100飾"),  # one of two ways to write this name
        ("Ada   Lovelace", "Ada Lovelace"),  # pages show one space
    ],
)
def test_names_that_are_taken(sent: str, kept: str) -> None:
    assert text.name(sent) == kept


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "A",
        " A ",
        "x" * 51,
        "Ada\nLovelace",
        "Ada\tL",
        "Ada\x00",
        "Ada\x1b[31m",
        "Ad\u200ba",  # zero width space
        "Ad\u200da",  # a joiner between Latin letters
        "\u200dAda",
        "Ada\u202egnp",  # turns the rest around
        "Ada\u2066x\u2069",
        "\ufeffAda",
        "A\u00a0da",  # looks like a space, and is none
        "A\u3000da",
        "\u3164\u3164",  # fillers: a name of nothing
        "\u2800\u2800\u2800",
        "Z" + "\u0335" * 9 + "o",  # marks that cover the lines around
        "A\u2028da",
        "A\ue000da",  # private use
        "Ad\udc80a",
        "Ad\u034fa",  # marks that cannot be seen: looks like Ada, and is another name
        "Ada\ufe0f",
        "Ad\ufe00a",
        "Ada\U000e0100",
        "Ad\u180ba",
        "Ada\u180f",
        "\U0001d159\U0001d159",  # a note without a head
        "Ada 1\ufe0f",
    ],
)
def test_names_that_are_refused(sent: str) -> None:
    with pytest.raises(ProfileInvalid):
        text.name(sent)


def test_a_bio_has_lines_and_no_controls() -> None:
    assert text.bio("one\r\ntwo\n") == "one\ntwo"
    assert text.bio("  ") == ""
    assert len(text.bio("x" * 500)) == 500
    assert text.bio("Really\u203c\ufe0f") == "Really\u203c\ufe0f"
    for bad in ("x" * 501, "a\x07b", "a\u202eb", "a\u200bb"):
        with pytest.raises(ProfileInvalid):
            text.bio(bad)


@given(st.text(max_size=60))
def test_whatever_is_taken_is_normal_and_stays_as_it_is(sent: str) -> None:
    try:
        kept = text.name(sent)
    except ProfileInvalid:
        return
    assert text.name(kept) == kept
    assert unicodedata.is_normalized("NFC", kept)
    assert 2 <= len(kept) <= 50
    assert kept.replace("\u200c", "").replace("\u200d", "").isprintable()
