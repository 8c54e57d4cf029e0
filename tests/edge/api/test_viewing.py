"""What is left of an answer for viewers: what is on a list."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handfast.base.masking import MASK
from handfast.edge.api.events import EVENT_FIELDS
from handfast.edge.api.viewing import DOCUMENT_FIELDS, masked, origin, shown_fields
from handfast.engine.events import EVENT_TYPES

SECRET = "hunter2"
DOCUMENTS = st.recursive(
    st.just(SECRET),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("document", "seen"),
    [
        (None, None),
        ({}, {}),
        ("+49 170 1234567", MASK),
        (7, MASK),
        ([1, 2], [MASK, MASK]),
        ({"step": "analysis", "phone": "+49"}, {"step": "analysis", "phone": MASK}),
        ({"fixture_id": 7, "fixtureId": 7}, {"fixture_id": 7, "fixtureId": 7}),
        ({"status": {"text": "secret", "step": 1}}, {"status": {"text": MASK, "step": 1}}),
        (
            {"page": [1, 2], "to": [{"kind": "a", "name": "b"}]},
            {"page": [1, 2], "to": [{"kind": "a", "name": MASK}]},
        ),
    ],
)
def test_only_fields_of_the_list(document: Any, seen: Any) -> None:
    assert shown_fields(document) == seen


@given(DOCUMENTS)
def test_nothing_else_ever(document: Any) -> None:
    assert SECRET not in str(shown_fields(document, frozenset({"nothing-has-this-name"})))


def test_no_field_names_a_person() -> None:
    personal = {"name", "phone", "email", "user", "userId", "token", "secret", "url", "text"}
    assert not DOCUMENT_FIELDS & personal


def test_every_area_of_our_events_is_thought_of() -> None:
    assert {one.partition(".")[0] for one in EVENT_TYPES} == set(EVENT_FIELDS)


def test_texts_and_addresses() -> None:
    assert (masked(None), masked(""), masked("x")) == (None, MASK, MASK)
    assert origin("https://user:pw@hooks.example.com:8443/T0/B1/s3cret?k=1") == (
        "https://hooks.example.com:8443/…"
    )
