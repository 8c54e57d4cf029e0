"""Canonical URLs, for everything that somebody may type."""

import asyncio
import re
import unicodedata

import asyncpg
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from handfast.apps.runs.errors import InvalidUrl
from handfast.apps.runs.urls import URL_LENGTH_MAX, canonical_url, refused_by_sql
from tests.support.urls import BAD, HARMLESS, ODD

LABEL = st.from_regex(r"[a-z]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)
HOST = st.builds(
    lambda below, tld: ".".join(["s", *below, tld]),
    st.lists(LABEL, min_size=1, max_size=3),
    st.sampled_from(["com", "io", "co.uk", "github.io", "uk.com", "xn--p1ai"]),
)
TEXT = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=12)
SEGMENT = TEXT.map(lambda text: re.sub(r"[/\\?#]", "", text)) | st.sampled_from(
    [".", "..", "%2e", ".%2E", "", "%41", "%4", "%%34%31"]
)
PATH = st.lists(SEGMENT, max_size=5).map(lambda parts: "".join(f"/{part}" for part in parts))
PAIR = st.builds("{}={}".format, TEXT, TEXT).map(lambda text: re.sub(r"[#&]", "", text))
QUERY = st.lists(PAIR, max_size=4).map("&".join)
PORT = st.none() | st.integers(1, 65535)


def assembled(host: str, port: int | None, path: str, query: str) -> str:
    return f"https://{host}{'' if port is None else f':{port}'}{path}{'?' if query else ''}{query}"


# Their last character is a letter, since white space at the end is nobody's intention.
URL = st.builds(
    assembled, HOST, PORT, PATH.map("{}/z".format), QUERY.map(lambda query: query and f"{query}z")
)

# Pieces that mean something to a parser, in any order.
PIECES = st.lists(
    st.sampled_from(
        [
            *(
                "http",
                "https",
                ":",
                "/",
                "//",
                "\\",
                "?",
                "#",
                "@",
                "[",
                "]",
                ".",
                "..",
                "%",
                "%2e",
            ),
            *("www.", "acme", "com", "co.uk", "localhost", "127.0.0.1", "0x7f", "1", "::1", "xn--"),
            *(
                "8080",
                "443",
                "00",
                "65536",
                "&",
                "=",
                "utm_source",
                " ",
                "\t",
                "%zz",
                "-",
                "_",
                "a",
            ),
            *("ref", "%41", "+", ";", "'", '"', "|", "^", "~", "A", "github.io", "javascript:"),
        ]
    ),
    max_size=12,
).map("".join)
NEARLY = st.builds(
    lambda url, at, piece: url[: at % (len(url) + 1)] + piece + url[at % (len(url) + 1) :],
    st.sampled_from([*ODD, *BAD]),
    st.integers(0, 100),
    PIECES,
)


@given(URL)
def test_canonical_is_final(url: str) -> None:
    canonical = str(canonical_url(url))
    assert str(canonical_url(canonical)) == canonical
    assert canonical.isascii()
    assert canonical.startswith("https://")


@given(URL, st.permutations(list(HARMLESS)), st.integers(1, 9))
def test_harmless_changes_together(url: str, kinds: list[str], many: int) -> None:
    """Any of the nine, one on top of the other. Those that need a scheme come before its loss."""
    order = sorted(kinds[:many], key=_late)
    changed = url
    for kind in order:
        changed = HARMLESS[kind](changed)
    assert canonical_url(changed) == canonical_url(url)


def _late(kind: str) -> int:
    return {"no scheme": 2, "fragment": 1}.get(kind, 0)


@given(HOST, HOST, PATH, PATH)
def test_hosts_are_never_merged(one: str, other: str, path: str, other_path: str) -> None:
    assume(one != other)
    a, b = (
        canonical_url(assembled(h, None, f"{p}/z", ""))
        for h, p in ((one, path), (other, other_path))
    )
    assert a.host != b.host


@given(st.text(st.characters(categories=["Ll", "Lo", "Nd"]), min_size=1, max_size=10))
def test_an_international_name_has_one_form(label: str) -> None:
    try:
        canonical = canonical_url(f"https://{label}.com/")
    except InvalidUrl:
        return
    for form in ("NFC", "NFD"):
        assert canonical_url(f"{unicodedata.normalize(form, label)}.COM") == canonical
    assert canonical_url(str(canonical)) == canonical


@given(PIECES | NEARLY | st.text())
def test_anything_is_taken_or_refused(text: str) -> None:
    try:
        canonical = str(canonical_url(text))
    except InvalidUrl as error:
        refused: InvalidUrl | None = error
    else:
        refused = None
    if refused is not None:
        assert refused.hint
        assert len(str(refused)) < 500
        return
    assert len(canonical) <= URL_LENGTH_MAX
    assert str(canonical_url(canonical)) == canonical


@pytest.mark.hypothesis
def test_sql_equals_python(machine_dsn: str) -> None:
    """For what both take, and in what both refuse; only international names are Python's alone."""
    with asyncio.Runner() as runner:
        connection = runner.run(asyncpg.connect(machine_dsn))

        async def by_sql(url: str) -> str | None:
            try:
                canonical: str = await connection.fetchval(
                    "SELECT handfast_runs.canonicalize_url($1)", url
                )
            except asyncpg.PostgresError as refused:
                if refused_by_sql(refused) is None:
                    raise
                return None
            return canonical

        @settings(max_examples=400)
        @given(URL | PIECES | NEARLY)
        def compare(url: str) -> None:
            assume("\0" not in url)
            try:
                expected = str(canonical_url(url))
            except InvalidUrl:
                expected = None
            answer = runner.run(by_sql(url))
            if answer != expected:  # IDNA needs tables that SQL does not have
                host = (expected or answer or "").partition("//")[2].partition("/")[0]
                assert "xn--" in host, (url, expected, answer)
                assert None in (answer, expected), (url, expected, answer)

        compare()
        runner.run(connection.close())
