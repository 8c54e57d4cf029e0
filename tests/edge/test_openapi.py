"""The API's description is true: schemathesis calls everything with everything it can think of."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import Request, urlopen
from uuid import uuid4

import pytest

from tests.support.chance import seed_of
from tests.support.up import Up

TOKEN = "hf_admin_for_the_tests_only"
GAME_TOKEN = "hf_game_for_the_tests_only"

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
include-path-regex = "^/admin/players/[^/]+/(refunds|withdrawals|ledger)$"
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

# Stakes come in steps, a cursor of pages is ours, a move has a size: no schema says these either.
[[operations]]
include-path-regex = "^/(stakes|players|sessions)"
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "402", "403", "404", "409", "422", "429"]

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


# It guesses tokens too, and must not be held back for it: it would see nothing but 429.
SETTINGS = {
    "HANDFAST_ADMIN_TOKEN": TOKEN,
    "HANDFAST_GAME_TOKEN": GAME_TOKEN,
    "HANDFAST_OPERATOR_LOGIN_LIMIT": "1000000",
    "HANDFAST_MATCH_RUN_LIMIT": "1000000",
    "HANDFAST_CHAT_MESSAGES_PER_MINUTE": "10000",
    "HANDFAST_CHAT_MESSAGES_PER_HOUR": "100000",
    "HANDFAST_TEST_NUMBERS": "+15005550006=123456",
    **{f"HANDFAST_OTP_{who}_LIMIT": "1000000" for who in ("ADDRESS", "PREFIX", "COUNTRY")},
}
NUMBER = {"countryCode": "1", "phoneNumber": "5005550006"}
# Streams without an end, which tests/edge/test_admin_http.py and tests/edge/chat read; and what
# would sign the user out, after which nothing would be tried any more.
ELSEWHERE = {"adminEvents", "events", "logout", "sessionEnd", "meDelete"}
# Few are enough to see that a description is true; ``--random-seed`` looks for what is rare.
EXAMPLES, EXAMPLES_AT_RANDOM = 8, 25


def posted(url: str, body: dict[str, str]) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid4())}
    with urlopen(Request(url, json.dumps(body).encode(), headers), timeout=120) as answer:
        return dict(json.load(answer))


def signed_in(up: Up) -> str:
    """As an app does it."""
    sent = posted(f"{up.url}/auth/otp/send", NUMBER)
    said = {"requestId": sent["requestId"], "code": "123456"}
    return posted(f"{up.url}/auth/otp/verify", said)["accessToken"]


# Whom an operation lets in. Whoever is not is refused everywhere, and told so as it is described:
# tests/edge/test_route_callers.py.
NOBODY, OPERATOR, USER, GAME_SERVER = CALLERS = "nobody", "operator", "user", "game_server"


class Described(NamedTuple):
    """A running server, the tokens that it takes, and which operations each of them is for."""

    url: str
    tokens: dict[str, str]
    operations: dict[str, list[str]]


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Described]:
    with Up(tmp_path_factory.mktemp("described") / "data", **SETTINGS) as up:
        # The first is made, which takes a while on a busy machine; the tool waits for ten seconds.
        with urlopen(f"{up.url}/openapi.json", timeout=120) as answer:
            paths: dict[str, Any] = json.load(answer)["paths"]
        operations: dict[str, list[str]] = {}
        for methods in paths.values():
            for one in methods.values():
                if one["operationId"] in ELSEWHERE:
                    continue
                for [who] in one.get("security") or [{NOBODY: []}]:
                    operations.setdefault(who, []).append(one["operationId"])
        tokens = {OPERATOR: TOKEN, GAME_SERVER: GAME_TOKEN, USER: signed_in(up)}
        yield Described(up.url, tokens, operations)


@pytest.mark.long
@pytest.mark.hypothesis
@pytest.mark.parametrize("phases", PHASES)
@pytest.mark.parametrize("who", CALLERS)
def test_the_description_is_true(
    tmp_path: Path, described: Described, who: str, phases: str, pytestconfig: pytest.Config
) -> None:
    (tmp_path / "schemathesis.toml").write_text(PHASES[phases])
    token = described.tokens.get(who)
    at_random = pytestconfig.getoption("--random-seed") is not None
    done = subprocess.run(
        [
            *(Path(sys.executable).parent / "schemathesis", "--no-color", "run"),
            *(f"{described.url}/openapi.json", "--seed", seed_of(pytestconfig)),
            *("--request-timeout", "120"),  # it is not about speed
            *("--max-examples", str(EXAMPLES_AT_RANDOM if at_random else EXAMPLES)),
            *("--phases", phases),
            *(w for one in described.operations[who] for w in ("--include-operation-id", one)),
            *(("-H", f"Authorization: Bearer {token}") if token else ()),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout
    tested = re.search(r"Tested: (\d+)", done.stdout)
    assert tested, done.stdout
    assert int(tested[1]) == len(described.operations[who])


def test_every_operation_is_tried(described: Described) -> None:
    tried = {one for who in CALLERS for one in described.operations[who]}
    others = {who: set(ones) - tried for who, ones in described.operations.items()}
    assert {who: ones for who, ones in others.items() if ones} == {}
