"""The dashboard's files: every address opens it, its files are kept, and nothing else is served."""

import gzip
import re
from pathlib import Path

import httpx2
import pytest

import handfast.edge
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api
from handfast.engine.system import System
from handfast.wiring import chosen, load_settings
from tests.support.calling import OPERATOR_TOKEN, VIEWER_TOKEN, calling
from tests.support.systems import whole_system

BUILT = Path(handfast.edge.__file__).parent / "dashboard"
PAGE = (BUILT / "index.html").read_bytes()


@pytest.fixture
async def system(database: Database, dsn: str) -> System:
    return whole_system(load_settings(viewer_token=VIEWER_TOKEN), database, Target(dsn))


@pytest.fixture
async def client(system: System) -> httpx2.AsyncClient:
    return calling(create_api(system, OPERATOR_TOKEN))


async def test_the_root_leads_there(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/")
    assert (answer.status_code, answer.headers["location"]) == (307, "/dashboard")


@pytest.mark.parametrize(
    "path",
    ["", "/", "/jobs", "/jobs/17?tab=events", "/fixtures/%F0%9F%98%80", "/index.html"],
)
async def test_every_address_is_the_page(client: httpx2.AsyncClient, path: str) -> None:
    answer = await client.get(f"/dashboard{path}")
    assert (answer.status_code, answer.content) == (200, PAGE)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    policy = dict(
        part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; ")
    )
    assert policy == {
        **dict.fromkeys(("default-src", "base-uri", "form-action", "frame-ancestors"), "'none'"),
        **dict.fromkeys(("script-src", "style-src", "connect-src", "font-src"), "'self'"),
        "img-src": "'self' data:",
    }


@pytest.mark.parametrize("page", ["/dashboard", "/match"])
async def test_what_a_page_loads_is_there_and_kept(client: httpx2.AsyncClient, page: str) -> None:
    html = (await client.get(page)).text
    assert re.findall(r"<script(?![^>]* src=)|<style| style=| on\w+=", html) == []
    loaded = re.findall(r'(?:src|href)="([^"]+)"', html)
    assert loaded
    for path in loaded:
        assert path.startswith("/dashboard/assets/"), "from nowhere else"
        answer = await client.get(path)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.headers["x-content-type-options"] == "nosniff"
        kinds = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
        assert answer.headers["content-type"].startswith(kinds[path.rpartition(".")[2]])


async def test_files_are_compressed_for_who_can_read_that(client: httpx2.AsyncClient) -> None:
    [script] = re.findall(r'<script[^>]* src="([^"]+)"', PAGE.decode())
    plain = await client.get(script, headers={"Accept-Encoding": "identity"})
    packed = await client.get(script, headers={"Accept-Encoding": "gzip, br"})
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
    assert (
        packed.content == plain.content == (BUILT / script.removeprefix("/dashboard/")).read_bytes()
    )
    assert int(packed.headers["content-length"]) == len(gzip.compress(plain.content, mtime=0))


async def test_what_has_not_changed_is_not_sent_again(client: httpx2.AsyncClient) -> None:
    tag = (await client.get("/dashboard")).headers["etag"]
    again = await client.get("/dashboard/jobs", headers={"If-None-Match": f'"other", {tag}'})
    assert (again.status_code, again.content) == (304, b"")
    other = await client.get("/dashboard/jobs", headers={"If-None-Match": '"other"'})
    assert other.status_code == 200


@pytest.mark.parametrize(
    "name",
    ["nothing.js", "../index.html", "..%2findex.html", "%00", "%2e%2e/build.json", "a" * 5000],
    ids=lambda name: name[:20],
)
async def test_there_is_no_other_file(client: httpx2.AsyncClient, name: str) -> None:
    answer = await client.get(f"/dashboard/assets/{name}")
    assert answer.status_code == 404 or answer.content == PAGE, "a path that leads elsewhere"
    assert b'"sources"' not in answer.content


async def test_the_public_page_is_that_of_match_runs(system: System) -> None:
    off = System(system.settings, system.database, system.direct, chosen(None, [], serving=True))
    for one, status in ((system, 200), (off, 404)):
        async with calling(create_api(one, OPERATOR_TOKEN)) as client:
            assert (await client.get("/match")).status_code == status
            assert (await client.get("/dashboard")).status_code == 200


async def test_who_is_told_which_pages(system: System) -> None:
    api = create_api(system, OPERATOR_TOKEN)
    async with calling(api, OPERATOR_TOKEN) as operator, calling(api, VIEWER_TOKEN) as viewer:
        whole, less = [(await one.get("/admin/dashboard")).json() for one in (operator, viewer)]
    assert whole["caller"] == {"role": "operator", "name": "operator", "endsAt": None}
    assert less["caller"] == {"role": "viewer", "name": "viewer", "endsAt": None}
    names = [[page["name"] for page in one["pages"]] for one in (whole, less)]
    assert names[0][:4] == names[1][:4] == ["overview", "jobs", "dead", "schedules"]
    assert set(names[0]) - set(names[1]) == {"people", "moderation", "ledger", "audit"}
