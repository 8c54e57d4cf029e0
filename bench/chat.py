"""What a message costs, beside a bare insert with a durable commit; and how soon the other side
hears of it.

One process, no sockets: the whole application is called as a server would call it (ASGI), with what
stands around it: the token, the limits, the idempotency key, the record that is committed with the
message. In rounds, one after the other; the median of the rounds is printed:

    insert   one row of the same width through the same pool, committed by itself, flushed
    message  `POST /matches/{id}/messages`, a new key and a new clientMessageId each

    hear     from the call of `POST …/messages` to the event on the other side's stream, one message
             at a time, p50 and p95

The aim is 0.6 of the inserts. Both write to one disk: with many at once it is shared by both.

    python bench/chat.py
    python bench/chat.py --seconds 0.3 --rounds 1 --heard 5   # does it run?
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import uvloop
from litestar import Litestar

from bench.http_requests import Caller
from handfast.base.logs import LogFormat, LogLevel, configure_logs
from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from handfast.edge.http.app import create_api
from handfast.engine.host import Host
from handfast.engine.system import System
from handfast.services.identity.authority import TokenAuthority
from handfast.services.identity.otp.signing_in import sign_in
from handfast.wiring import chosen, load_settings

AIM = 0.6
PAIRS = 16  # that write at once: one pair's messages come one after the other
TABLE = """
CREATE TABLE public.bench_messages (id uuid PRIMARY KEY, match_id uuid, sender_id uuid,
    number bigint, created_at timestamptz, content text, client_message_id text)"""
INSERT = "INSERT INTO public.bench_messages VALUES ($1, $2, $3, 1, now(), $4, $5)"
MATCH = """
INSERT INTO handfast_offers.matches (id, low_id, high_id, created_at)
VALUES ($1, least($2::uuid, $3::uuid), greatest($2::uuid, $3::uuid), now())"""
CONTENT = "Shall we meet at the lake on Saturday, if the weather holds?"


class Writer:
    """Somebody with a match."""

    def __init__(
        self, api: Litestar, token: str, match_id: UUID, user: UUID, partner: UUID
    ) -> None:
        self.user, self.partner, self.match_id = user, partner, match_id
        self._caller, self._token = Caller(api), token

    async def send(self, number: int) -> None:
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Content-Type": "application/json",
            "Idempotency-Key": str(uuid4()),
        }
        body = json.dumps({"content": CONTENT, "clientMessageId": f"c-{number}"}).encode()
        path = f"/matches/{self.match_id}/messages"
        status, answered = await self._caller("POST", path, headers, body)
        if status != 201:
            raise SystemExit(f"{path} answered {status}: {answered.decode()}")


async def writers(api: Litestar) -> list[Writer]:
    system: System = api.state.system
    authority: TokenAuthority = api.state.shared["identity"]
    made = []
    async with system.database.transaction() as tx:
        for pair in range(PAIRS):
            people = [
                await sign_in(tx, system.hooks, authority.secret, f"+49151{2 * pair + n:08}")
                for n in (1, 2)
            ]
            token = await authority.issue(tx, people[0].user_id, people[0].sign_in_id)
            match_id = uuid4()
            await tx.execute(MATCH, match_id, people[0].user_id, people[1].user_id)
            made.append(Writer(api, token, match_id, people[0].user_id, people[1].user_id))
    return made


async def rate(calls: list[Any], seconds: float) -> float:
    """Calls a second, each of ``calls`` one after the other, all of them at once."""
    numbers, end = count(), time.perf_counter() + seconds
    done = 0

    async def one(call: Any) -> None:
        nonlocal done
        while time.perf_counter() < end:
            await call(next(numbers))
            done += 1

    started = time.perf_counter()
    await asyncio.gather(*(one(call) for call in calls))
    return done / (time.perf_counter() - started)


async def hear(host: Host, writer: Writer, messages: int) -> list[float]:
    """Milliseconds from the call to the event on the other side's stream."""
    times: list[float] = []
    async with host.listener:
        stream = await host.hub.stream_of_user(writer.partner)
        reading = stream.messages()
        for number in range(messages):
            started = time.perf_counter()
            await writer.send(-1 - number)
            while True:
                message = await anext(reading)
                if message is not None:
                    break
            times.append((time.perf_counter() - started) * 1000)
            await asyncio.sleep(1.0)  # people do not write twice a second
        stream.close()
    return times


async def main(options: argparse.Namespace) -> int:
    configure_logs(LogLevel.ERROR, LogFormat.TEXT)
    settings = load_settings(
        identity_secret="a-secret-of-the-bench-that-guards-nobody",  # noqa: S106
        chat_messages_per_minute=10_000,
        chat_messages_per_hour=100_000,
    )
    with (
        tempfile.TemporaryDirectory(prefix="bench-chat-") as folder,
        EmbeddedServer(Path(folder) / "server") as server,
    ):
        target = Target(server.app_dsn())
        async with await Database.open(target) as database:
            await migrate(database)
            system = System(settings, database, target, chosen())
            host = Host(database, target)
            api = create_api(system, "hf_admin_of_the_bench", host=host)
            everybody = await writers(api)
            async with database.transaction() as tx:
                await tx.execute(TABLE)

            def insert(writer: Writer) -> Any:
                async def bare(number: int) -> None:
                    row = (uuid4(), writer.match_id, writer.user, CONTENT, f"c-{number}")
                    async with database.connection() as connection:
                        await connection.execute(INSERT, *row)

                return bare

            bare = [insert(writer) for writer in everybody]
            sent = [writer.send for writer in everybody]
            await asyncio.gather(*(call(0) for call in bare))
            offset = 0
            found: dict[str, list[float]] = {"insert": [], "message": []}
            for _ in range(options.rounds):
                found["insert"].append(await rate(bare, options.seconds))
                offset += 1_000_000
                moved = [_from(call, offset) for call in sent]
                found["message"].append(await rate(moved, options.seconds))
            times = await hear(host, everybody[0], options.heard)
    return report({name: statistics.median(each) for name, each in found.items()}, times)


def _from(call: Any, offset: int) -> Any:
    return lambda number: call(offset + number)


def report(figures: dict[str, float], times: list[float]) -> int:
    for name, found in figures.items():
        print(f"{name:12} {found:9,.0f} /s")
    share = figures["message"] / figures["insert"]
    print(f"message: {share:.2f} of a bare insert with a durable commit (aim: {AIM})")
    if times:
        ordered = sorted(times)
        p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
        print(
            f"hear: p50 {statistics.median(times):.1f} ms, p95 {p95:.1f} ms, {len(times)} messages"
        )
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="What a message costs, and how soon it is heard.")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each figure in each round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--heard", type=int, default=40)
    sys.exit(uvloop.run(main(parser.parse_args())))
