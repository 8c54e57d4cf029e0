"""Receiving: prove who sent it, and handle it once.

    receiver = WebhookReceiver(["whsec_…"])

    event = receiver.verify(request.headers, await request.body())
    async with database.transaction() as tx:
        if await receiver.once(tx, event):
            ...                                # your work, in the same transaction
    return 200                                 # also for a duplicate

Knows no framework. ``asgi.WebhookEndpoint`` is the same as a ready-made ASGI application.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from handfast.base.errors import InvalidRequest
from handfast.base.text import is_storable
from handfast.engine.event_envelope import EventEnvelope
from handfast.services.webhooks.errors import WebhookSignatureInvalid
from handfast.services.webhooks.receiving.inbox import EVENT_ID_LENGTH_MAX, WebhookInbox
from handfast.services.webhooks.signing.secrets import SigningSecret
from handfast.services.webhooks.signing.signature import (
    ID_HEADER,
    SIGNATURE_HEADER,
    TIMESTAMP_HEADER,
    TOLERANCE_SECONDS,
    verify,
)

Headers = Mapping[str, str] | Iterable[tuple[bytes, bytes]]


class WebhookEvent(EventEnvelope, frozen=True, kw_only=True):
    """What was sent. ``event_id`` is the same in every attempt and every replay."""


class WebhookReceiver:
    """Verifies webhooks and remembers which were handled.

    Give it all secrets that are valid now: while one is rotated, the old and the new.
    """

    def __init__(
        self,
        secrets: Sequence[str | SigningSecret],
        *,
        inbox: WebhookInbox | None = None,
        tolerance: float = TOLERANCE_SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        if isinstance(secrets, str) or not secrets:
            raise ValueError("give a list of secrets, with at least one in it")
        self._secrets = [
            one if isinstance(one, SigningSecret) else SigningSecret.parse(one) for one in secrets
        ]
        self._inbox = inbox or WebhookInbox()
        self._tolerance = tolerance
        self._clock = clock

    def verify(self, headers: Headers, body: bytes) -> WebhookEvent:
        """The event, once the signature is proven. ``body`` is what arrived, byte by byte;
        ``headers`` a mapping, or the pairs of an ASGI scope.

        Raises ``WebhookSignatureInvalid``: answer 401. Or ``InvalidRequest``, if whoever holds
        the secret sent something that is no event: answer 422.
        """
        verify(self._secrets, _plain(headers), body, now=self._clock(), tolerance=self._tolerance)
        try:
            event = msgspec.json.decode(body, type=WebhookEvent)
        except (msgspec.DecodeError, UnicodeDecodeError) as wrong:
            raise InvalidRequest(
                f"The body is signed, but is not an event: {wrong}.",
                hint="Is this secret also used by something else than Handfast?",
            ) from wrong
        if not 1 <= len(event.event_id) <= EVENT_ID_LENGTH_MAX or not is_storable(event.event_id):
            raise InvalidRequest("The body is signed, but its eventId cannot be one.")
        return event

    async def once(self, tx: Any, event: WebhookEvent) -> bool:
        """Whether this event is to be handled now, in ``tx``; ``False`` for a duplicate.

        The record is part of ``tx``: if your work fails, roll back, and the next delivery is
        handled. Waits while another transaction handles the same event.
        """
        return await self._inbox.record(tx, event.event_id)


def _plain(headers: Headers) -> dict[str, str]:
    if isinstance(headers, Mapping):
        return dict(headers)
    found: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name = raw_name.decode("latin-1").lower()
        if name in found and name in {ID_HEADER, TIMESTAMP_HEADER, SIGNATURE_HEADER}:
            raise WebhookSignatureInvalid(f"There is more than one {name} header.")
        found[name] = raw_value.decode("latin-1")
    return found
