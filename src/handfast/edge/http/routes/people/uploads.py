"""A form with a picture in it, read in memory: the framework would spool it to a file, and what was
sent is never stored."""

from dataclasses import dataclass
from typing import Any

from litestar import Request
from litestar.openapi.spec import OpenAPIMediaType, Operation, RequestBody, Schema
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType
from multipart import MultipartError, PushMultipartParser  # type: ignore[import-untyped]

from handfast.apps.people.photos.pictures import PICTURE_BYTES_MAX
from handfast.base.errors import InvalidRequest
from handfast.services.idempotency.asgi.multipart import boundary_of

FORM_BYTES_MAX = PICTURE_BYTES_MAX + 64 * 1024  # the picture, and what a form needs around it
_PARTS_MAX = 8
_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True)
class PhotoForm:
    photo: bytes
    is_primary: bool | None


async def photo_form(request: Request[Any, Any, Any]) -> PhotoForm:
    parts = _parts(await request.body(), boundary_of(request.scope["headers"]))
    unknown = parts.keys() - {"photo", "isPrimary"}
    if "photo" not in parts or unknown:
        raise _refused("has no part photo" if not unknown else f"has a part {min(unknown)[:40]!r}")
    said = parts.get("isPrimary", b"").decode("latin-1").strip().lower()
    if said and said not in _BOOLEANS:
        raise _refused("says neither true nor false as isPrimary")
    return PhotoForm(parts["photo"], _BOOLEANS.get(said))


def _parts(body: bytes, boundary: bytes | None) -> dict[str, bytes]:
    if boundary is None:
        raise _refused("is no multipart/form-data")
    parts: dict[str, bytes] = {}
    name = ""
    try:
        with PushMultipartParser(boundary, max_segment_count=_PARTS_MAX) as parser:
            for event in (*parser.parse(body), *parser.parse(b"")):
                if isinstance(event, bytes | bytearray):
                    parts[name] += event
                elif event is not None:
                    name = str(event.name)
                    if name in parts:
                        raise _refused(f"has two parts {name[:40]!r}")
                    parts[name] = b""
    except (MultipartError, ValueError) as broken:
        raise _refused("cannot be read") from broken
    return parts


def _refused(why: str) -> InvalidRequest:
    return InvalidRequest(
        f"The form {why}.",
        hint="Send multipart/form-data with the part photo, and isPrimary=true if you like.",
    )


@dataclass
class PhotoFormOperation(Operation):
    """How the form is described."""

    def __post_init__(self) -> None:
        self.request_body = RequestBody(
            required=True,
            content={
                "multipart/form-data": OpenAPIMediaType(
                    schema=Schema(
                        type=OpenAPIType.OBJECT,
                        required=["photo"],
                        additional_properties=False,
                        properties={
                            "photo": Schema(
                                type=OpenAPIType.STRING,
                                format=OpenAPIFormat.BINARY,
                                description="JPEG, PNG or WebP, at most 10 MiB and 40 megapixels.",
                            ),
                            "isPrimary": Schema(type=OpenAPIType.STRING, enum=["true", "false"]),
                        },
                    )
                )
            },
        )


@dataclass
class PictureOperation(Operation):
    """A picture as the whole body."""

    def __post_init__(self) -> None:
        binary = Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.BINARY)
        kinds = ("image/jpeg", "image/png", "image/webp")
        self.request_body = RequestBody(
            required=True, content={kind: OpenAPIMediaType(schema=binary) for kind in kinds}
        )
