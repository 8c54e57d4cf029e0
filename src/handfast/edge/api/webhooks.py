"""Webhook endpoints, and sending again."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec.structs import replace

from handfast.base.text import NO_NUL
from handfast.edge.api.viewing import masked, origin
from handfast.services.webhooks.endpoints import TYPES_MAX, Endpoint
from handfast.services.webhooks.sending.attempt_log import AttemptPage, DeliveryLogPage

Url = Annotated[
    str,
    msgspec.Meta(
        max_length=2048,
        pattern=r"^[Hh][Tt][Tt][Pp][Ss]?://[^\x00-\x20]+$",
        description="Where events are posted; a public address.",
    ),
]
Types = Annotated[
    list[str],
    msgspec.Meta(
        max_length=TYPES_MAX,
        description="The event types wanted, such as `match.created`; `match.*` is a whole area.",
    ),
]
Text = Annotated[str, msgspec.Meta(max_length=500, pattern=NO_NUL)]


class NewEndpoint(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """Without types it gets every event."""

    url: Url
    types: Types = []
    description: Text = ""


class EndpointChange(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """What is left out, or null, stays as it is."""

    url: Url | None = None
    types: Types | None = None
    description: Text | None = None
    state: Literal["active", "paused"] | None = None


class Replay(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """One event, or what happened from `since` until before `until`, at most 7 days. With
    `onlyMissing`, what was delivered or is about to be is left out."""

    event_id: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None
    only_missing: bool = False


class EndpointList(msgspec.Struct, rename="camel"):
    endpoints: list[Endpoint]


def endpoints_for_viewers(answer: EndpointList) -> EndpointList:
    """The path of an address is often what its receiver knows the sender by."""
    return EndpointList(
        [replace(one, url=origin(one.url), reason=masked(one.reason)) for one in answer.endpoints]
    )


def deliveries_for_viewers(page: DeliveryLogPage) -> DeliveryLogPage:
    return replace(
        page,
        attempts=[
            replace(one, error=masked(one.error), excerpt=masked(one.excerpt))
            for one in page.attempts
        ],
    )


def attempts_for_viewers(page: AttemptPage) -> AttemptPage:
    return replace(
        page,
        attempts=[
            replace(one, error=masked(one.error), excerpt=masked(one.excerpt))
            for one in page.attempts
        ],
    )
