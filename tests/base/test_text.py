"""Text that can be stored or shown: what is refused, and what is made of it."""

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handfast.base.text import (
    NO_NUL,
    cleaned,
    is_storable,
    printable,
    storable_json,
    why_unstorable,
)
from handfast.db.pool import Database

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=50)  # with halves of surrogates


@pytest.mark.parametrize("text", ["", "Zoë ✓ 𝄞", "\x01\x7f\n", "\\0", "\\u0000"])
def test_what_can_be_stored(text: str) -> None:
    assert why_unstorable(text) is None
    assert is_storable(text)
    assert cleaned(text) == text


@pytest.mark.parametrize(
    ("text", "why", "made"),
    [
        ("a\0b", "has a NUL character, which PostgreSQL cannot store", "a\\0b"),
        ("K\udcf6ln", "is not UTF-8", "K?ln"),
        ("\ud800\0", "has a NUL character, which PostgreSQL cannot store", "?\\0"),
    ],
)
def test_what_cannot_be_stored(text: str, why: str, made: str) -> None:
    assert why_unstorable(text) == why
    assert not is_storable(text)
    assert cleaned(text) == made


def test_cut_before_it_is_cleaned() -> None:
    assert cleaned("x" * 10, 4) == "xxxx"
    assert cleaned("abc\0def", 4) == "abc\\0"


@given(ANY_TEXT)
def test_anything_can_be_made_storable(text: str) -> None:
    assert is_storable(cleaned(text))
    assert is_storable(printable(text))


async def test_postgres_agrees(database: Database) -> None:
    every = "".join(map(chr, range(0x110000)))
    kept = cleaned(every)
    async with database.connection() as connection:
        assert await connection.fetchval("SELECT $1::text", kept) == kept


@pytest.mark.parametrize("value", ["", "a", "\\u0000", "\\\\u0000", {"k\\": ["\\\\"]}, "\x01"])
def test_json_that_can_be_stored(value: object) -> None:
    encoded = msgspec.json.encode(value)
    assert storable_json(encoded) == encoded.decode()


@pytest.mark.parametrize("value", ["\0", "\\\0", "a\\\\\0", {"\0": 1}, ["x", {"y": "\0"}]])
def test_json_with_a_nul(value: object) -> None:
    with pytest.raises(ValueError, match="NUL"):
        storable_json(msgspec.json.encode(value))


@given(st.text(st.sampled_from("\\u0 \0"), max_size=12))
def test_a_nul_is_found_however_it_is_escaped(text: str) -> None:
    encoded = msgspec.json.encode(text)
    if "\0" in text:
        with pytest.raises(ValueError, match="NUL"):
            storable_json(encoded)
    else:
        assert storable_json(encoded) == encoded.decode()


def test_a_terminal_is_not_steered() -> None:
    assert printable("one\ntwo\tthree ✓") == "one\ntwo\tthree ✓"
    assert printable("\x1b[2J\x07\r\0\u202e\ud800") == "�[2J" + "�" * 5


@pytest.mark.parametrize(("text", "fits"), [("", True), ("a\nb", True), ("a\0", False)])
def test_the_pattern_for_schemas(text: str, fits: bool) -> None:
    assert (re.search(NO_NUL, text) is not None) is fits
