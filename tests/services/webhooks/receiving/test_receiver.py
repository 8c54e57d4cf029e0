"""The receiver: only what is signed, and each event once, also across crashes."""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from handfast.base.errors import InvalidRequest
from handfast.services.outbound.sender import Sender, Unreachable
from handfast.services.webhooks.errors import WebhookSecretInvalid, WebhookSignatureInvalid
from handfast.services.webhooks.receiving.inbox import webhooks_inbox_ddl
from handfast.services.webhooks.receiving.receiver import WebhookReceiver
from handfast.services.webhooks.signing.secrets import SigningSecret, new_secret
from handfast.services.webhooks.signing.signature import sign

pytestmark = pytest.mark.on_lowest

ROOT = Path(__file__).parents[4]
SECRET = new_secret()
NOW = 1_771_500_000


def envelope(**fields: Any) -> bytes:
    return json.dumps(
        {
            "eventId": "0198d0a2-0000-7000-8000-000000000001",
            "eventType": "order.shipped",
            "timestamp": "2026-02-19T11:20:00Z",
            "data": {"orderId": 7},
            **fields,
        }
    ).encode()


def signed(body: bytes, timestamp: int = NOW, secret: str = SECRET) -> dict[str, str]:
    return sign([SigningSecret.parse(secret)], "msg_1", timestamp, body)


def receiver(*secrets: str) -> WebhookReceiver:
    return WebhookReceiver(secrets or [SECRET], clock=lambda: NOW)


# --- verifying ----------------------------------------------------------------------------------


def test_an_event_is_what_was_signed() -> None:
    body = envelope(aggregate="order:7", sequence=3, addedLater=True)
    event = receiver().verify(signed(body), body)
    assert event.event_id == "0198d0a2-0000-7000-8000-000000000001"
    assert (event.event_type, event.data) == ("order.shipped", {"orderId": 7})
    assert event.timestamp.isoformat() == "2026-02-19T11:20:00+00:00"
    assert (event.aggregate, event.sequence) == ("order:7", 3)
    plain = receiver().verify(signed(envelope()), envelope())
    assert (plain.aggregate, plain.sequence) == (None, None)


def test_headers_come_as_a_mapping_or_as_asgi_gives_them() -> None:
    body = envelope()
    pairs = [(name.title().encode(), value.encode()) for name, value in signed(body).items()]
    event = receiver().verify([(b"host", b"a"), (b"host", b"b"), *pairs], body)
    assert event == receiver().verify({n.upper(): v for n, v in signed(body).items()}, body)


@pytest.mark.parametrize("name", ["webhook-id", "webhook-timestamp", "webhook-signature"])
def test_a_header_that_comes_twice_is_refused(name: str) -> None:
    body = envelope()
    pairs = [(key.encode(), value.encode()) for key, value in signed(body).items()]
    with pytest.raises(WebhookSignatureInvalid, match=f"more than one {name}"):
        receiver().verify([*pairs, (name.upper().encode(), b"x")], body)


def test_rotation_on_the_receivers_side() -> None:
    body, new = envelope(), new_secret()
    for secret in (SECRET, new):
        assert receiver(SECRET, new).verify(signed(body, secret=secret), body).data
    with pytest.raises(WebhookSignatureInvalid):
        receiver(new).verify(signed(body), body)


def test_the_present_time_counts() -> None:
    body = envelope()
    assert WebhookReceiver([SECRET]).verify(signed(body, int(time.time())), body).data
    with pytest.raises(WebhookSignatureInvalid, match="too old"):
        WebhookReceiver([SECRET]).verify(signed(body, int(time.time()) - 400), body)
    patient = WebhookReceiver([SECRET], tolerance=1000, clock=lambda: NOW + 400)
    assert patient.verify(signed(body), body).data


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"not JSON",
        b'{"eventId": "\xff"}',
        envelope(eventId=7),
        envelope(eventId=""),
        envelope(eventId="x" * 201),
        envelope(eventId="a\0b"),
        envelope(timestamp="yesterday"),
        b"[" * 100_000,
    ],
    ids=lambda body: repr(body[:30]),
)
def test_what_is_signed_but_no_event_is_told_apart(body: bytes) -> None:
    with pytest.raises(InvalidRequest, match="signed, but"):
        receiver().verify(signed(body), body)


def test_secrets_are_checked_when_the_receiver_is_made() -> None:
    with pytest.raises(WebhookSecretInvalid):
        WebhookReceiver(["whsec_short"])
    wrong: list[Sequence[str]] = [[], "", SECRET]
    for nothing in wrong:
        with pytest.raises(ValueError, match="a list of secrets"):
            WebhookReceiver(nothing)


# --- once, across processes and crashes ---------------------------------------------------------


@contextmanager
def receiving(dsn: str, *how: str) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.webhook_receiver", dsn, SECRET, *how],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        port = process.stdout.readline().strip()
        assert port, "the receiver did not start"
        yield f"http://127.0.0.1:{port}/hooks", process
    finally:
        process.kill()
        process.wait(10)
        process.stdout.close()


async def look(dsn: str, sql: str) -> Any:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


async def prepare(dsn: str) -> None:
    await look(dsn, "CREATE TABLE handled (event_id text NOT NULL)")
    connection = await asyncpg.connect(dsn)
    await connection.execute(webhooks_inbox_ddl())
    await connection.close()


async def test_a_crash_between_record_and_commit_is_made_good_by_the_next_delivery(
    empty_dsn: str,
) -> None:
    await prepare(empty_dsn)
    body = envelope(eventId=str(uuid4()))
    headers = signed(body, int(time.time()))
    async with Sender(allow_private=True) as sender:
        with receiving(empty_dsn, "die-before-commit") as (url, process):
            with pytest.raises(Unreachable):
                await sender.post(url, headers, body)
            assert process.wait(10) == -9, "it was killed in the middle"
        assert await look(empty_dsn, "SELECT count(*) FROM handled") == 0
        assert await look(empty_dsn, "SELECT count(*) FROM handfast_webhooks_inbox") == 0
        with receiving(empty_dsn) as (url, _):
            answers = await asyncio.gather(*[sender.post(url, headers, body) for _ in range(20)])
    assert {answer.status for answer in answers} == {200}
    said = sorted(json.loads(answer.excerpt)["duplicate"] for answer in answers)
    assert said == [False] + [True] * 19
    assert await look(empty_dsn, "SELECT count(*) FROM handled") == 1


async def test_two_processes_handle_each_event_once(empty_dsn: str) -> None:
    await prepare(empty_dsn)
    bodies = [envelope(eventId=str(uuid4())) for _ in range(25)]
    now = int(time.time())
    with receiving(empty_dsn) as (one, _), receiving(empty_dsn) as (other, _):
        async with Sender(allow_private=True) as sender:
            answers = await asyncio.gather(
                *[
                    sender.post(url, signed(body, now), body)
                    for url in (one, other, one, other)
                    for body in bodies
                ]
            )
    assert {answer.status for answer in answers} == {200}
    assert await look(empty_dsn, "SELECT count(*) FROM handled") == 25
    assert await look(empty_dsn, "SELECT count(DISTINCT event_id) FROM handled") == 25
