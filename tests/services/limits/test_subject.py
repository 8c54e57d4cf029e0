"""Whose request it is, when anybody may claim anything."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handfast.services.limits.subject import Proxies


def scope(peer: str | None, *forwarded: str) -> dict[str, Any]:
    headers = [(b"x-forwarded-for", value.encode("latin-1")) for value in forwarded]
    return {"client": (peer, 1234) if peer else None, "headers": headers}


@pytest.mark.parametrize(
    ("trusted", "peer", "forwarded", "caller"),
    [
        (None, "9.9.9.9", [], "9.9.9.9"),
        (None, "9.9.9.9", ["1.2.3.4"], "9.9.9.9"),
        ("", "127.0.0.1", ["1.2.3.4"], "127.0.0.1"),
        ("10.0.0.0/8", "9.9.9.9", ["1.2.3.4"], "9.9.9.9"),
        ("10.0.0.0/8", "10.1.1.1", ["1.2.3.4"], "1.2.3.4"),
        # What the caller wrote itself stands on the left, and is not read.
        ("10.0.0.0/8", "10.1.1.1", ["6.6.6.6, 1.2.3.4"], "1.2.3.4"),
        ("10.0.0.0/8", "10.1.1.1", ["6.6.6.6, 10.6.6.6, 1.2.3.4"], "1.2.3.4"),
        ("10.0.0.0/8", "10.1.1.1", ["6.6.6.6, 1.2.3.4, 10.2.2.2"], "1.2.3.4"),
        ("10.0.0.0/8", "10.1.1.1", ["6.6.6.6", "1.2.3.4"], "1.2.3.4"),
        ("10.0.0.0/8", "10.1.1.1", ["10.3.3.3"], "10.3.3.3"),
        ("10.0.0.0/8", "10.1.1.1", ["garbage"], "10.1.1.1"),
        ("10.0.0.0/8", "10.1.1.1", ["1.2.3.4, garbage, 10.2.2.2"], "10.2.2.2"),
        ("10.0.0.0/8", "10.1.1.1", [""], "10.1.1.1"),
        ("10.0.0.0/8", "10.1.1.1", ["1.2.3.4:5678"], "1.2.3.4"),
        ("10.0.0.0/8", "10.1.1.1", ['"[2001:db8::1]:80"'], "2001:db8::/64"),
        ("10.0.0.0/8, 192.168.1.7", "192.168.1.7", ["1.2.3.4"], "1.2.3.4"),
        ("::1", "::1", ["1.2.3.4"], "1.2.3.4"),
        ("10.0.0.0/8", "::ffff:10.1.1.1", ["1.2.3.4"], "1.2.3.4"),
        (None, "2001:db8:1:2:3:4:5:6", [], "2001:db8:1:2::/64"),
        (None, "2001:db8:1:2:ffff::1", [], "2001:db8:1:2::/64"),
        (None, "fe80::1%eth0", [], "fe80::/64"),
        (None, None, ["1.2.3.4"], "unknown"),
        ("10.0.0.0/8", "testclient", [], "unknown"),
    ],
)
def test_callers(trusted: str | None, peer: str | None, forwarded: list[str], caller: str) -> None:
    assert Proxies(trusted).caller(scope(peer, *forwarded)) == caller


def test_a_chain_without_end_is_read_from_its_end() -> None:
    chain = ", ".join(["10.0.0.9"] * 100_000)
    assert Proxies("10.0.0.0/8").caller(scope("10.0.0.1", chain)) == "10.0.0.9"


@pytest.mark.parametrize("wrong", ["everyone", "10.0.0.0/64", "10.0.0.0/8;10.1.1.1"])
def test_what_is_no_network_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="does not appear to be"):
        Proxies(wrong)


@given(st.lists(st.text(st.characters(codec="latin-1")), max_size=4))
def test_nothing_breaks_it(claims: list[str]) -> None:
    assert Proxies("10.0.0.0/8").caller(scope("10.0.0.1", *claims))
    assert Proxies().caller(scope("9.9.9.9", *claims)) == "9.9.9.9"
