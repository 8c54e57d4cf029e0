"""Signatures: the published vector, three independent peers, and everything that is refused."""

import base64
import json
import subprocess
from datetime import UTC, datetime

import pytest
import standardwebhooks
import svix.webhooks
import time_machine
from hypothesis import given
from hypothesis import strategies as st

from handfast.services.webhooks.errors import WebhookSignatureInvalid
from handfast.services.webhooks.signing.secrets import SigningSecret, new_secret
from handfast.services.webhooks.signing.signature import HEADER_LENGTH_MAX, Verified, sign, verify

# Published with the standard.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
ID = "msg_p5jXN8AQM9LWM0D4loKWxJek"
TIMESTAMP = 1614265330
BODY = b'{"test": 2432232314}'
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

KEY = SigningSecret.parse(SECRET)
HEADERS = {"webhook-id": ID, "webhook-timestamp": str(TIMESTAMP), "webhook-signature": SIGNATURE}


def test_the_published_vector() -> None:
    assert sign([KEY], ID, TIMESTAMP, BODY) == HEADERS
    assert verify([KEY], HEADERS, BODY, now=TIMESTAMP) == Verified(ID, TIMESTAMP)


# --- peers --------------------------------------------------------------------------------------


@time_machine.travel(TIMESTAMP, tick=False)
def test_standardwebhooks_verifies_what_we_sign() -> None:
    peer = standardwebhooks.Webhook(SECRET)
    assert peer.verify(BODY, sign([KEY], ID, TIMESTAMP, BODY)) == json.loads(BODY)
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        peer.verify(b'{"test": 1}', sign([KEY], ID, TIMESTAMP, BODY))


@time_machine.travel(TIMESTAMP, tick=False)
def test_svix_verifies_what_we_sign() -> None:
    peer = svix.webhooks.Webhook(SECRET)
    peer.verify(BODY, sign([KEY], ID, TIMESTAMP, BODY))
    with pytest.raises(svix.webhooks.WebhookVerificationError):
        peer.verify(b'{"test": 1}', sign([KEY], ID, TIMESTAMP, BODY))


def test_openssl_signs_the_same() -> None:
    """The two packages share their code; this one shares nothing with anybody."""
    text = new_secret()
    body = json.dumps({"name": "Zoë", "n": 1}, ensure_ascii=False).encode()
    done = subprocess.run(
        [
            *("openssl", "dgst", "-sha256", "-mac", "HMAC", "-binary"),
            *("-macopt", f"hexkey:{SigningSecret.parse(text).key.hex()}"),
        ],
        input=b"msg_1.1700000000." + body,
        capture_output=True,
        check=True,
    )
    ours = sign([SigningSecret.parse(text)], "msg_1", 1700000000, body)
    assert ours["webhook-signature"] == f"v1,{base64.b64encode(done.stdout).decode()}"


@pytest.mark.parametrize("peer", [standardwebhooks.Webhook, svix.webhooks.Webhook])
def test_we_verify_what_peers_sign(
    peer: type[standardwebhooks.Webhook] | type[svix.webhooks.Webhook],
) -> None:
    # Their sign takes an aware instant as if it were in UTC, so it gets one that is.
    then = datetime.fromtimestamp(TIMESTAMP, UTC)
    headers = {**HEADERS, "webhook-signature": peer(SECRET).sign(ID, then, BODY.decode())}
    assert verify([KEY], headers, BODY, now=TIMESTAMP) == Verified(ID, TIMESTAMP)


@given(body=st.text(), name=st.from_regex(r"[A-Za-z0-9_\-]{1,40}", fullmatch=True))
def test_peers_agree_on_any_text(body: str, name: str) -> None:
    theirs = standardwebhooks.Webhook(SECRET).sign(
        name, datetime.fromtimestamp(TIMESTAMP, UTC), body
    )
    assert sign([KEY], name, TIMESTAMP, body.encode())["webhook-signature"] == theirs


# --- rotation -----------------------------------------------------------------------------------


@time_machine.travel(TIMESTAMP, tick=False)
def test_while_a_secret_is_rotated_either_verifies() -> None:
    new = new_secret()
    headers = sign([SigningSecret.parse(new), KEY], ID, TIMESTAMP, BODY)
    assert len(headers["webhook-signature"].split(" ")) == 2
    for text in (SECRET, new):
        assert verify([SigningSecret.parse(text)], headers, BODY, now=TIMESTAMP).message_id == ID
        standardwebhooks.Webhook(text).verify(BODY, headers)
    with pytest.raises(WebhookSignatureInvalid):
        verify([SigningSecret.parse(new_secret())], headers, BODY, now=TIMESTAMP)


def test_a_receiver_may_hold_several_secrets() -> None:
    other = SigningSecret.parse(new_secret())
    for held in ([KEY, other], [other, KEY]):
        assert verify(held, HEADERS, BODY, now=TIMESTAMP).message_id == ID


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", HEADERS)
@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_missing_header_is_named(name: str, value: str | None) -> None:
    headers = {key: text for key, text in {**HEADERS, name: value}.items() if text is not None}
    with pytest.raises(WebhookSignatureInvalid, match=name):
        verify([KEY], headers, BODY, now=TIMESTAMP)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("webhook-id", "msg_other"),
        ("webhook-id", ID.lower()),
        ("webhook-id", "x" * (HEADER_LENGTH_MAX + 1)),
        ("webhook-timestamp", str(TIMESTAMP + 1)),
        ("webhook-timestamp", f"{TIMESTAMP}.0"),
        ("webhook-timestamp", f"+{TIMESTAMP}"),
        ("webhook-timestamp", "1_614_265_330"),
        ("webhook-timestamp", "１６１４２６５３３０"),  # noqa: RUF001  # digits to int()
        ("webhook-timestamp", "9" * 4000),
        ("webhook-timestamp", "nan"),
        ("webhook-timestamp", "2021-02-25T15:02:10Z"),
        ("webhook-signature", SIGNATURE.removeprefix("v1,")),
        ("webhook-signature", SIGNATURE.replace("v1,", "v1a,")),
        ("webhook-signature", SIGNATURE.replace("v1,", "v2,")),
        ("webhook-signature", SIGNATURE.replace("v1,", "V1,")),
        ("webhook-signature", SIGNATURE[:-1]),
        ("webhook-signature", SIGNATURE[:-4]),
        ("webhook-signature", "v1,"),
        ("webhook-signature", "v1"),
        ("webhook-signature", "v1,!!!"),
        ("webhook-signature", "v1,é"),
        ("webhook-signature", f"{SIGNATURE},{SIGNATURE}"),
        ("webhook-signature", " ".join([SIGNATURE] * 100)),
    ],
)
def test_what_was_changed_is_refused(name: str, value: str) -> None:
    with pytest.raises(WebhookSignatureInvalid):
        verify([KEY], {**HEADERS, name: value}, BODY, now=TIMESTAMP)


@pytest.mark.parametrize("body", [b"", BODY + b" ", b'{"test":2432232314}', BODY[:-1]])
def test_another_body_is_refused(body: bytes) -> None:
    with pytest.raises(WebhookSignatureInvalid):
        verify([KEY], HEADERS, body, now=TIMESTAMP)


@pytest.mark.parametrize("garbage", ["v1,!!!", "v9,abc", "nonsense", "v1,YWJj", ",", "v1a,eHg="])
def test_garbage_beside_a_good_signature_is_ignored(garbage: str) -> None:
    for header in (f"{garbage} {SIGNATURE}", f"{SIGNATURE} {garbage}"):
        headers = {**HEADERS, "webhook-signature": header}
        assert verify([KEY], headers, BODY, now=TIMESTAMP).message_id == ID


def test_the_names_of_headers_have_no_case() -> None:
    headers = {name.title(): value for name, value in HEADERS.items()}
    assert verify([KEY], headers, BODY, now=TIMESTAMP).message_id == ID


@pytest.mark.parametrize(("late", "said"), [(301, "too old"), (-301, "far in the future")])
def test_time_limits(late: int, said: str) -> None:
    with pytest.raises(WebhookSignatureInvalid, match=said):
        verify([KEY], HEADERS, BODY, now=TIMESTAMP + late)
    within = TIMESTAMP + late + (-1 if late > 0 else 1)
    assert verify([KEY], HEADERS, BODY, now=within).timestamp == TIMESTAMP
    assert verify([KEY], HEADERS, BODY, now=TIMESTAMP + late, tolerance=400).message_id == ID


# --- mistakes of our own ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "a.b", "a b", "a\nb", "é", "x" * 257])
def test_an_id_that_would_be_ambiguous_is_not_signed(name: str) -> None:
    with pytest.raises(ValueError, match="message id"):
        sign([KEY], name, TIMESTAMP, BODY)


def test_without_secrets_nothing_is_signed_or_verified() -> None:
    with pytest.raises(ValueError, match="at least one"):
        sign([], ID, TIMESTAMP, BODY)
    with pytest.raises(ValueError, match="at least one"):
        verify([], HEADERS, BODY, now=TIMESTAMP)
