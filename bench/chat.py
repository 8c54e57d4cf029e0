"""What a message costs, beside a bare insert with a durable commit; and how soon the other side
hears of it.

One process, no sockets: the whole application is called as a server would call it (ASGI), with what
stands around it: the token, the limits, the idempotency key, the record that is committed with the
message. In rounds, one after the other; the median of the rounds is printed:

    insert   one row of the same width through the same pool, committed by itself, flushed
    alone    the message's own statement, committed by itself: the pair is held, the message has its
             number, both sides have an event on their streams. Nothing around it can be faster
    empty    a route that anybody may call and that does nothing: no route can be faster, and a
             message would have to be, to reach the aim
    message  `POST /matches/{id}/messages`, a new key and a new clientMessageId each

    hear     from the call of `POST …/messages` to the event on the other side's stream, p50 and
             p95: one message a second, as two people write; and while the other pairs write as fast
             as they can, when the hub looks twice a second for all of them

Round trips for one message are counted by tests/edge/chat/test_messages.py.

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

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.http_requests import Caller, empty
from handfast.base.logs import LogFormat, LogLevel, configure_logs
from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from handfast.edge.http.app import create_api
from handfast.engine.host import Host
from handfast.engine.streams.stream import EventStream
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
ALONE = "SELECT * FROM handfast_chat.send_message($1, $2, $3, $4, $5)"
MATCH = """
INSERT INTO handfast_offers.matches (id, low_id, high_id, created_at)
VALUES ($1, least($2::uuid, $3::uuid), greatest($2::uuid, $3::uuid), now())"""
_NUMBERS = count(10**9)  # of messages whose place in a round does not matter
CONTENT = "Shall we meet at the lake on Saturday, if the weather holds?"


class Writer:
    """Somebody with a match."""

    def __init__(
        self, caller: Caller, token: str, match_id: UUID, user: UUID, partner: UUID
    ) -> None:
        self.user, self.partner, self.match_id = user, partner, match_id
        self._caller, self._token = caller, token

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


async def writers(api: Litestar, caller: Caller) -> list[Writer]:
    """All call one application: around each there is a store of keys, with a connection of its
    own, and the claims of one process share statements."""
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
            made.append(Writer(caller, token, match_id, people[0].user_id, people[1].user_id))
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


async def hear(host: Host, writer: Writer, messages: int, pause: float) -> list[float]:
    """Milliseconds from the call to the event on the other side's stream."""
    times: list[float] = []
    stream = await host.hub.stream_of_user(writer.partner)
    reading = stream.messages()
    for _ in range(messages):
        await asyncio.sleep(pause)
        started = time.perf_counter()
        await writer.send(next(_NUMBERS))
        while await anext(reading) is None:
            pass
        times.append((time.perf_counter() - started) * 1000)
    stream.close()
    return times


async def hear_busy(host: Host, everybody: list[Writer], messages: int) -> list[float]:
    """The first pair, while the others write without end."""

    async def write(writer: Writer) -> None:
        while True:
            await writer.send(next(_NUMBERS))

    others = [asyncio.create_task(write(writer)) for writer in everybody[1:]]
    # Somebody has to hear them, or the hub would have nothing to find.
    streams = [await host.hub.stream_of_user(writer.partner) for writer in everybody[1:]]
    heard = [asyncio.create_task(_read(stream)) for stream in streams]
    try:
        return await hear(host, everybody[0], messages, pause=0.1)
    finally:
        for task in others:
            task.cancel()
        for stream in streams:
            stream.close()
        await asyncio.gather(*others, *heard, return_exceptions=True)


async def _read(stream: EventStream) -> None:
    async for _ in stream.messages():
        pass


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
            api = create_api(system, "hf_admin_of_the_bench", host=host, routes=[empty])
            caller = Caller(api)
            everybody = await writers(api, caller)
            async with database.transaction() as tx:
                await tx.execute(TABLE)

            def insert(writer: Writer) -> Any:
                async def bare(number: int) -> None:
                    row = (uuid4(), writer.match_id, writer.user, CONTENT, f"c-{number}")
                    async with database.connection() as connection:
                        await connection.execute(INSERT, *row)

                return bare

            def alone(writer: Writer) -> Any:
                async def send(number: int) -> None:
                    row = (uuid4(), writer.match_id, writer.user, CONTENT, f"a-{number}")
                    async with database.connection() as connection:
                        await connection.fetchrow(ALONE, *row)

                return send

            bare = [insert(writer) for writer in everybody]
            function = [alone(writer) for writer in everybody]
            sent = [writer.send for writer in everybody]
            nothing = [_asks_nothing(caller)] * PAIRS
            await asyncio.gather(*(call(0) for call in bare))
            offset = 0
            found: dict[str, list[float]] = {
                name: [] for name in ("insert", "alone", "empty", "message")
            }
            busy = 0.0
            for _ in range(options.rounds):
                found["insert"].append(await rate(bare, options.seconds))
                offset += 1_000_000
                moved = [_from(call, offset) for call in function]
                found["alone"].append(await rate(moved, options.seconds))
                found["empty"].append(await rate(nothing, options.seconds))
                moved, began = [_from(call, offset) for call in sent], time.process_time()
                found["message"].append(await rate(moved, options.seconds))
                busy += time.process_time() - began
            own = busy * 1000 / sum(each * options.seconds for each in found["message"])
            print(f"own time of this process: {own:.2f} ms a message")
            async with host.listener:
                times = {
                    "one message a second": await hear(host, everybody[0], options.heard, 1.0),
                    "many at once": await hear_busy(host, everybody, options.heard),
                }
            await host.hub.close()
    return report({name: statistics.median(each) for name, each in found.items()}, times)


def _asks_nothing(caller: Caller) -> Any:
    async def ask(_: int) -> None:
        await caller("GET", "/bench/empty", {})

    return ask


def _from(call: Any, offset: int) -> Any:
    return lambda number: call(offset + number)


def report(figures: dict[str, float], times: dict[str, list[float]]) -> int:
    for name, found in figures.items():
        print(f"{name:12} {found:9,.0f} /s")
    print(f"alone: {figures['alone'] / figures['insert']:.2f} of a bare insert")
    print(f"empty route: {figures['empty'] / figures['insert']:.2f} of a bare insert")
    share = figures["message"] / figures["insert"]
    print(f"message: {share:.2f} of a bare insert with a durable commit (aim: {AIM})")
    for how, each in times.items():
        ordered = sorted(each)
        p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
        p50 = statistics.median(each)
        print(f"hear, {how}: p50 {p50:.1f} ms, p95 {p95:.1f} ms, {len(each)} messages")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="What a message costs, and how soon it is heard.")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each figure in each round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--heard", type=int, default=40)
    sys.exit(uvloop.run(main(parser.parse_args())))
