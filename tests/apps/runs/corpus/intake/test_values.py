"""One value at a time: what is taken, and what is said of what is not."""

from decimal import Decimal
from typing import Any

import pytest

from handfast.apps.runs.corpus.intake.columns import check_columns
from handfast.apps.runs.corpus.intake.fields import BadValue, identity, names, text, whole
from handfast.apps.runs.corpus.intake.records import Investors, Matches, Startups, read_usual_pairs
from handfast.apps.runs.corpus.intake.rejects import MaxBad
from handfast.apps.runs.corpus.versions.parts import CorpusPart
from handfast.apps.runs.errors import CorpusColumnsWrong
from handfast.base.errors import InvalidRequest


@pytest.mark.parametrize(
    ("value", "number"),
    [
        *[("7", 7), (" 7 ", 7), ("+7", 7), ("", None), ("  ", None), (None, None)],
        *[(7, 7), (7.0, 7), (Decimal("7.00"), 7)],
    ],
)
def test_a_whole_number_in_any_type(value: Any, number: int | None) -> None:
    assert whole(value, 0, 100) == number


@pytest.mark.parametrize(
    "value",
    [
        *["7.5", "seven", "1_0", "\u0667", "0x7", "101", "-1", "9" * 30],
        *[7.5, float("nan"), float("inf"), True, [7], Decimal("7.5"), Decimal("NaN")],
    ],
)
def test_what_is_not_a_whole_number_in_range(value: Any) -> None:
    with pytest.raises(BadValue):
        whole(value, 0, 100)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("a; b;;a", ["a", "b"]),
        ('{a,"b c","d\\"e"}', ["a", "b c", 'd"e']),
        ("{}", []),
        ("", []),
        (None, []),
        (["x", None, " y "], ["x", "y"]),
    ],
)
def test_lists_in_any_spelling(value: Any, found: list[str]) -> None:
    assert names(value) == found


@pytest.mark.parametrize(
    "value", ["{a\nb}", '["a", "b"]', "[]", {"a": 1}, b"ab", [["a"]], 7, ["x"] * 2 + [7]]
)
def test_what_is_no_list_of_names(value: Any) -> None:
    with pytest.raises(BadValue):
        names(value)


@pytest.mark.parametrize("value", ["a\0b", "caf\udce9", 7, "x" * 501])
def test_text_that_cannot_be_kept(value: Any) -> None:
    with pytest.raises(BadValue):
        text(value, 500)


@pytest.mark.parametrize("value", ["", " a", "a ", None, "x" * 201, "\udce9", 1.5])
def test_ids_that_cannot_be_used(value: Any) -> None:
    with pytest.raises(BadValue):
        identity(value)


def test_ids_may_be_numbers() -> None:
    assert identity(2**60) == str(2**60)


def test_startups_are_there_once_by_id_and_by_address() -> None:
    reader = Startups(1)
    reader.read({"startup_id": "a", "name": "A", "url": "https://www.acme.com/"}, 2)
    with pytest.raises(BadValue, match="startup_id 'a' is in line 2 already"):
        reader.read({"startup_id": "a", "name": "A", "url": "https://other.com"}, 3)
    with pytest.raises(BadValue, match="is the address of startup 'a' already"):
        reader.read({"startup_id": "b", "name": "B", "url": "http://acme.com?utm_source=x"}, 4)
    with pytest.raises(BadValue, match="url 'javascript:alert"):
        reader.read({"startup_id": "c", "name": "C", "url": "javascript:alert(1)"}, 5)
    with pytest.raises(BadValue, match="name is empty"):
        reader.read({"startup_id": "d", "name": " ", "url": "https://d.com"}, 6)
    # What was refused for its name has not taken the address.
    reader.read({"startup_id": "d", "name": "D", "url": "https://d.com"}, 7)


def test_a_cheque_has_its_ends_in_order() -> None:
    with pytest.raises(BadValue, match="cheque_min 9 is more than cheque_max 5"):
        Investors(1).read({"investor_id": "i", "name": "I", "cheque_min": 9, "cheque_max": "5"}, 2)


HEADER = ["startup_id", "investor_id", "score", "sector"]


def read_slowly(reader: Matches, rows: list[list[Any]]) -> list[Any] | None:
    try:
        return [reader.read(dict(zip(HEADER, row, strict=True)), 1) for row in rows]
    except (BadValue, ValueError):
        return None


@pytest.mark.parametrize(
    "row",
    [
        ["s", "i", "1000", "100"],
        ["s", "i", 0, -1],
        ["s", "i", "7", ""],
        ["s", "i", 7, None],
        ["s", "i", "1001", "5"],
        ["s", "i", "-1", "5"],
        ["s", "i", "", "5"],
        ["s", "i", "5", "101"],
        ["s", "i", "x", "5"],
        ["other", "i", "5", "5"],
        ["s", "other", "5", "5"],
        ["s", "i", "5"],
        ["s", "i", [5], "5"],
    ],
)
def test_the_quick_way_says_what_the_slow_one_says_or_nothing(row: list[Any]) -> None:
    reader = Matches(3, frozenset({"s"}), {"i": 7})
    quick = read_usual_pairs(reader, HEADER, [["s", "i", "500", "50"], row])
    slow = read_slowly(reader, [["s", "i", "500", "50"], row])
    assert quick == slow


def test_all_that_is_wrong_with_a_header_is_said_at_once() -> None:
    with pytest.raises(CorpusColumnsWrong) as said:
        check_columns(CorpusPart.STARTUPS, ["startup_id", "nmae", "stage", "stage", "x"], "f.csv")
    assert said.value.extra == {"missing": ["name", "url"], "unknown": ["nmae", "x"]}
    assert "did you mean 'name'" in said.value.detail
    assert "there twice: 'stage'" in said.value.detail
    with pytest.raises(CorpusColumnsWrong, match="separated by semicolons"):
        check_columns(CorpusPart.MATCHES, ["startup_id;investor_id;score"], "f.csv")


def test_unknown_columns_can_be_left_out() -> None:
    header = ["startup_id", "name", "url", "x", "canonical_url", "version"]
    with pytest.raises(CorpusColumnsWrong, match="--ignore-unknown"):
        check_columns(CorpusPart.STARTUPS, header, "f.csv")
    check_columns(CorpusPart.STARTUPS, header, "f.csv", ignore_unknown=True)


@pytest.mark.parametrize(
    ("said", "rows", "allowed"), [("10%", 50, 5), ("0%", 50, 0), ("3", 50, 3), ("2.5%", 1000, 25)]
)
def test_how_many_rows_may_be_bad(said: str, rows: int, allowed: int) -> None:
    assert MaxBad.parse(said).allowed(rows) == allowed


@pytest.mark.parametrize("said", ["", "ten", "-1", "101%", "1.5", "5 %%"])
def test_what_is_no_number_of_bad_rows(said: str) -> None:
    with pytest.raises(InvalidRequest):
        MaxBad.parse(said)
