"""Bodies are read as they are written: a text is no number, and a number is no truth.

Litestar reads bodies as leniently as parameters, which are all text: "5" would pass for 5, and 1
for true. Of somebody's stake we want to be sure, so such a body is refused with the field's name.
5.0 is 5, as JSON Schema has it.
"""

import re
from typing import Any

import msgspec
from litestar import Request
from litestar.exceptions import ClientException, ValidationException
from litestar.serialization import default_deserializer

_FIELD = re.compile(r" - at `\$\.?(.*)`$")


class StrictRequest(Request[Any, Any, Any]):
    async def json(self) -> Any:
        body = await super().json()
        field = self.route_handler.parsed_data_field
        if field is not None and (found := _found(body, field.annotation)):
            said = f"Validation failed for {self.method} {self.url.path}"
            raise ValidationException(said, extra=[{**found, "source": "body"}])
        return body


def _found(body: Any, wanted: Any) -> dict[str, str] | None:
    try:
        return coerced(body, wanted)
    except RecursionError:  # the decoder took it, and it goes deeper than we can follow
        raise ClientException("The body is nested too deeply.") from None


def coerced(body: Any, wanted: Any) -> dict[str, str] | None:
    """What would only pass by being changed into something else. All other mistakes are found,
    and told, when the arguments are read."""
    try:
        msgspec.convert(_whole(body), wanted, dec_hook=default_deserializer)
    except msgspec.ValidationError as strictly:
        try:
            msgspec.convert(body, wanted, strict=False, dec_hook=default_deserializer)
        except msgspec.ValidationError:
            return None
        said = str(strictly)
        at = _FIELD.search(said)
        found = {"message": _FIELD.sub("", said)}
        return {**found, "key": at[1]} if at else found
    return None


def _whole(value: Any) -> Any:
    """With whole numbers as such, however they were written."""
    if isinstance(value, dict):
        return {key: _whole(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_whole(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
