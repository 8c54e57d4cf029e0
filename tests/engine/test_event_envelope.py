"""What an event looks like outside: written and read by one shape."""

import json
from datetime import UTC, datetime, timedelta, timezone

import msgspec
import pytest

from handfast.engine.event_envelope import EventEnvelope, StoredEvent, event_type_in
from handfast.services.webhooks.receiving.receiver import WebhookEvent

AT = datetime(2026, 3, 29, 12, tzinfo=UTC)
EVENT = StoredEvent("7b0e", AT, "match.created", "match:7", 1, '{"matchId": 7,"a":1.0}')


def test_the_bytes() -> None:
    assert EVENT.envelope() == (
        b'{"eventId":"7b0e","eventType":"match.created","timestamp":"2026-03-29T12:00:00.000000Z",'
        b'"aggregate":"match:7","sequence":1,"data":{"matchId": 7,"a":1.0}}'
    )


def test_the_same_bytes_in_whatever_zone_it_was_read() -> None:
    elsewhere = AT.astimezone(timezone(timedelta(hours=9)))
    assert msgspec.structs.replace(EVENT, at=elsewhere).envelope() == EVENT.envelope()


def test_texts_are_escaped() -> None:
    odd = msgspec.structs.replace(EVENT, aggregate='a"\\\n', type="x.y")
    assert json.loads(odd.envelope())["aggregate"] == 'a"\\\n'


def test_what_is_written_is_what_is_read() -> None:
    assert tuple(json.loads(EVENT.envelope())) == EventEnvelope.__struct_encode_fields__
    read = msgspec.json.decode(EVENT.envelope(), type=WebhookEvent)
    assert (read.event_id, read.event_type, read.timestamp) == ("7b0e", "match.created", AT)
    assert (read.aggregate, read.sequence, read.data) == ("match:7", 1, {"matchId": 7, "a": 1.0})


@pytest.mark.parametrize(
    ("body", "found"),
    [({"eventType": "a.b"}, "a.b"), ({"eventType": 7}, None), ({}, None), ([], None), ("x", None)],
)
def test_what_a_body_says_it_is(body: object, found: str | None) -> None:
    assert event_type_in(body) == found
