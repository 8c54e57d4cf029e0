"""What a browser is given: the dashboard, the documentation page, and their files, all our own.

The dashboard is one page that reads its own address, so every address under it is answered with
that page: a link that somebody was sent opens where it leads.
"""

from pathlib import Path
from typing import Annotated, Any

from litestar import Request, Response, get
from litestar.params import PathParameter
from litestar.response import Redirect

from handfast.edge.http.files import KEPT, Files
from handfast.edge.http.policies import ANYONE, policy

_DOCS = Files(Path(__file__).parent / "static", "/docs")
_DASHBOARD = Files(Path(__file__).parents[1] / "dashboard", "/dashboard")

FilePath = Annotated[Path, PathParameter()]


@policy(ANYONE)
@get("/", include_in_schema=False, sync_to_thread=False)
def root() -> Redirect:
    return Redirect("/dashboard", status_code=307)


@policy(ANYONE)
@get(["/dashboard", "/dashboard/{page:path}"], include_in_schema=False, sync_to_thread=False)
def dashboard(request: Request[Any, Any, Any]) -> Response[bytes]:
    """The page, whatever it is asked to show. It shows nothing before somebody signs in."""
    return _DASHBOARD.answer(request, "index.html")


@policy(ANYONE)
@get("/dashboard/assets/{name:path}", include_in_schema=False, sync_to_thread=False)
def asset(request: Request[Any, Any, Any], name: FilePath) -> Response[bytes]:
    """Scripts and styles, by names that change with what is in them."""
    return _DASHBOARD.answer(request, f"assets/{_inside(name)}", KEPT)


@policy(ANYONE)
@get("/match", include_in_schema=False, sync_to_thread=False)
def match(request: Request[Any, Any, Any]) -> Response[bytes]:
    """The public page of match runs, which bring it."""
    return _DASHBOARD.answer(request, "match.html")


@policy(ANYONE)
@get("/docs", include_in_schema=False, sync_to_thread=False)
def docs(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Interactive documentation. No network is needed."""
    return _DOCS.answer(request, "docs.html")


@policy(ANYONE)
@get("/static/{name:path}", include_in_schema=False, sync_to_thread=False)
def static(request: Request[Any, Any, Any], name: FilePath) -> Response[bytes]:
    return _DOCS.answer(request, _inside(name))


def _inside(name: Path) -> str:
    return name.as_posix().lstrip("/")


HANDLERS: list[Any] = [root, dashboard, asset, docs, static]
