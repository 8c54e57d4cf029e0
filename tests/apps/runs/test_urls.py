"""One spelling for every address, the same in Python and in SQL."""

import re
import time
import unicodedata

import asyncpg
import pytest

from handfast.apps.runs.errors import InvalidUrl
from handfast.apps.runs.tracking import TRACKING_NAMES, TRACKING_PREFIXES
from handfast.apps.runs.urls import CanonicalUrl, canonical_url, refused_by_sql
from tests.support.urls import BAD, HARMLESS, ODD, varied

pytestmark = pytest.mark.on_lowest

CANONICALIZE = "SELECT handfast_runs.canonicalize_url($1)"
CANONICALIZE_ALL = (
    "SELECT handfast_runs.canonicalize_url(url) FROM unnest($1::text[]) WITH ORDINALITY AS"
    " u(url, place) "
    "ORDER BY place"
)

SAME = {
    "https://acme.com": [
        "acme.com",
        "http://acme.com",
        "HTTPS://WWW.ACME.COM:443/",
        "http://www.acme.com:80//#team",
        "https://acme.com./?utm_source=x&gclid=1&ref=ph&UTM_Medium=y",
        "//acme.com",
        " acme.com\n",
        "https://%61cme.com",
        r"https:\\acme.com",
        "http://@acme.com",
        "http://:@acme.com:80/",
    ],
    "https://acme.com:8080/Path/a%20b?a=1&b=2": [
        "acme.com:8080/Path/a b?b=2&a=1",
        "http://ACME.com:08080/x/../Path/./a%20b/?b=2&utm_id=9&&a=1#f",
        "https://acme.com:8080/%50ath/a%20b?%62=2&a=1",
    ],
}
IDN = {
    "https://xn--bcher-kva.example/a": "https://BÜCHER.example/a",
    "https://xn--strae-oqa.example": "straße.example",
    "https://xn--r8jz45g.jp": "例え.jp",
    "https://xn--fiqs8s.xn--fiqs8s": "http://中国.中国/",
    "https://xn--80ak6aa92e.com": "https://www.аррӏе.com",  # noqa: RUF001
    "https://xn--caf-dma.com:8080?q=%C3%A9": "café.com:8080?q=é",
}


def by_python(url: str) -> str | None:
    try:
        return str(canonical_url(url))
    except InvalidUrl:
        return None


async def by_sql(reader: "asyncpg.Connection", url: str) -> str | None:
    try:
        canonical: str = await reader.fetchval(CANONICALIZE, url)
    except asyncpg.PostgresError as refused:
        if refused_by_sql(refused) is None:
            raise
        return None
    return canonical


@pytest.mark.parametrize(("canonical", "urls"), SAME.items())
async def test_spellings_of_one_address(
    reader: "asyncpg.Connection", canonical: str, urls: list[str]
) -> None:
    assert {str(canonical_url(url)) for url in [canonical, *urls]} == {canonical}
    assert {await by_sql(reader, url) for url in [canonical, *urls]} == {canonical}


@pytest.mark.parametrize(("canonical", "url"), IDN.items())
def test_spellings_of_an_international_name(canonical: str, url: str) -> None:
    host = canonical_url(url).host
    shown = url.replace("é", "e\u0301") if "?" not in url else url
    spellings = [
        url,
        unicodedata.normalize("NFC", url),
        url.partition("?")[0].upper() + canonical[len(canonical.partition("?")[0]) :],
        canonical,
        canonical.replace(host, host.upper()),
        shown,
    ]
    spellings[2] = spellings[2].replace("/A", "/a").replace("SS", "ß")
    assert {str(canonical_url(spelling)) for spelling in spellings} == {canonical}
    decomposed = unicodedata.normalize("NFD", url.partition("?")[0])
    assert canonical_url(decomposed).host == host


def test_the_parts() -> None:
    url = canonical_url("http://www.acme.com:8080/a/?b=1")
    assert url == CanonicalUrl("acme.com", 8080, "/a", "b=1")
    assert str(url) == "https://acme.com:8080/a?b=1"


@pytest.mark.parametrize(("url", "why"), BAD.items(), ids=lambda text: repr(text[:40]))
def test_bad_input_is_refused_in_words(url: str, why: str) -> None:
    with pytest.raises(InvalidUrl) as refused:
        canonical_url(url)
    assert re.search(why, refused.value.detail)
    assert refused.value.hint
    assert len(str(refused.value)) < 400
    assert "secret" not in str(refused.value)


async def test_sql_refuses_the_same(reader: "asyncpg.Connection") -> None:
    for url in BAD:
        with pytest.raises(asyncpg.PostgresError) as refused:
            await reader.fetchval(CANONICALIZE, url)
        mapped = refused_by_sql(refused.value)
        assert isinstance(mapped, InvalidUrl), url
        assert mapped.detail
        assert mapped.hint
        assert "secret" not in str(mapped)


@pytest.mark.parametrize("url", ["https://acme.com/\0", "https://acme.com/\ud800", "\udfff"])
def test_what_postgresql_cannot_even_be_told(url: str) -> None:
    with pytest.raises(InvalidUrl):
        canonical_url(url)


@pytest.mark.parametrize("char", ["x", "ä", "%", "/", "&", "\\", ":", ".", "@", "[", "?a"])
async def test_long_input_is_answered_quickly(reader: "asyncpg.Connection", char: str) -> None:
    await reader.fetchval(CANONICALIZE, "acme.com")
    for url in (char * 10_000, f"https://acme.com/{char * 300}"):
        # What takes its time takes it every time; a busy machine does not.
        assert min([await seconds_of(reader, url) for _ in range(3)]) < 0.5


async def seconds_of(reader: "asyncpg.Connection", url: str) -> float:
    began = time.perf_counter()
    assert await by_sql(reader, url) == by_python(url)
    return time.perf_counter() - began


async def test_sql_equals_python_for_the_odd(reader: "asyncpg.Connection") -> None:
    expected = [str(canonical_url(url)) for url in ODD]
    assert [row[0] for row in await reader.fetch(CANONICALIZE_ALL, ODD)] == expected


async def test_sql_equals_python_for_thousands(reader: "asyncpg.Connection") -> None:
    urls = list(varied(3000, seed=6))
    rows = [*urls, *(change(url) for url in urls[:300] for change in HARMLESS.values())]
    expected = [str(canonical_url(url)) for url in rows]
    assert [row[0] for row in await reader.fetch(CANONICALIZE_ALL, rows)] == expected
    # Once canonical, nothing changes it any more, neither here nor there.
    assert [str(canonical_url(url)) for url in expected] == expected
    assert [row[0] for row in await reader.fetch(CANONICALIZE_ALL, expected)] == expected


async def test_every_tracking_parameter_is_left_out(reader: "asyncpg.Connection") -> None:
    names = [*TRACKING_NAMES, *(f"{prefix}x" for prefix in TRACKING_PREFIXES), *TRACKING_PREFIXES]
    urls = [f"https://acme.com/?b=1&{n}=2&{n.upper()}&a" for n in names]
    assert {str(canonical_url(url)) for url in urls} == {"https://acme.com?a&b=1"}
    assert {r[0] for r in await reader.fetch(CANONICALIZE_ALL, urls)} == {"https://acme.com?a&b=1"}
    kept = [f"https://acme.com?{name}" for name in ("preference", "utm", "xref", "gclid2", "page")]
    assert [str(canonical_url(url)) for url in kept] == kept
    assert [r[0] for r in await reader.fetch(CANONICALIZE_ALL, kept)] == kept


@pytest.mark.parametrize("url", ["https://bücher.example", "b%C3%BCcher.example", "ACME．com"])  # noqa: RUF001
async def test_sql_asks_for_punycode(reader: "asyncpg.Connection", url: str) -> None:
    with pytest.raises(asyncpg.PostgresError) as refused:
        await reader.fetchval(CANONICALIZE, url)
    assert refused.value.sqlstate == "HF002"
    assert "punycode" in str(refused.value.hint)
    assert canonical_url(url).host in ("xn--bcher-kva.example", "acme.com")


async def test_other_errors_are_not_ours(reader: "asyncpg.Connection") -> None:
    with pytest.raises(asyncpg.PostgresError) as other:
        await reader.execute("SELECT 1 / 0")
    assert refused_by_sql(other.value) is None


async def test_no_url_has_no_canonical_form(reader: "asyncpg.Connection") -> None:
    assert await reader.fetchval(CANONICALIZE, None) is None


async def test_the_functions_are_closed_and_fixed(reader: "asyncpg.Connection") -> None:
    ours = {
        "addresses_of",
        "apply_alias",
        "canonicalize_url",
        "flatten_alias",
        "one_escaping",
        "resolve_startup_by_url",
        "shared_segments",
        "suffix_section",
    }
    rows = await reader.fetch(
        """
        SELECT proname, proconfig, provolatile, proparallel,
               has_function_privilege('public', oid, 'EXECUTE') AS open
        FROM pg_proc WHERE pronamespace = 'handfast_runs'::regnamespace AND proname = ANY ($1)
        """,
        list(ours),
    )
    assert {row["proname"] for row in rows} == ours
    assert [row["proname"] for row in rows if row["open"]] == []
    assert {row["proconfig"][0] for row in rows} == {"search_path=pg_catalog, pg_temp"}
    canonicalize = next(row for row in rows if row["proname"] == "canonicalize_url")
    assert (canonicalize["provolatile"], canonicalize["proparallel"]) == (b"i", b"s")
