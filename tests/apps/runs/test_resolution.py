"""Which startup a URL leads to."""

import asyncpg
import pytest

from handfast.apps.runs.urls import canonical_url
from tests.support.startups import list_startups, startup_of
from tests.support.urls import HARMLESS, varied

LISTED = [
    "https://acme.com",
    "https://acme.com/labs",
    "https://cloud.acme.com",
    "https://bolt.co.uk",
    "https://one.github.io",
    "https://github.io",
    "https://github.com",
    "https://github.com/acme-oss",
    "https://linkedin.com/company",
    "https://linkedin.com/company/solo",
    "https://amazonaws.com",
    "https://medium.com",
    "https://shop.example:8443/eu",
]

LEADS_TO = {
    "http://www.acme.com/?utm_source=x": "https://acme.com",
    "https://acme.com/pricing?x=1": "https://acme.com",
    "https://acme.com/labs/team?x=1": "https://acme.com/labs",
    "https://acme.com/labsx": "https://acme.com",
    "https://acme.com/a/b/c/d/e/f/g/h/i/j/k/l": "https://acme.com",
    "https://acme.com:8443/x": "https://acme.com",
    "https://app.acme.com": "https://acme.com",
    "https://a.b.c.acme.com/labs": "https://acme.com",
    "https://eu.cloud.acme.com/x": "https://cloud.acme.com",
    "https://notacme.com": None,
    "https://acme.co": None,
    "https://acme.com.evil.io": None,
    "https://www.bolt.co.uk/a": "https://bolt.co.uk",
    "https://other.co.uk": None,
    "https://one.github.io/docs": "https://one.github.io",
    "https://x.one.github.io": "https://one.github.io",
    "https://two.github.io": None,  # though somebody is listed as github.io
    "https://github.io/about": "https://github.io",
    "https://bucket.s3.amazonaws.com": None,  # past a suffix nobody is looked for
    "https://s3.amazonaws.com/bucket": None,
    "https://github.com/?tab=1": "https://github.com",
    "https://github.com/acme-oss/tool/issues?q=1": "https://github.com/acme-oss",
    "https://github.com/another": None,
    "https://gist.github.com/acme-oss": None,
    "https://www.linkedin.com/company/solo/about/": "https://linkedin.com/company/solo",
    "https://linkedin.com/company": "https://linkedin.com/company",
    "https://linkedin.com/company/other/about": None,  # though somebody is listed above it
    "https://linkedin.com/in/solo": None,
    "https://blog.medium.com/x": None,
    "https://shop.example:8443/eu/cart": "https://shop.example:8443/eu",
    "https://shop.example/eu": None,
}


@pytest.mark.parametrize(("url", "startup"), LEADS_TO.items())
async def test_the_most_specific_address_wins(
    undone: "asyncpg.Connection", url: str, startup: str | None
) -> None:
    await list_startups(undone, LISTED)
    assert await startup_of(undone, url) == startup


async def test_nine_harmless_changes_to_two_thousand_urls(undone: "asyncpg.Connection") -> None:
    urls = list(varied(2000))
    assert len({str(canonical_url(url)) for url in urls}) == 2000
    await list_startups(undone, urls)
    wrong = []
    for kind, change in HARMLESS.items():
        changed = [change(url) for url in urls]
        reached = await undone.fetch(
            "SELECT r.startup_id FROM unnest($1::text[]) WITH ORDINALITY AS u(url, place) "
            "LEFT JOIN LATERAL handfast_runs.resolve_startup_by_url(u.url) AS r ON true ORDER"
            " BY u.place",
            changed,
        )
        assert len(reached) == 2000
        wrong += [
            (kind, url, typed, row["startup_id"])
            for url, typed, row in zip(urls, changed, reached, strict=True)
            if row["startup_id"] != url or str(canonical_url(typed)) != str(canonical_url(url))
        ]
        assert sum(a != b for a, b in zip(urls, changed, strict=True)) >= 200, kind
    assert wrong == []


async def test_companies_that_look_alike_stay_apart(undone: "asyncpg.Connection") -> None:
    """Each is listed, and each is reached by its own address only."""
    alike = [
        *(f"https://acme.{tld}" for tld in ("com", "co", "io", "co.uk", "com.br", "uk.com")),
        *(f"https://acme.{host}" for host in ("github.io", "vercel.app", "medium.com", "carrd.co")),
        *(f"https://github.com/{name}" for name in ("acme", "Acme-2", "acme2", "ac/me")),
        "https://acme.com/a",
        "https://acme.com/A",
        "https://acme.com/a%2Fb",
        "https://acme.com/a/b",
        "https://acme.com?id=1",
        "https://acme.com?id=2",
        "https://acme.com:8080",
        "https://wwwacme.com",
        "https://ww.acme.com",
        "https://xn--acm-dma.com",
    ]
    await list_startups(undone, alike)
    for url in alike:
        for change in HARMLESS.values():
            assert await startup_of(undone, change(url)) == url


async def test_a_version_can_be_named(undone: "asyncpg.Connection") -> None:
    first = await list_startups(undone, ["https://acme.com"])
    second = await list_startups(undone, ["https://other.com"])
    assert await startup_of(undone, "acme.com") is None
    assert await startup_of(undone, "acme.com", first) == "https://acme.com"
    rows = await undone.fetch("SELECT * FROM handfast_runs.resolve_startup_by_url('other.com/x')")
    assert tuple(rows[0]) == ("https://other.com", "https://other.com", "https://other.com", second)


async def test_without_a_corpus_nobody_is_found(undone: "asyncpg.Connection") -> None:
    assert await startup_of(undone, "acme.com") is None


async def test_hosts_can_be_added(undone: "asyncpg.Connection") -> None:
    await list_startups(undone, ["https://hub.example", "https://hub.example/t/one"])
    assert await startup_of(undone, "hub.example/t/two") == "https://hub.example"
    await undone.execute("INSERT INTO handfast_runs.shared_hosts VALUES ('hub.example', 2)")
    assert await startup_of(undone, "hub.example/t/two") is None
    assert await startup_of(undone, "hub.example/t/one/x") == "https://hub.example/t/one"
    assert await startup_of(undone, "hub.example") == "https://hub.example"
    assert await startup_of(undone, "me.hub.example") is None
    with pytest.raises(asyncpg.CheckViolationError, match="shared_host_is_canonical"):
        await undone.execute("INSERT INTO handfast_runs.shared_hosts VALUES ('www.Hub.example', 2)")
