"""Endpoints: where events go, which of them, and whether it is worth trying.

Every function works in the caller's transaction. A secret leaves this module twice in its life:
when it is made, to be shown once, and when a delivery is signed.
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from types import NoneType
from typing import Annotated
from uuid import UUID, uuid4

import msgspec

from handfast.base.errors import Conflict, InvalidRequest, NotFound
from handfast.base.text import is_storable
from handfast.base.words import OneOf
from handfast.db.statements import statement
from handfast.db.transaction import Queryable, Transaction
from handfast.services.outbound.url import UrlUnusable, parse_url
from handfast.services.webhooks.errors import InvalidEndpointUrl
from handfast.services.webhooks.signing.secrets import new_secret

# Deliveries to one endpoint at once. Enough to hide its latency, and a small part of the places of
# one deliverer, so that a slow endpoint leaves the others theirs.
BUSY_MAX = 16
OVERLAP = timedelta(hours=24)  # how long the secret before signs too: time to roll out the new one
OVERLAP_MAX = timedelta(days=7)
TYPES_MAX = 100

_TYPE = re.compile(r"[a-z_]+\.([a-z_]+|\*)")


class EndpointState(StrEnum):
    ACTIVE = "active"
    PAUSED = "paused"
    DISABLED = "disabled"


class Endpoint(msgspec.Struct, frozen=True, rename="camel"):
    """An endpoint as operators see it: everything but its secrets."""

    id: UUID
    url: str
    types: list[str]
    description: str
    state: Annotated[str, OneOf(EndpointState)]
    reason: str | None
    created_at: datetime
    state_since: datetime
    failing_since: datetime | None


class Signed(msgspec.Struct, frozen=True, rename="camel"):
    """An endpoint, and the secret that signs for it from now on: shown this once."""

    endpoint: Endpoint
    secret: str


_ADD = statement("webhooks.add_endpoint", row=Endpoint)
_ALL = statement("webhooks.endpoints", row=Endpoint)
_ONE = statement("webhooks.endpoint", row=Endpoint)
_LOCK = statement("webhooks.lock_endpoint", row=Endpoint)
_CHANGE = statement("webhooks.change_endpoint", row=NoneType)
_STOP = statement("webhooks.stop_endpoint", row=int)
_RESUME = statement("webhooks.resume_endpoint", row=NoneType)
_REMOVE = statement("webhooks.remove_endpoint", row=int)
_EXPIRE = statement("webhooks.expire_secrets", row=NoneType)
_ADD_SECRET = statement("webhooks.add_secret", row=NoneType)


async def add_endpoint(
    tx: Transaction,
    url: str,
    *,
    types: Sequence[str] = (),
    description: str = "",
    allow_private: bool = False,
) -> Signed:
    """Register an endpoint. ``types`` are event types, or ``area.*``; none means all."""
    check_url(url, allow_private=allow_private)
    secret = new_secret()
    made = await _ADD.one(
        tx, uuid4(), url, checked_types(types), _checked_text(description), secret, BUSY_MAX
    )
    return Signed(made, secret)


async def list_endpoints(on: Queryable) -> list[Endpoint]:
    """All of them, the oldest first."""
    return await _ALL.all(on)


async def get_endpoint(on: Queryable, endpoint: UUID) -> Endpoint:
    return _found(await _ONE.maybe(on, endpoint), endpoint)


async def change_endpoint(
    tx: Transaction,
    endpoint: UUID,
    *,
    url: str | None = None,
    types: Sequence[str] | None = None,
    description: str | None = None,
    allow_private: bool = False,
) -> Endpoint:
    """Change what is given. Deliveries that wait go to the new address, which is not taken for
    failing because the old one was."""
    _found(await _LOCK.maybe(tx, endpoint), endpoint)
    if url is not None:
        check_url(url, allow_private=allow_private)
    await _CHANGE.run(
        tx,
        endpoint,
        url,
        None if types is None else checked_types(types),
        None if description is None else _checked_text(description),
        BUSY_MAX,
    )
    return await get_endpoint(tx, endpoint)


async def pause(tx: Transaction, endpoint: UUID, reason: str = "paused by an operator") -> Endpoint:
    """Nothing more goes there until it is resumed. What waits is skipped, and can be replayed: see
    ``remove``. What is still left when it is resumed is sent."""
    found = _found(await _LOCK.maybe(tx, endpoint), endpoint)
    if found.state == "disabled":
        raise Conflict(
            f"The endpoint is disabled: {found.reason}.",
            hint="Nothing goes there already. Resume it, or remove it.",
        )
    await _STOP.run(tx, endpoint, "paused", _checked_text(reason) or "paused")
    return await get_endpoint(tx, endpoint)


async def resume(tx: Transaction, endpoint: UUID) -> Endpoint:
    """Deliver again, after a pause or when it was disabled. What was missed can be replayed."""
    _found(await _LOCK.maybe(tx, endpoint), endpoint)
    await _RESUME.run(tx, endpoint, BUSY_MAX)
    return await get_endpoint(tx, endpoint)


async def remove(tx: Transaction, endpoint: UUID) -> int:
    """Forget it. What waits is skipped, 10,000 of it at once and the rest when the first of it is
    due; answers how many at once."""
    skipped = await _REMOVE.maybe(tx, endpoint)
    if skipped is None:
        raise _unknown(endpoint)
    return skipped


async def rotate(tx: Transaction, endpoint: UUID, *, overlap: timedelta = OVERLAP) -> Signed:
    """A new secret. Those before it go on signing, beside it, until ``overlap`` has passed; of many
    rotations within that time, the newest five secrets sign."""
    if not timedelta(0) <= overlap <= OVERLAP_MAX:
        raise InvalidRequest(
            f"The old secret cannot stay valid for {overlap}.",
            hint=f"Choose between nothing and {OVERLAP_MAX.days} days; {OVERLAP} is usual.",
        )
    found = _found(await _LOCK.maybe(tx, endpoint), endpoint)
    secret = new_secret()
    await _EXPIRE.run(tx, endpoint, overlap)
    await _ADD_SECRET.run(tx, endpoint, secret)
    return Signed(found, secret)


def check_url(url: str, *, allow_private: bool = False) -> None:
    """Refuse what can never be delivered to, with words for whoever registers it."""
    try:
        target = parse_url(url)
    except UrlUnusable as wrong:
        raise InvalidEndpointUrl(wrong.detail, hint=wrong.hint) from None
    about = target.why_not_public()
    if about is not None and not allow_private:
        raise InvalidEndpointUrl(
            f"{target.host} is {about}, and webhooks go to public addresses only.",
            hint="Give a public address. For development, HANDFAST_WEBHOOKS_ALLOW_PRIVATE=true "
            "allows others.",
        )


def checked_types(types: Sequence[str]) -> list[str]:
    """Each once, in order; a type that no event can have would never be delivered."""
    for one in types:
        if not _TYPE.fullmatch(one):
            raise InvalidRequest(
                f"{one!r} is not an event type.",
                hint="A type is two words with a dot between, such as match.created; match.* means "
                "all of that area. Name none to get all.",
            )
    if len(types) > TYPES_MAX:
        raise InvalidRequest(f"{len(types)} types are more than {TYPES_MAX}.", hint="Use area.*.")
    return sorted(set(types))


def _checked_text(text: str) -> str:
    if len(text) > 500 or not is_storable(text):
        raise InvalidRequest("A description has at most 500 characters, and no NUL.")
    return text.strip()


def _found(endpoint: Endpoint | None, wanted: UUID) -> Endpoint:
    if endpoint is None:
        raise _unknown(wanted)
    return endpoint


def _unknown(endpoint: UUID) -> NotFound:
    return NotFound(
        f"There is no endpoint {endpoint}.", hint="GET /webhooks/endpoints lists those there are."
    )
