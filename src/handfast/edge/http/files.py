"""Files of ours that a browser is given, with what keeps a page to itself.

Files are looked up among those that there are, and never searched for: a name that somebody sends
does not reach the file system. Each is read once, and compressed once.
"""

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from litestar import Request, Response

from handfast.base.errors import NotFound

_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".js": "text/javascript",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}  # else plain text
_PACKED = {".png", ".woff2"}  # compressing them again costs, and gains nothing

# An operator signs in on these pages: nothing but our files runs in them, they speak to nobody
# else, and no other page may frame them. Swagger UI has its pictures in its style sheet.
_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "font-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
HEADERS = {
    "Content-Security-Policy": "; ".join(f"{what} {whom}" for what, whom in _POLICY.items()),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Vary": "Accept-Encoding",
}
ASKED_AGAIN = "no-cache"  # kept, and asked for each time: what changes with a release
KEPT = "public, max-age=31536000, immutable"  # its name has a hash of what is in it


@dataclass(frozen=True)
class _ServedFile:
    path: Path

    @cached_property
    def content(self) -> bytes:
        return self.path.read_bytes()

    @cached_property
    def compressed(self) -> bytes | None:
        return None if self.path.suffix in _PACKED else gzip.compress(self.content, mtime=0)

    @cached_property
    def tag(self) -> str:
        return f'W/"{hashlib.sha256(self.content).hexdigest()[:32]}"'


class Files:
    """The files of one folder. ``page`` is where a person sees which there are."""

    def __init__(self, folder: Path, page: str) -> None:
        self._held: Mapping[str, _ServedFile] = {
            file.relative_to(folder).as_posix(): _ServedFile(file)
            for file in folder.rglob("*")
            if file.is_file()
        }
        self._page = page

    def answer(
        self, request: Request[Any, Any, Any], name: str, caching: str = ASKED_AGAIN
    ) -> Response[bytes]:
        held = self._held.get(name)
        if held is None:
            raise NotFound(
                "There is no such file.", hint=f"The page at {self._page} names those that exist."
            )
        headers = {**HEADERS, "Cache-Control": caching, "ETag": held.tag}
        if held.tag in request.headers.get("if-none-match", ""):
            return Response(b"", status_code=304, headers=headers)
        content = held.content
        if "gzip" in request.headers.get("accept-encoding", "") and held.compressed is not None:
            content = held.compressed
            headers["Content-Encoding"] = "gzip"
        return Response(
            content,
            media_type=_TYPES.get(held.path.suffix, "text/plain"),
            headers=headers,
        )
