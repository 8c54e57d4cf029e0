"""``handfast webhooks listen`` and ``inbox-sql`` as people run them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg
import pytest

from handfast.services.outbound.sender import Sender
from handfast.services.webhooks.signing.secrets import SigningSecret, new_secret
from handfast.services.webhooks.signing.signature import sign

HANDFAST = [sys.executable, "-m", "handfast", "webhooks"]
SECRET = new_secret()
BODY = b'{"eventId":"e-1","eventType":"order.shipped","data":{"n":[1,"[bold]\\u001b[2J"]}}'


class Listening:
    def __init__(self, process: "subprocess.Popen[str]", url: str) -> None:
        self.process = process
        self.url = url

    def lines(self, count: int) -> list[str]:
        assert self.process.stdout is not None
        return [self.process.stdout.readline().rstrip("\n") for _ in range(count)]

    def stop(self) -> tuple[int, str]:
        self.process.send_signal(signal.SIGINT)
        assert self.process.stdout is not None
        rest = self.process.stdout.read()
        return self.process.wait(20), rest


@contextmanager
def listening(*options: str) -> Iterator[Listening]:
    process = subprocess.Popen(
        [*HANDFAST, "listen", "--port", "0", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert process.stdout is not None
    try:
        first = process.stdout.readline()
        assert first.startswith("Listening for webhooks at http://127.0.0.1:"), first
        yield Listening(process, first.split()[4])
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(10)
        process.stdout.close()


def signed(body: bytes = BODY, secret: str = SECRET) -> dict[str, str]:
    return sign([SigningSecret.parse(secret)], "msg_1", int(time.time()), body)


async def post(url: str, headers: dict[str, str], body: bytes = BODY) -> int:
    async with Sender(allow_private=True) as sender:
        return (await sender.post(url, headers, body)).status


async def test_for_programs_one_line_of_json_for_each() -> None:
    with listening("--secret", SECRET, "--json") as one:
        assert await post(one.url, signed()) == 200
        assert await post(one.url, signed()) == 200
        assert await post(one.url, signed(secret=new_secret())) == 401
        assert await post(one.url, signed(b"\xff"), b"\xff") == 200
        first, second, third, fourth = map(json.loads, one.lines(4))
        assert first["body"] == json.loads(BODY)
        assert (first["id"], first["verified"], first["problem"]) == ("msg_1", True, None)
        assert (first["answered"], first["attempt"], second["attempt"]) == (200, 1, 2)
        assert (third["verified"], third["answered"]) == (False, 401)
        assert "None of the 1 v1 signatures fits" in third["problem"]
        assert fourth["body"] == "�"
        assert one.stop() == (0, "")


async def test_for_people_a_line_and_the_body() -> None:
    with listening("--secret", SECRET) as one:
        await post(one.url, signed())
        await post(one.url, {})
        code, told = one.stop()
    assert code == 0
    assert "order.shipped msg_1 signature fits, answered 200" in told
    assert '"eventId": "e-1"' in told
    assert "[bold]" in told, "brackets are data"
    assert "\x1b" not in told, "nobody steers the terminal"
    assert "There is no webhook-id header" in told
    assert "answered 401" in told


async def test_without_a_secret_it_says_that_nothing_is_verified() -> None:
    with listening() as one:
        assert await post(one.url, {}) == 200
        _, told = one.stop()
    assert "Nothing is verified: pass --secret" in told
    assert "not verified, answered 200" in told


@pytest.mark.parametrize(
    ("options", "answers"),
    [
        (["--fail", "2"], [500, 500, 200, 200]),
        (["--fail", "1", "--status", "503"], [503, 200]),
        (["--status", "410"], [410, 410]),
        (["--status", "204"], [204, 204]),
    ],
    ids=str,
)
async def test_it_fails_as_it_is_told(options: list[str], answers: list[int]) -> None:
    with listening(*options) as one:
        assert [await post(one.url, {}) for _ in answers] == answers


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--secret", "whsec_short"], "24 to 64 bytes"),
        (["--status", "99"], "99 is no status"),
        (["--fail", "-1"], "--fail counts deliveries"),
    ],
)
def test_wrong_options_are_explained(options: list[str], said: str) -> None:
    done = subprocess.run(
        [*HANDFAST, "listen", "--port", "0", *options], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert said in done.stderr


async def test_the_printed_table_can_be_made(empty_dsn: str) -> None:
    done = subprocess.run(
        [*HANDFAST, "inbox-sql", "--table", "my_inbox"], capture_output=True, text=True, check=True
    )
    connection = await asyncpg.connect(empty_dsn)
    await connection.execute(done.stdout)
    assert await connection.fetchval("SELECT count(*) FROM my_inbox") == 0
    await connection.close()
    wrong = subprocess.run(
        [*HANDFAST, "inbox-sql", "--table", "My Inbox"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert wrong.returncode == 1
    assert "cannot be the inbox's table" in wrong.stderr
