"""What the OpenAPI document says of idempotency keys: exactly what the middleware does.

The framework describes what handlers take, and keys are taken before any handler: so they are
described from the policies that the middleware's rules come from.
"""

import copy
from typing import Any

from litestar import Request
from litestar.openapi.plugins import JsonRenderPlugin

from handfast.edge.http.route_table import RouteTable
from handfast.services.idempotency.asgi.rules import Need
from handfast.services.idempotency.keys import PATTERN

_AGAIN = "Sent again with the same key, the request is not carried out again, and answers the same"
_REPLAYED = {
    "description": "The request had been carried out before: this is what was answered then.",
    "schema": {"type": "string", "enum": ["true"]},
}


class KeyedDescription(JsonRenderPlugin):
    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        return super().render(request, with_keys(openapi_schema, request.app.state.routes))


def with_keys(document: dict[str, Any], table: RouteTable) -> dict[str, Any]:
    """The document, with the key wherever a policy takes one."""
    described = copy.deepcopy(document)
    for path, item in described.get("paths", {}).items():
        for method, operation in item.items():
            found = table.of(method.upper(), path)
            if found is not None and found.policy.key.need is not Need.IGNORED:
                _describe(operation, required=found.policy.key.need is Need.REQUIRED)
    return described


def _describe(operation: dict[str, Any], *, required: bool) -> None:
    operation.setdefault("parameters", []).append(
        {
            "name": "Idempotency-Key",
            "in": "header",
            "required": required,
            "description": f"A UUID of version 4, new for each operation. {_AGAIN}.",
            "schema": {"type": "string", "pattern": f"^{PATTERN}$"},
        }
    )
    for status, response in operation["responses"].items():
        if status.startswith("2"):
            response.setdefault("headers", {})["Idempotent-Replayed"] = _REPLAYED
