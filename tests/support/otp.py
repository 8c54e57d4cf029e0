"""Signing in as an app does it: a code is sent, and verified."""

from typing import Any
from uuid import UUID, uuid4

import httpx2
from litestar import Litestar

from handfast.services.identity.authority import TokenAuthority
from handfast.services.identity.otp.codes import code_of

PHONE = {"countryCode": "49", "phoneNumber": "15123456789"}
E164 = "+4915123456789"


def new_key() -> dict[str, str]:
    return {"Idempotency-Key": str(uuid4())}


async def ask(
    client: httpx2.AsyncClient, device: str | None = "phone", **more: Any
) -> httpx2.Response:
    body = {**PHONE, **({} if device is None else {"deviceId": device}), **more.pop("body", {})}
    headers = {**new_key(), **more.pop("headers", {})}
    return await client.post("/auth/otp/send", json=body, headers=headers)


async def try_code(
    client: httpx2.AsyncClient, request: str, code: str, device: str | None = "phone", **more: Any
) -> httpx2.Response:
    body = {"requestId": request, "code": code}
    if device is not None:
        body["deviceId"] = device
    return await client.post(
        "/auth/otp/verify", json=body, headers={**new_key(), **more.pop("headers", {})}
    )


def right_code(api: Litestar, request: str, number: int = 1) -> str:
    """What stands in the message."""
    authority: TokenAuthority = api.state.shared["identity"]
    return code_of(authority.secret, UUID(request), number)


def wrong_code(right: str) -> str:
    return f"{(int(right) + 1) % 1_000_000:06}"


async def sign_in_by_code(
    api: Litestar, client: httpx2.AsyncClient, device: str | None = "phone", **more: Any
) -> httpx2.Response:
    """The answer of verify."""
    sent = await ask(client, device, **more)
    assert sent.status_code == 200, sent.text
    request = sent.json()["requestId"]
    return await try_code(client, request, right_code(api, request), device)
