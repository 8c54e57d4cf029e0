"""``OPTIONS`` for addresses that take several methods.

The framework answers it by itself, but from the first handler that was registered for an address:
the others are left out of ``Allow``. One of our own, registered before them, takes its place.
"""

from typing import Any

from litestar import Response, route


def options_of(path: str, *methods: str) -> Any:
    """A handler for ``OPTIONS`` on ``path``, to be put first in the list of handlers."""
    allow = ", ".join(sorted({*methods, "OPTIONS"}))

    @route(
        path,
        http_method=["OPTIONS"],
        status_code=204,
        include_in_schema=False,
        sync_to_thread=False,
    )
    def options() -> Response[None]:
        return Response(None, status_code=204, headers={"Allow": allow}, media_type="text/plain")

    return options
