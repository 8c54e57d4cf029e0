"""What a request of a signed-in user costs, beside an empty route and the bare database.

One process, no sockets: the whole application is called as a server would call it (ASGI), so that
what is compared is the same but for what we do. In rounds, one after the other, and the median of
the rounds is printed:

    empty    a route that anybody may call and that does nothing: the framework, and our middlewares
    key read, key update    one statement by primary key through the same pool, no HTTP at all
    read, update            the same statement behind `@policy(USER)`: `/users/me` where people are
                            switched on, else a route of this bench
    send                    a code that is asked for by known and by unknown numbers, in turns: the
                            times must not tell which is which

The bar: a read makes at least 0.6 of the requests of one that pays for the empty route and for two
key reads (who is signed in, and what was asked for), and the times of known and unknown numbers
differ by no more than chance (|z| < 4 by rank).

With --offers it measures something else, in a folder that ``bench/offers_days.py --folder`` has
left behind: offers that somebody reads, and an action on one, each of another user, beside a bare
read and a bare update of an offer by its key. A million people with a day of offers are there in
minutes with

    python bench/offers_days.py --folder FOLDER --people 1000000 --past 1 --days 0

    python bench/http_requests.py
    python bench/http_requests.py --offers FOLDER
    python bench/http_requests.py --seconds 0.3 --rounds 1 --sends 20   # does it run?
"""

import argparse
import asyncio
import itertools
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import uvloop
from litestar import Litestar, Request, get, patch
from litestar.datastructures import State

from handfast.base.logs import LogFormat, LogLevel, configure_logs
from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.migrations.migrate import migrate
from handfast.db.pool import Database
from handfast.edge.http.app import create_api, surrounded
from handfast.edge.http.policies import ANYONE, USER, policy
from handfast.edge.http.signed_in import signed_in
from handfast.engine.system import System
from handfast.services.idempotency import transaction
from handfast.services.identity.authority import TokenAuthority
from handfast.services.identity.otp.signing_in import sign_in
from handfast.wiring import chosen, load_settings

AT_ONCE = 4  # requests under way: the pool has more connections
SHARE = 0.6
Z_MAX = 4.0
READ = "SELECT id, phone, status, created_at FROM handfast_identity.accounts WHERE id = $1"
SOME_WITH_OFFERS = """
SELECT o.id, a.phone
FROM (SELECT DISTINCT ON (m.user_id) m.id, m.user_id
      FROM handfast_offers.match_offers AS m TABLESAMPLE SYSTEM (5)
      WHERE m.status = 'offered' AND m.expires_at > handfast_db.now()
      ORDER BY m.user_id LIMIT $1) AS o
JOIN handfast_identity.accounts AS a ON a.id = o.user_id"""
OFFER_READ = "SELECT * FROM handfast_offers.match_offers WHERE id = $1"
OFFER_UPDATE = "UPDATE handfast_offers.match_offers SET acted_at = now() WHERE id = $1"
UPDATE = "UPDATE handfast_identity.accounts SET last_active_at = now() WHERE id = $1"


@policy(ANYONE)
@get("/bench/empty", sync_to_thread=False)
def empty() -> dict[str, str]:
    return {}


@policy(USER)
@get("/bench/me")
async def me(request: Request[Any, Any, State], state: State) -> dict[str, str]:
    system: System = state.system
    async with system.database.connection() as connection:
        row = await connection.fetchrow(READ, signed_in(request).user_id)
    return {} if row is None else {"id": str(row[0]), "status": row[2]}


@policy(USER)
@patch("/bench/me")
async def change_me(request: Request[Any, Any, State]) -> dict[str, str]:
    async with transaction(request) as tx:
        await tx.execute(UPDATE, signed_in(request).user_id)
    return {}


class Caller:
    """Calls the application as a server does."""

    def __init__(self, api: Litestar) -> None:
        self._app: Any = surrounded(api)

    async def __call__(
        self, method: str, path: str, headers: dict[str, str], body: bytes = b""
    ) -> tuple[int, bytes]:
        raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        raw.append((b"content-length", str(len(body)).encode()))
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": raw,
            "client": ("203.0.113.1", 1),
            "server": ("127.0.0.1", 80),
            "scheme": "http",
            "root_path": "",
            "state": {},
        }
        status, answered = 0, b""

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            nonlocal status, answered
            status = message.get("status", status)
            answered += message.get("body", b"")

        await self._app(scope, receive, send)
        return status, answered


async def rate(call: Callable[[], Awaitable[Any]], seconds: float) -> float:
    """Calls a second, several at once."""
    done, end = 0, time.perf_counter() + seconds

    async def one() -> None:
        nonlocal done
        while time.perf_counter() < end:
            await call()
            done += 1

    started = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(AT_ONCE)))
    return done / (time.perf_counter() - started)


async def rates(api: Litestar, seconds: float, rounds: int) -> dict[str, float]:
    system: System = api.state.system
    database = system.database
    authority: TokenAuthority = api.state.shared["identity"]
    async with database.transaction() as tx:
        made = await sign_in(tx, system.hooks, authority.secret, "+4915123456789")
        token = await authority.issue(tx, made.user_id, made.sign_in_id)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    caller, mine = Caller(api), "/users/me" if api.state.routes.of("GET", "/users/me") else ""
    path, body = (mine, b'{"bio": "hello"}') if mine else ("/bench/me", b"{}")

    async def bare(sql: str) -> None:
        async with database.connection() as connection:
            await connection.fetchrow(sql, made.user_id)

    async def ask(method: str, where: str, sent: bytes = b"") -> None:
        status, answered = await caller(method, where, headers, sent)
        if status != 200:
            raise SystemExit(f"{method} {where} answered {status}: {answered.decode()}")

    calls: dict[str, Callable[[], Awaitable[Any]]] = {
        "empty": lambda: ask("GET", "/bench/empty"),
        "key read": lambda: bare(READ),
        "key update": lambda: bare(UPDATE),
        "read": lambda: ask("GET", path),
        "update": lambda: ask("PATCH", path, body),
    }
    found: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        await call()
    for _ in range(rounds):
        for name, call in calls.items():
            found[name].append(await rate(call, seconds))
    return {name: statistics.median(each) for name, each in found.items()}


async def send_times(api: Litestar, sends: int) -> tuple[list[float], list[float]]:
    """Milliseconds of codes that known and unknown numbers ask for, in turns."""
    system: System = api.state.system
    authority: TokenAuthority = api.state.shared["identity"]
    caller = Caller(api)
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(2 * sends):
        known = number % 2 == 0
        national = f"1512{number:07}"
        if known:
            async with system.database.transaction() as tx:
                await sign_in(tx, system.hooks, authority.secret, f"+49{national}")
        body = json.dumps({"countryCode": "49", "phoneNumber": national}).encode()
        headers = {"Idempotency-Key": str(uuid4()), "Content-Type": "application/json"}
        started = time.perf_counter()
        status, answered = await caller("POST", "/auth/otp/send", headers, body)
        times[not known].append((time.perf_counter() - started) * 1000)
        if status != 200:
            raise SystemExit(f"a send answered {status}: {answered.decode()}")
    return times


async def offer_rates(api: Litestar, seconds: float, users: int) -> dict[str, float]:
    """Of users who are drawn from all of them. Each offer is acted on once."""
    system: System = api.state.system
    database, authority, caller = system.database, api.state.shared["identity"], Caller(api)
    async with database.connection() as connection:
        drawn = await connection.fetch(SOME_WITH_OFFERS, users)
    tokens: dict[str, dict[str, str]] = {}
    for phone in {row["phone"] for row in drawn}:
        async with database.transaction() as tx:
            made = await sign_in(tx, system.hooks, authority.secret, phone)
            token = await authority.issue(tx, made.user_id, made.sign_in_id)
        tokens[phone] = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    whose, readers = iter(drawn), itertools.cycle(tokens.values())
    ids = itertools.cycle([row["id"] for row in drawn])

    async def bare(sql: str) -> None:
        async with database.connection() as connection:
            await connection.fetchrow(sql, next(ids))

    async def ask(method: str, where: str, headers: dict[str, str], sent: bytes = b"") -> None:
        status, answered = await caller(method, where, headers, sent)
        if status != 200:
            raise SystemExit(f"{method} {where} answered {status}: {answered.decode()}")

    async def act() -> None:
        offer = next(whose)
        headers = {**tokens[offer["phone"]], "Idempotency-Key": str(uuid4())}
        path = f"/matches/offers/{offer['id']}/action"
        await ask("POST", path, headers, b'{"action": "accept"}')

    found = {
        "empty": await rate(lambda: ask("GET", "/bench/empty", {}), seconds),
        "key read": await rate(lambda: bare(OFFER_READ), seconds),
        "key update": await rate(lambda: bare(OFFER_UPDATE), seconds),
        "read": await rate(lambda: ask("GET", "/matches/offers", next(readers)), seconds),
    }
    began, count = time.perf_counter(), len(drawn) // AT_ONCE

    async def some() -> None:
        for _ in range(count):
            await act()

    await asyncio.gather(*(some() for _ in range(AT_ONCE)))
    found["action"] = AT_ONCE * count / (time.perf_counter() - began)
    return found


async def offers(options: argparse.Namespace) -> int:
    configure_logs(LogLevel.ERROR, LogFormat.TEXT)
    settings = load_settings(
        identity_secret="a-secret-of-the-bench-that-guards-nobody"  # noqa: S106
    )
    with EmbeddedServer(options.offers) as server:
        target = Target(server.dsn())
        async with await Database.open(target) as database:
            await migrate(database)
            async with database.connection() as connection:
                people = await connection.fetchval("SELECT count(*) FROM handfast_people.users")
            system = System(settings, database, target, chosen())
            api = create_api(system, "hf_admin_of_the_bench", routes=[empty])
            figures = await offer_rates(api, options.seconds, options.users)
    print(f"{people:,} people")
    for name, found in figures.items():
        print(f"{name:12} {found:9,.0f} /s")
    print(
        f"GET /matches/offers: {figures['read'] / figures['key read']:.2f} of a bare read,", end=" "
    )
    print(f"an action {figures['action'] / figures['key update']:.2f} of a bare update")
    reads = 1 / (1 / figures["empty"] + 4 / figures["key read"])
    print(
        f"and {figures['read'] / reads:.2f} of an empty route and four key reads: who is signed",
        end="",
    )
    print(" in, which day it is there, where they stand, what is shown")
    return 0


def z_of(first: list[float], second: list[float]) -> float:
    """Mann and Whitney's, by ranks: how surprised one should be if both were the same."""
    ranks = np.argsort(np.argsort(np.array(first + second))) + 1.0
    n, m = len(first), len(second)
    u = ranks[:n].sum() - n * (n + 1) / 2
    return float((u - n * m / 2) / np.sqrt(n * m * (n + m + 1) / 12))


async def main(options: argparse.Namespace) -> int:
    configure_logs(LogLevel.ERROR, LogFormat.TEXT)
    settings = load_settings(
        identity_secret="a-secret-of-the-bench-that-guards-nobody",  # noqa: S106
        **{f"otp_{who}_limit": 1_000_000 for who in ("address", "prefix", "country")},
    )
    with (
        tempfile.TemporaryDirectory(prefix="bench-http-") as folder,
        EmbeddedServer(Path(folder) / "server") as server,
    ):
        target = Target(server.app_dsn())
        async with await Database.open(target) as database:
            await migrate(database)
            system = System(settings, database, target, chosen())
            api = create_api(system, "hf_admin_of_the_bench", routes=[empty, me, change_me])
            figures = await rates(api, options.seconds, options.rounds)
            times = await send_times(api, options.sends)
    return report(figures, times)


def report(figures: dict[str, float], times: tuple[list[float], list[float]]) -> int:
    for name, found in figures.items():
        print(f"{name:12} {found:9,.0f} /s")
    reachable = 1 / (1 / figures["empty"] + 2 / figures["key read"])
    share = figures["read"] / reachable
    print(f"read: {figures['read'] / figures['empty']:.2f} of an empty route,", end=" ")
    print(f"{share:.2f} of an empty route and two key reads (bar: {SHARE})")
    writable = 1 / (1 / figures["empty"] + 1 / figures["key read"] + 1 / figures["key update"])
    print(f"update: {figures['update'] / writable:.2f} of an empty route, a read and an update")
    z = z_of(*times)
    medians = [statistics.median(one) for one in times]
    print(f"send: known {medians[0]:.2f} ms, unknown {medians[1]:.2f} ms, z {z:+.1f}", end=" ")
    print(f"(bar: {Z_MAX})")
    return 0 if share >= SHARE and abs(z) < Z_MAX else 2


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="What a request of a signed-in user costs.")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each figure in each round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sends", type=int, default=500, help="of known and of unknown numbers")
    parser.add_argument("--offers", type=Path, metavar="FOLDER", help="what offers cost, in there")
    parser.add_argument("--users", type=int, default=500, help="who read their offers and act")
    chosen_options = parser.parse_args()
    sys.exit(uvloop.run(offers(chosen_options) if chosen_options.offers else main(chosen_options)))
