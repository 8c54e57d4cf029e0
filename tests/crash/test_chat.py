"""A server that is killed under traffic: whoever writes tries again, whoever listens goes on after
the last number, and ends with exactly what was acknowledged."""

import asyncio
import contextlib
import json
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2

from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.pool import Database
from tests.support.eventually import eventually_async
from tests.support.matched import match_up
from tests.support.people import key
from tests.support.up import Up

MESSAGES = 60
KILLED_AFTER = (15, 40)
NUMBERS = {"5005550006": "+15005550006", "5005550009": "+15005550009"}
SETTINGS = {
    "HANDFAST_TEST_NUMBERS": ",".join(f"{number}=123456" for number in NUMBERS.values()),
    "HANDFAST_CHAT_MESSAGES_PER_MINUTE": "10000",
    "HANDFAST_CHAT_MESSAGES_PER_HOUR": "10000",
}


async def sign_in(url: str, number: str) -> tuple[UUID, dict[str, str]]:
    async with httpx2.AsyncClient(base_url=url, timeout=60) as client:
        body: dict[str, Any] = {"countryCode": "1", "phoneNumber": number}
        sent = await client.post("/auth/otp/send", json=body, headers=key())
        body = {"requestId": sent.json()["requestId"], "code": "123456"}
        done = (await client.post("/auth/otp/verify", json=body, headers=key())).json()
    return UUID(done["user"]["id"]), {"Authorization": f"Bearer {done['accessToken']}"}


class Writer:
    """Sends one message after the other, each until it is acknowledged."""

    def __init__(self, bearer: dict[str, str], match_id: UUID) -> None:
        self.url = ""
        self.acknowledged: list[str] = []
        self._bearer, self._path = bearer, f"/matches/{match_id}/messages"

    async def run(self) -> None:
        async with httpx2.AsyncClient(timeout=60) as client:
            for number in range(MESSAGES):
                body = {"content": f"message {number}", "clientMessageId": f"c-{number}"}
                await eventually_async(partial(self._sent, client, body), within=300)

    async def _sent(self, client: httpx2.AsyncClient, body: dict[str, str]) -> bool:
        """With a new key each time: it is the id of the message that makes it one."""
        try:
            answer = await client.post(
                f"{self.url}{self._path}", json=body, headers={**self._bearer, **key()}
            )
        except httpx2.TransportError:
            return False
        if answer.status_code in (200, 201):
            self.acknowledged.append(answer.json()["id"])
            return True
        assert answer.status_code >= 500, answer.text
        return False


class Listener:
    """Reads the stream, and goes on after the last number that it has seen."""

    def __init__(self, bearer: dict[str, str]) -> None:
        self.url = ""
        self.seen: list[str] = []
        self.connections = 0
        self._bearer, self._last = bearer, "0"

    async def run(self) -> None:
        async with httpx2.AsyncClient(timeout=60) as client:
            while True:
                with contextlib.suppress(httpx2.TransportError):
                    await self._listen(client)
                await asyncio.sleep(0.05)

    async def _listen(self, client: httpx2.AsyncClient) -> None:
        headers = {**self._bearer, "Last-Event-ID": self._last}
        async with client.stream("GET", f"{self.url}/events", headers=headers) as stream:
            self.connections += stream.status_code == 200
            number = ""
            async for line in stream.aiter_lines():
                name, _, value = line.partition(": ")
                if name == "id":
                    number = value
                elif name == "data" and number:
                    event = json.loads(value)
                    assert event["eventType"] == "chat.message_sent"
                    self.seen.append(event["data"]["messageId"])
                    self._last, number = number, ""


async def chat_through_kills(data_dir: Path) -> tuple[Writer, Listener]:
    up = Up(data_dir, **SETTINGS)
    await asyncio.to_thread(up.__enter__)
    tasks: list[asyncio.Task[None]] = []
    try:
        ada, adas = await sign_in(up.url, "5005550006")
        bob, bobs = await sign_in(up.url, "5005550009")
        server = EmbeddedServer(data_dir)
        await asyncio.to_thread(server.start)
        try:
            async with await Database.open(Target(server.app_dsn())) as database:
                match_id = await match_up(database, ada, bob)
        finally:
            await asyncio.to_thread(server.stop)
        writer, listener = Writer(adas, match_id), Listener(bobs)
        writer.url = listener.url = up.url
        tasks = [asyncio.create_task(one.run()) for one in (writer, listener)]
        for after in KILLED_AFTER:

            async def enough(after: int = after) -> bool:
                return len(writer.acknowledged) >= after and listener.connections > 0

            await eventually_async(enough, within=300)
            await asyncio.to_thread(up.kill)
            up = Up(data_dir, **SETTINGS)
            await asyncio.to_thread(up.__enter__)
            writer.url = listener.url = up.url
        await tasks[0]

        async def all_seen() -> bool:
            return len(listener.seen) >= MESSAGES

        await eventually_async(all_seen, within=300)
        return writer, listener
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.to_thread(up.__exit__, None, None, None)


def test_everybody_ends_with_what_was_acknowledged(tmp_path: Path) -> None:
    writer, listener = asyncio.run(chat_through_kills(tmp_path / "data"))
    assert len(set(writer.acknowledged)) == MESSAGES, "each once"
    assert listener.seen == writer.acknowledged, "exactly these, in order, none twice"
    assert listener.connections >= 1 + len(KILLED_AFTER)
