"""The API in this process, called as somebody."""

from typing import Any, cast

import httpx2
from litestar import Litestar

from handfast.edge.http.app import surrounded

OPERATOR_TOKEN = "hf_admin_for_the_tests_only"
VIEWER_TOKEN = "hf_viewer_for_the_tests_only"


def calling(api: Litestar, token: str | None = None) -> httpx2.AsyncClient:
    """A client of the whole application, with what stands around it."""
    transport = httpx2.ASGITransport(cast("Any", surrounded(api)), raise_app_exceptions=False)
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return httpx2.AsyncClient(transport=transport, base_url="http://handfast", headers=headers)
