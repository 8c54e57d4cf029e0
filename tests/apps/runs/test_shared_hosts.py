"""Hosts that carry many companies: nobody who is not listed is taken for the host's own company."""

import random
from collections.abc import Iterable

import asyncpg
import pytest
from publicsuffixlist import PublicSuffixList

from handfast.apps.runs.errors import InvalidUrl
from handfast.apps.runs.shared_hosts import add_host, list_hosts, remove_host, shipped_hosts
from handfast.apps.runs.urls import canonical_url
from handfast.base.errors import InvalidRequest, NotFound
from handfast.db.pool import Database
from tests.support import shared_hosts
from tests.support.startups import list_startups, startup_of
from tests.support.urls import label

REPORTED = [
    *("tumblr.com", "weebly.com", "webs.com", "launchrock.com", "wordpress.com", "squarespace.com"),
    *("wix.com", "wixsite.com", "ghost.io", "zendesk.com", "atlassian.net", "github.io"),
    *("substack.com", "notion.site", "netlify.app", "vercel.app", "herokuapp.com", "medium.com"),
    "app.net",
]
BY_PATH = {
    "gust.com": "gust.com/c/acme",
    "getsatisfaction.com": "getsatisfaction.com/acme",
    "apple.com": "itunes.apple.com/us/app/acme/id1",
    "app.net": "alpha.app.net/acme",
    "medium.com": "medium.com/@acme",
}


def test_the_file_is_up_to_date() -> None:
    """After a change of shared_hosts.csv: ./run snapshot."""
    assert shared_hosts.FILE.read_text() == shared_hosts.written()


def test_the_list_is_in_order_and_canonical() -> None:
    hosts = [host.host for host in shipped_hosts()]
    assert len(hosts) > 100
    assert hosts == sorted(set(hosts))
    assert [h for h in hosts if str(canonical_url(h)) != f"https://{h}"] == []
    assert all(host.source and "NAME" in host.names for host in shipped_hosts())
    private = PublicSuffixList()
    below = [h.host for h in shipped_hosts() if h.segments == 0]
    assert [host for host in below if private.is_public(host)] == [], "needs no entry"


@pytest.mark.parametrize("host", REPORTED)
async def test_who_is_below_a_host_is_not_its_owner(
    undone: "asyncpg.Connection", host: str
) -> None:
    await list_startups(undone, [f"https://{host}", f"https://one.{host}"])
    assert await startup_of(undone, f"acme.{host}/about") is None
    assert await startup_of(undone, f"www.one.{host}/about") == f"https://one.{host}"
    assert await startup_of(undone, f"https://www.{host}/") == f"https://{host}"


@pytest.mark.parametrize(("owner", "page"), BY_PATH.items())
async def test_who_has_a_page_on_a_host_is_not_its_owner(
    undone: "asyncpg.Connection", owner: str, page: str
) -> None:
    await list_startups(undone, [f"https://{owner}"])
    assert await startup_of(undone, page) is None
    await list_startups(undone, [f"https://{owner}", f"https://{page}"])
    assert await startup_of(undone, f"http://www.{page}/more?x=1") == f"https://{page}"


async def test_the_owner_keeps_what_is_its_own(undone: "asyncpg.Connection") -> None:
    await list_startups(undone, ["https://gust.com", "https://zendesk.com"])
    for url in ("gust.com/pricing", "gust.com/company", "app.gust.com"):
        assert await startup_of(undone, url) == "https://gust.com"
    assert await startup_of(undone, "zendesk.com/pricing/teams") == "https://zendesk.com"


async def reached(undone: "asyncpg.Connection", urls: Iterable[str]) -> list[str | None]:
    rows = await undone.fetch(
        "SELECT r.startup_id FROM unnest($1::text[]) WITH ORDINALITY AS u(url, place) "
        "LEFT JOIN LATERAL handfast_runs.resolve_startup_by_url(u.url) AS r ON true ORDER BY"
        " u.place",
        list(urls),
    )
    return [row[0] for row in rows]


async def test_every_shipped_host_keeps_its_companies_apart(
    undone: "asyncpg.Connection",
) -> None:
    """Each host's own company is listed, and one of those that it carries. A stranger there is
    nobody, however deep the page; the listed one is itself; so is the owner."""
    dice = random.Random(24)  # noqa: S311
    hosts = shipped_hosts()
    owners = [f"https://{host.host.partition('/')[0]}" for host in hosts]

    def named(names: str) -> str:
        return f"https://{names.replace('NAME', label(dice)).replace('COUNTRY', 'us')}"

    listed = [named(host.names) for host in hosts]
    await list_startups(undone, dict.fromkeys([*owners, *listed]))
    strangers = [named(host.names) for host in hosts]
    deeper = [f"{url}/{label(dice)}/{label(dice)}?a={label(dice)}" for url in strangers]
    for urls in (strangers, deeper):
        found = zip(urls, await reached(undone, urls), strict=True)
        assert [pair for pair in found if pair[1] is not None] == []
    assert await reached(undone, [f"{url}/{label(dice)}" for url in listed]) == listed
    assert await reached(undone, owners) == owners


async def test_users_add_their_own(database: Database, connection: "asyncpg.Connection") -> None:
    await list_startups(connection, ["https://hub.example", "https://x.hub.example"])
    async with database.connection() as on:
        assert await startup_of(connection, "me.hub.example") == "https://hub.example"
        added = await add_host(on, "https://WWW.Hub.example/", 0)
        assert (added.host, added.names) == ("hub.example", "NAME.hub.example")
        assert await startup_of(connection, "me.hub.example") is None
        assert await startup_of(connection, "hub.example/about") == "https://hub.example"
        await add_host(on, "hub.example/c", 1)
        assert await startup_of(connection, "hub.example/c/me") is None
        assert await startup_of(connection, "hub.example/about") == "https://hub.example"
        await add_host(on, "tumblr.com", 1)
        found = {host.host: host for host in await list_hosts(on)}
        assert found["tumblr.com"].segments == 1, "theirs wins"
        assert found["hub.example/c"].source == "added here"
        assert len(found) == len(shipped_hosts()) + 2
        for host in ("hub.example", "hub.example/c"):
            assert await remove_host(on, host) == host
        assert await startup_of(connection, "me.hub.example") == "https://hub.example"
        with pytest.raises(NotFound, match="not among"):
            await remove_host(on, "hub.example")
        for place, segments in (("a.com/b/c", 1), ("a.com:81", 1), ("a.com/b", 0), ("a.com", 5)):
            with pytest.raises(InvalidRequest):
                await add_host(on, place, segments)
        with pytest.raises(InvalidUrl):
            await add_host(on, "localhost", 1)
