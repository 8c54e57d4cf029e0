"""The page on which two people chat: served, with everything else handed on to the API."""

import asyncio
import json
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest
from litestar import Litestar

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.demo.program import DECLARED_NUMBERS, TEST_COUNTRY, TEST_NUMBERS
from handfast.edge.http.app import create_api, surrounded
from handfast.wiring import load_settings
from tests.support.asgi_server import serving_asgi
from tests.support.calling import OPERATOR_TOKEN
from tests.support.matched import Pair, match_up, matched
from tests.support.node import run_node
from tests.support.people import key
from tests.support.signed_in import sign_in
from tests.support.systems import whole_system

EXAMPLES = Path(__file__).parents[2] / "examples"
PAGE = (EXAMPLES / "chat.html").read_text()


@pytest.fixture
def api(database: Database, dsn: str, tmp_path: Path) -> Litestar:
    settings = load_settings(data_dir=tmp_path, test_numbers=DECLARED_NUMBERS)
    system = whole_system(settings, database, Target(dsn))
    return create_api(
        system, OPERATOR_TOKEN, idempotency_secret="one-secret-for-all-processes-of-a-test"
    )


@contextmanager
def page_server(upstream: str) -> Iterator[str]:
    spec = spec_from_file_location("chat_server", EXAMPLES / "chat" / "server.py")
    assert spec is not None
    assert spec.loader is not None
    module: Any = module_from_spec(spec)
    sys.modules["chat_server"] = module
    spec.loader.exec_module(module)
    with module.server(0, upstream) as serving:
        thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{serving.server_port}"
        finally:
            serving.shutdown()
            thread.join()


async def test_two_people_chat_through_it(api: Litestar) -> None:
    pair: Pair = await matched(api)
    async with serving_asgi(cast("Any", surrounded(api))) as port:
        with page_server(f"127.0.0.1:{port}") as url:
            async with httpx2.AsyncClient(base_url=url, timeout=60) as browser:
                page = await browser.get("/")
                assert page.text == PAGE
                assert page.headers["content-type"].startswith("text/html")
                ada, bob = pair.ada.person.headers, pair.bob.person.headers
                async with browser.stream("GET", "/events", headers=bob) as stream:
                    lines = stream.aiter_lines()
                    sent = await browser.post(
                        f"{pair.path}/messages", json={"content": "Hi."}, headers={**ada, **key()}
                    )
                    assert sent.status_code == 201, sent.text
                    async with asyncio.timeout(60):
                        while (await anext(lines)) != "event: chat.message_sent":
                            pass
                shown = await browser.get(f"{pair.path}/messages", headers=bob)
                assert shown.json()["messages"][0]["content"] == "Hi."


@pytest.mark.needs("npm")
async def test_two_people_chat_in_real_browsers(api: Litestar, database: Database) -> None:
    """They sign in with the numbers of the demo, which the page suggests."""
    ada, bob = [
        (await sign_in(api, f"+{TEST_COUNTRY}{number}")).user_id for number in TEST_NUMBERS[:2]
    ]
    await match_up(database, ada, bob)
    async with serving_asgi(cast("Any", surrounded(api))) as port:
        with page_server(f"127.0.0.1:{port}") as url:
            driver = Path(__file__).with_name("drive_chat.mjs")
            seen = json.loads(await asyncio.to_thread(run_node, driver, url))
    said = ["Shall we meet at <b>the lake</b>?", "Gladly."]
    assert [line.removesuffix("read") for line in seen["ada"]] == said
    assert [re.sub("(sent|read)$", "", line) for line in seen["bob"]] == said
    assert (seen["bold"], seen["complaints"]) == (0, [])


def test_the_page_calls_what_there_is_and_puts_text_in_as_text(api: Litestar) -> None:
    assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|https?://", PAGE)
    called = set(re.findall(r"""call\("(\w+)", ["`](/[^"`]+)["`]""", PAGE))
    called |= {("GET", path) for path in re.findall(r'fetch\("(/[^"]+)"', PAGE)}
    assert called == {
        ("POST", "/auth/otp/send"),
        ("POST", "/auth/otp/verify"),
        ("GET", "/matches"),
        ("GET", "/matches/${state.match}/messages"),
        ("POST", "/matches/${state.match}/messages"),
        ("POST", "/matches/${state.match}/read"),
        ("GET", "/events"),
    }
    known = {
        (method, re.sub(r"{[^}]*}", "${state.match}", path))
        for path, item in api.openapi_schema.to_schema()["paths"].items()
        for method in map(str.upper, item)
    }
    assert called <= known
