"""Settings of identity."""

import re

from pydantic import SecretStr, field_validator

from handfast.base.ids import SECRET_LENGTH_MIN
from handfast.base.settings import Section, setting

LOG_SENDER = "log"
SECRET_FILE = "identity-secret"  # noqa: S105  # a file name, in the data folder

_SENDER = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_TEST_NUMBER = re.compile(r"(\+[1-9][0-9]{6,14})=([0-9]{6})")


class IdentitySettings(Section):
    identity_secret: SecretStr | None = setting(
        None,
        "signs nothing, but hashes codes, devices and addresses, and encrypts signing keys; to "
        "rotate, the new one first",
        allowed="at least 32 characters without spaces; several with commas between",
        example="Zr8w2kQ1…,the-one-before…",
    )
    identity_issuer: str = setting(
        "handfast",
        "who issues access tokens: their claim iss",
        allowed="1 to 200 characters",
        example="https://api.example.com",
        min_length=1,
        max_length=200,
    )
    identity_audience: str = setting(
        "handfast",
        "for whom access tokens are: their claim aud",
        allowed="1 to 200 characters",
        example="https://api.example.com",
        min_length=1,
        max_length=200,
    )
    sms_sender: str = setting(
        LOG_SENDER,
        "what sends codes: log writes them to the log and is for development only",
        allowed="log, or module:function of your own",
        example="shop.sms:send",
    )
    test_numbers: str | None = setting(
        None,
        "numbers with fixed codes to which nothing is sent: for development only",
        allowed="+number=code with commas between; a code has 6 digits",
        example="+15005550006=123456",
    )
    otp_address_limit: int = setting(
        20,
        "codes that one address may ask for in an hour",
        allowed="a whole number from 1 to 1000000",
        example="20",
        ge=1,
        le=1_000_000,
    )
    otp_prefix_limit: int = setting(
        50,
        "codes in an hour for all numbers that differ in the last four digits only",
        allowed="a whole number from 1 to 1000000",
        example="50",
        ge=1,
        le=1_000_000,
    )
    otp_country_limit: int = setting(
        2000,
        "codes in an hour for all numbers of one country code",
        allowed="a whole number from 1 to 1000000",
        example="2000",
        ge=1,
        le=1_000_000,
    )

    @field_validator("identity_secret")
    @classmethod
    def _secrets_are_long_enough(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            for secret in value.get_secret_value().split(","):
                if len(secret) < SECRET_LENGTH_MIN or any(c.isspace() for c in secret):
                    raise ValueError("too short, or has spaces")
        return value

    @field_validator("sms_sender")
    @classmethod
    def _is_log_or_a_function(cls, value: str) -> str:
        if value != LOG_SENDER and _SENDER.fullmatch(value) is None:
            raise ValueError("neither log nor module:function")
        return value

    @field_validator("test_numbers")
    @classmethod
    def _are_numbers_with_codes(cls, value: str | None) -> str | None:
        read_test_numbers(value)
        return value


def read_test_numbers(text: str | None) -> dict[str, str]:
    """Each with its code. ``ValueError`` if one is not written like that."""
    parts = [part.strip() for part in (text or "").split(",") if part.strip()]
    found = [_TEST_NUMBER.fullmatch(part) for part in parts]
    if None in found:
        raise ValueError("not +number=code")
    return {one[1]: one[2] for one in found if one is not None}
