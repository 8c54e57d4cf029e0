"""The API's description is true: schemathesis calls everything with everything it can think of."""

import json
import subprocess
import sys
from pathlib import Path
from urllib.request import Request, urlopen
from uuid import uuid4

import pytest

from tests.support.chance import seed_of
from tests.support.up import Up

TOKEN = "hf_admin_for_the_tests_only"

# What can be read and still not be done is answered with 422, which no schema can foretell: an
# address that is private, a range that ends before it begins, a word that is no
# company's URL, a place that is in no list.
# An answer that is kept is the same answer, also when what it made was removed meanwhile; the tool
# takes its own repeated keys for new requests (ensure_resource_availability).
CONFIG = """
[checks.ensure_resource_availability]
enabled = false

[[operations]]
include-path-regex = "^/webhooks/endpoints(/[^/]+(/replay)?)?$"
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "409", "422"]

[[operations]]
include-path-regex = "^/admin/(dead|people|identity|bulk|figures)"
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "409", "422"]

[[operations]]
include-path-regex = "^/admin/(reports|appeals|disputes)"
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "409", "422"]

[[operations]]
include-path-regex = "^/fixtures"
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "409", "422"]

# Whether there is enough money is for the accounts to say.
[[operations]]
include-path-regex = "^/admin/players/[^/]+/(refunds|withdrawals)$"
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "402", "403", "404", "409", "422"]

# No number of the plan, a code that is wrong, a token of nobody: none can be foretold either.
[[operations]]
include-path-regex = "^/auth/(otp|refresh)"
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "409", "422", "429"]

# What a name may hold, which answers a question has, whether bytes are a picture: no schema says.
[[operations]]
include-path-regex = "^/(users/me|photos|compatibility|verification|safety|matches)"
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "409", "413", "422", "429"]

[[operations]]
include-path-regex = "^/api/match/run"
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "409", "410", "422"]
"""

# Of a header with a pattern the coverage phase makes "valid" values of one character, whatever the
# pattern says, and our refusal is right. The other phases keep to the pattern, and are held to it.
COVERAGE = """
[[operations]]
include-method = ["POST", "PATCH", "PUT", "DELETE"]
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "400", "401", "403", "404", "409", "410", "413", "422", "429"]
"""
PHASES = {"coverage": COVERAGE + CONFIG, "examples,fuzzing,stateful": CONFIG}


NUMBER = {"countryCode": "1", "phoneNumber": "5005550006"}


def posted(url: str, body: dict[str, str]) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid4())}
    with urlopen(Request(url, json.dumps(body).encode(), headers), timeout=120) as answer:
        return dict(json.load(answer))


def as_user(up: Up) -> str:
    """Signed in, as an app does it."""
    sent = posted(f"{up.url}/auth/otp/send", NUMBER)
    said = {"requestId": sent["requestId"], "code": "123456"}
    return f"Bearer {posted(f'{up.url}/auth/otp/verify', said)['accessToken']}"


AS_OPERATOR = f"Bearer {TOKEN}"
AS_USER = "a user"
USERS = "auth|users|photos|compatibility|verification|safety"
# They would sign the user out, and nothing would be tried any more.
SIGNS_OUT = ("/auth/logout", "/auth/sessions/{sign_in_id}")


@pytest.mark.hypothesis
@pytest.mark.parametrize("phases", PHASES)
@pytest.mark.parametrize("authorization", [None, AS_OPERATOR, AS_USER])
def test_the_description_is_true(
    tmp_path: Path, authorization: str | None, phases: str, pytestconfig: pytest.Config
) -> None:
    (tmp_path / "schemathesis.toml").write_text(PHASES[phases])
    # It guesses tokens too, and must not be held back for it: it would see nothing but 429.
    settings = {
        "HANDFAST_ADMIN_TOKEN": TOKEN,
        "HANDFAST_OPERATOR_LOGIN_LIMIT": "1000000",
        "HANDFAST_MATCH_RUN_LIMIT": "1000000",
        "HANDFAST_CHAT_MESSAGES_PER_MINUTE": "10000",
        "HANDFAST_CHAT_MESSAGES_PER_HOUR": "100000",
        "HANDFAST_TEST_NUMBERS": "+15005550006=123456",
        **{f"HANDFAST_OTP_{who}_LIMIT": "1000000" for who in ("ADDRESS", "PREFIX", "COUNTRY")},
    }
    with Up(tmp_path / "data", **settings) as up:
        # The first is made, which takes a while on a busy machine; the tool waits for ten seconds.
        urlopen(f"{up.url}/openapi.json", timeout=120).close()
        ours: list[str] = []  # a user is let in where users are
        if authorization == AS_USER:
            authorization = as_user(up)
            ours = [
                "--include-path-regex",
                "^/(auth|users|photos|compatibility|verification|safety|matches)",
            ]
            ours += ["--exclude-operation-id", "meDelete"]
            ours += [word for path in SIGNS_OUT for word in ("--exclude-path", path)]
        done = subprocess.run(
            [
                *(Path(sys.executable).parent / "schemathesis", "--no-color", "run"),
                # A stranger is refused nearly everywhere: a few tries tell as much.
                *(f"{up.url}/openapi.json", "--seed", seed_of(pytestconfig)),
                *("--request-timeout", "120"),  # it is not about speed
                *("--max-examples", "25" if authorization else "6"),
                *("--phases", phases),
                # A stream without an end: tests/edge/test_admin_http.py reads it.
                *("--exclude-path", "/admin/events", "--exclude-path", "/events", *ours),
                *(("-H", f"Authorization: {authorization}") if authorization else ()),
            ],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
    assert done.returncode == 0, done.stdout
