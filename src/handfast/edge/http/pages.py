"""What a browser is given: the documentation page and its files, all of them our own.

Files are looked up among those that there are, and never searched for: a name that somebody sends
does not reach the file system.
"""

from pathlib import Path
from typing import Annotated

from litestar import get
from litestar.params import PathParameter
from litestar.response import File

from handfast.base.errors import NotFound
from handfast.edge.http.policies import ANYONE, policy

STATIC = Path(__file__).parent / "static"
DOCS = "docs.html"

_FILES = {file.relative_to(STATIC).as_posix(): file for file in STATIC.rglob("*") if file.is_file()}
_TYPES = {".css": "text/css", ".html": "text/html", ".js": "text/javascript"}  # else plain text

# An operator types a token into this page: nothing but our files runs in it, it speaks to nobody
# else, and no other page may frame it. Swagger UI has its pictures in its style sheet.
_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
HEADERS = {
    "Content-Security-Policy": "; ".join(f"{what} {whom}" for what, whom in _POLICY.items()),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
}


@policy(ANYONE)
@get("/docs", include_in_schema=False, sync_to_thread=False)
def docs() -> File:
    """Interactive documentation. No network is needed."""
    return _file(DOCS)


@policy(ANYONE)
@get("/static/{name:path}", include_in_schema=False, sync_to_thread=False)
def static(name: Annotated[Path, PathParameter()]) -> File:
    return _file(name.as_posix().lstrip("/"))


def _file(name: str) -> File:
    found = _FILES.get(name)
    if found is None:
        raise NotFound("There is no such file.", hint="The page at /docs names those that exist.")
    return File(
        found,
        content_disposition_type="inline",
        media_type=_TYPES.get(found.suffix, "text/plain"),
        headers=HEADERS,
    )
