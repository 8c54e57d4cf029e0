"""What validation found, in the words of who sent it.

The framework names the handler's own arguments, which callers never see, and says of a choice only
that the value is none of it.
"""

from collections.abc import Iterator
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from litestar import Request
from litestar.params import ParameterKwarg
from litestar.typing import FieldDefinition

Found = list[dict[str, Any]]


def in_callers_words(request: Request[Any, Any, Any], found: Found) -> Found:
    """The errors, with parameters called as they are sent, and with the values that may be."""
    handler: Any = request.scope.get("route_handler")
    fields = {} if handler is None else handler.parsed_fn_signature.parameters
    return [
        error if error.get("source") == "body" else _told(error, fields.get(error.get("key", "")))
        for error in found
    ]


def summary(found: Found) -> str:
    return "".join(f" {error['key']}: {error['message']}." for error in found if "key" in error)


def _told(error: dict[str, Any], field: FieldDefinition | None) -> dict[str, Any]:
    if field is None:
        return error
    kwarg = field.kwarg_definition
    name = kwarg.name if isinstance(kwarg, ParameterKwarg) else None
    values = list(_values(field.annotation))
    allowed = f"; allowed: {', '.join(values)}" if values else ""
    return {**error, "key": name or error["key"], "message": f"{error['message']}{allowed}"}


def _values(annotation: Any) -> Iterator[str]:
    """Those of an enumeration or of literals, also inside of a union."""
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        yield from (str(one.value) for one in annotation)
    elif get_origin(annotation) is Literal:
        yield from map(str, get_args(annotation))
    else:
        for part in get_args(annotation):
            yield from _values(part)
