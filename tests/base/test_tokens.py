"""Tokens with names."""

import pytest

from handfast.base.tokens import NamedToken, holder_of, read_tokens

ONE, OTHER = "hf_admin_0123456789", "hf_admin_abcdefghij"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (ONE, ["operator"]),
        (f"anna={ONE}", ["anna"]),
        (f"anna={ONE}, deploys.eu-1={OTHER}", ["anna", "deploys.eu-1"]),
        (f"anna={ONE},anna={OTHER}", ["anna", "anna"]),  # rotated: both for a while
        (f"{ONE},bob={OTHER}", ["operator", "bob"]),
        ("c2VjcmV0LXNlY3JldA==", ["operator"]),  # padding of base64 is no name's sign
        (f"7up={ONE}", ["operator"]),  # names begin with a letter: that is a token
    ],
)
def test_names(text: str, names: list[str]) -> None:
    assert [one.name for one in read_tokens(text, "operator")] == names


@pytest.mark.parametrize(
    "text",
    [
        "short",
        "anna=short",
        "anna=a-name-and-then",  # long enough only together with the name
        f"{ONE},",
        f"anna={ONE},bob={ONE}",
        "has spaces in the middle",
        f"anna={ONE[:-1]}\t{OTHER}",
    ],
)
def test_what_cannot_be_used(text: str) -> None:
    with pytest.raises(ValueError, match=r"short|spaces|twice"):
        read_tokens(text, "operator")


def test_whose_it_is() -> None:
    held = [NamedToken("anna", ONE), NamedToken("bob", OTHER)]
    assert holder_of(OTHER, held) == "bob"
    assert holder_of(ONE, held) == "anna"
    assert holder_of(f"{ONE} ", held) is None
    assert holder_of("ünïcode-is-no-fault", held) is None
    assert holder_of("", []) is None


def test_a_token_is_not_shown() -> None:
    assert ONE not in repr(NamedToken("anna", ONE))
