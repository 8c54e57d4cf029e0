"""What the OpenAPI document says of idempotency keys: exactly what the middleware does.

The framework describes what handlers take, and keys are taken before any handler: so they are
described from the middleware's own rules.
"""

import copy
from typing import Any

from litestar import Request
from litestar.openapi.plugins import JsonRenderPlugin

from handfast.edge.http.keyed import RULES
from handfast.services.idempotency.keys import PATTERN
from handfast.services.idempotency.rules import NOWHERE, Need, Rules

_AGAIN = "Sent again with the same key, the request is not carried out again, and answers the same"
_REPLAYED = {
    "description": "The request had been carried out before: this is what was answered then.",
    "schema": {"type": "string", "enum": ["true"]},
}


class KeyedDescription(JsonRenderPlugin):
    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        return super().render(request, with_keys(openapi_schema))


def with_keys(document: dict[str, Any]) -> dict[str, Any]:
    """The document, with the key wherever a rule takes one."""
    described = copy.deepcopy(document)
    taken = Rules(RULES, NOWHERE)
    for path, item in described.get("paths", {}).items():
        for method, operation in item.items():
            rule = taken.of(method.upper(), path)
            if rule.need is not Need.IGNORED:
                _describe(operation, required=rule.need is Need.REQUIRED)
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
