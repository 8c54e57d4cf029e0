"""Secrets: made, read, refused, and never shown."""

import base64
import traceback

import pytest

from handfast.services.webhooks.errors import WebhookSecretInvalid
from handfast.services.webhooks.signing.secrets import (
    KEY_BYTES_MAX,
    KEY_BYTES_MIN,
    PREFIX,
    SigningSecret,
    new_secret,
)


def encoded(size: int) -> str:
    return base64.b64encode(bytes(range(256))[:size]).decode()


def test_a_new_secret_is_long_random_and_readable() -> None:
    made = {new_secret() for _ in range(100)}
    assert len(made) == 100
    for text in made:
        assert text.startswith(PREFIX)
        assert KEY_BYTES_MIN <= len(SigningSecret.parse(text).key) <= KEY_BYTES_MAX


def test_the_prefix_and_the_padding_may_be_missing() -> None:
    text = f"{PREFIX}{encoded(25)}"
    assert text.endswith("==")
    key = SigningSecret.parse(text).key
    assert key == bytes(range(25))
    for other in (encoded(25), text.rstrip("="), f"  {text}\n"):
        assert SigningSecret.parse(other).key == key


@pytest.mark.parametrize("size", [KEY_BYTES_MIN, KEY_BYTES_MAX])
def test_the_limits_are_inside(size: int) -> None:
    assert len(SigningSecret.parse(encoded(size)).key) == size


@pytest.mark.parametrize(
    "text",
    [
        "",
        PREFIX,
        "whsec_ü",
        "whsec_not base64 at all, but long enough to be one",
        "whsec_!fKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        f"whsec_{encoded(KEY_BYTES_MIN - 1)}",
        f"whsec_{encoded(KEY_BYTES_MAX + 1)}",
        f"whpk_{encoded(32)}",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS",  # one character lost on the way
    ],
)
def test_what_cannot_be_one_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(WebhookSecretInvalid) as refused:
        SigningSecret.parse(text)
    assert "24 to 64 bytes" in str(refused.value)
    told = "".join(traceback.format_exception(refused.value))
    assert len(text) < 7 or text not in told


def test_a_secret_does_not_show_itself() -> None:
    secret = SigningSecret.parse(new_secret())
    for told in (repr(secret), str(secret), f"{secret}"):
        assert told == "SigningSecret()"
