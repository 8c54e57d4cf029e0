"""Who is asking. An application says it with a callable of its own; this one is for strangers."""

from collections.abc import Mapping
from typing import Any

DEVICE_HEADER = b"x-device-id"
DEVICE_LENGTH_MAX = 200  # a longer one is cut: it only has to tell devices apart


def client_address(scope: Mapping[str, Any]) -> str:
    """Address and device, for routes that anybody may use. Behind a proxy the server must be told
    to take the address from the proxy's header (uvicorn: ``--proxy-headers``)."""
    client = scope.get("client")
    return f"anonymous:{client[0] if client else ''}:{device_of(scope)}"


def by_body(principal: str) -> str:
    """A principal that was read from a body: never the same as one who was authenticated."""
    return f"\0body:{principal}"


def device_of(scope: Mapping[str, Any]) -> str:
    """What the caller says about its device, to tell those behind one address apart."""
    device = next((value for name, value in scope["headers"] if name == DEVICE_HEADER), b"")
    return repr(device[:DEVICE_LENGTH_MAX])
