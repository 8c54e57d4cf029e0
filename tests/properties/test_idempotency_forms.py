"""Keys and fingerprints, for all inputs that can be thought of."""

import re
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from handfast.services.idempotency.asgi.multipart import split_parts
from handfast.services.idempotency.errors import IdempotencyKeyMalformed
from handfast.services.idempotency.fingerprint import fingerprint, scope_of
from handfast.services.idempotency.keys import parse_key

BOUNDARY = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=12, max_size=30)
# Content in which no boundary of the other alphabet can occur.
CONTENT = st.binary(max_size=50).map(lambda raw: raw.hex().upper().encode())
PARTS = st.lists(st.tuples(st.sampled_from(["a", "b", "file"]), CONTENT), min_size=1, max_size=4)


def multipart(parts: list[tuple[str, bytes]], boundary: str) -> tuple[dict[str, Any], bytes]:
    edge = boundary.encode()
    body = b"".join(
        b'--%s\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'
        % (edge, name.encode(), content)
        for name, content in parts
    )
    kind = f"multipart/form-data; boundary={boundary}".encode()
    return scope(headers=[(b"content-type", kind)]), body + b"--%s--\r\n" % edge


def scope(**more: Any) -> dict[str, Any]:
    return {"method": "POST", "path": "/p", "query_string": b"", "headers": [], **more}


@given(st.text(max_size=60) | st.from_regex(r"[0-9a-fA-F-]{30,40}", fullmatch=True))
def test_only_canonical_version_4_is_taken(text: str) -> None:
    try:
        taken = parse_key(text.encode("utf-8", "surrogatepass"))
    except IdempotencyKeyMalformed:
        try:
            known = UUID(text)
        except ValueError:
            return
        assert str(known) != text.lower() or known.version != 4
    else:
        assert str(taken) == text.lower()
        assert taken.version == 4


@given(st.uuids(version=4))
def test_every_version_4_is_taken(key: UUID) -> None:
    assert parse_key(str(key).encode()) == parse_key(str(key).upper().encode()) == key


FIELDS = st.tuples(
    st.sampled_from(["POST", "PUT", "PATCH"]),
    st.text("abc/", max_size=6),
    st.binary(max_size=6),
    st.binary(max_size=6),
)


@given(FIELDS, FIELDS)
def test_different_requests_have_different_fingerprints(a: Any, b: Any) -> None:
    prints = [
        fingerprint(scope(method=m, path="/" + p, query_string=q), body) for m, p, q, body in (a, b)
    ]
    assert (prints[0] == prints[1]) == (a == b)


@given(PARTS, BOUNDARY, BOUNDARY)
def test_the_boundary_means_nothing(parts: list[tuple[str, bytes]], one: str, other: str) -> None:
    assert fingerprint(*multipart(parts, one)) == fingerprint(*multipart(parts, other))


@given(PARTS, PARTS, BOUNDARY)
def test_the_parts_mean_everything(
    one: list[tuple[str, bytes]], other: list[tuple[str, bytes]], boundary: str
) -> None:
    same = fingerprint(*multipart(one, boundary)) == fingerprint(*multipart(other, boundary))
    assert same == (one == other)


@given(st.binary(max_size=200), BOUNDARY)
def test_what_is_no_multipart_is_hashed_as_it_is(body: bytes, boundary: str) -> None:
    if boundary.encode() not in body:
        assert split_parts(body, boundary.encode()) is None


@given(st.text(max_size=30), st.text(max_size=30))
def test_scopes_differ_as_principals_do(a: str, b: str) -> None:
    if not re.search("[\ud800-\udfff]", a + b):
        assert (scope_of(a) == scope_of(b)) == (a == b)
