"""What the dashboard's pages cost when there are millions of jobs and a million users.

Every address that a page asks, of the API in this process, among 5,000 jobs and users and among
5,000,000 jobs and 1,000,000 users, in two databases of one embedded server that take turns. The
jobs are those of ``bench/operating.py``; the users have accounts and profiles, each has staked and
played, each was told of by a webhook. The bars: at the large size at most 100 ms each (the median),
at most 3 times as much as at the small one, and as many statements.

    python bench/dashboard.py                                   # some minutes, some gigabytes
    python bench/dashboard.py --jobs 50000 --users 10000        # does it run?
    python bench/dashboard.py --jobs 5000 --pages people stakes # those whose size is the users'
    python bench/dashboard.py --open 10                         # what an open page costs

An answer takes the whole way: token, statements, JSON. Statements are counted where the driver
sends them. An answer that takes less than 2 ms at the small size is compared with 2 ms: below that
a ratio says more about the machine than about the answer. A miss is printed, and the exit is 1.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import asyncpg
import httpx2
import uvloop
from pydantic import SecretStr

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.open_pages import pages_open
from bench.operating import FLOOR, LARGE, MILLISECONDS_MAX, RATIO_MAX, ROUNDS, SMALL, Office
from handfast.apps.people.views import NamedPlace
from handfast.base.logs import LogFormat, LogLevel, configure_logs
from handfast.db.connect import Target
from handfast.db.embedded import EmbeddedServer
from handfast.db.pool import Database
from handfast.edge.http.app import create_api, surrounded
from handfast.engine.system import System
from handfast.wiring import chosen, load_settings

USERS = 1_000_000
TOKEN = "hf_admin_of_the_bench"  # noqa: S105 - of a server that lives for minutes

# Who has the number n has the id that is n in hexadecimal.
PEOPLE = """
    WITH made AS (
        INSERT INTO handfast_identity.accounts (id, created_at, last_active_at, phone)
        SELECT lpad(to_hex(g), 32, '0')::uuid, now() - g * interval '1 s', now(),
               '+4915' || lpad(g::text, 9, '0')
        FROM generate_series(1, $1::int) AS g
        RETURNING id, created_at
    )
    INSERT INTO handfast_people.users (id, created_at, updated_at, display_name)
    SELECT id, created_at, created_at, 'Name ' || left(id::text, 8) FROM made
"""
SESSIONS = """
    INSERT INTO handfast_stakes.game_sessions (
        stake, created_at, expires_at, started_at, settled_at, player1, player2, winner, status,
        result, token, currency
    )
    SELECT 1000, at, at + interval '1 h', at, at, one, other, one, 'settled', 'win', 's' || g, 'EUR'
    FROM (
        SELECT g, now() - ($1::int - g) * interval '1 s' AS at,
               lpad(to_hex(2 * g - 1), 32, '0')::uuid AS one,
               lpad(to_hex(2 * g), 32, '0')::uuid AS other
        FROM generate_series(1, $1::int / 2) AS g
    ) AS n
"""
TICKETS = """
    INSERT INTO handfast_stakes.matchmaking_queue (
        stake_amount, fee, transfer_id, hold_id, session_id, created_at, queued_at, expires_at,
        matched_at, ended_at, player_id, status, currency, line
    )
    SELECT 1000, 100, g, g, (g + 1) / 2, s.created_at, s.created_at, s.expires_at, s.created_at,
           s.settled_at, lpad(to_hex(g), 32, '0')::uuid, 'matched', 'EUR',
           nextval('handfast_stakes.lines')
    FROM generate_series(1, $1::int) AS g
    JOIN handfast_stakes.game_sessions AS s ON s.id = (g + 1) / 2
"""
DELIVERIES = """
    INSERT INTO handfast_webhooks.attempts (
        endpoint_id, event_id, event_type, job_id, attempt, outcome, seconds, at
    )
    SELECT lpad(to_hex(g % 50), 32, '0')::uuid, gen_random_uuid(), 'match.created', g, 1,
           CASE WHEN g % 100 = 0 THEN 'failed' ELSE 'delivered' END, 0.1,
           now() - ($1::int - g) * interval '1 s'
    FROM generate_series(1, $1::int) AS g
"""

# Of a user of the small one, after whom there are many more in the large one.
FAR_ON = NamedPlace(UUID(int=4_000), "Name 00000000").cursor()

Address = Callable[[Office], str]


def fixed(path: str) -> Address:
    return lambda _office: path


# By page. What repeats (who is signed in, pauses) stands with the first page that asks it.
PAGES: dict[str, list[Address]] = {
    "overview": [
        *map(fixed, ("/admin/dashboard", "/admin/stats", "/admin/figures", "/admin/workers")),
        *map(fixed, ("/admin/system", "/admin/pauses", "/admin/offers/zones?date=2026-11-17")),
    ],
    "jobs": [
        *map(fixed, ("/admin/jobs", "/admin/jobs?state=ready", "/admin/jobs?kind=bench.3")),
        fixed("/admin/jobs?key=e0000"),
        lambda office: f"/admin/identity?job={office.ids['dead']}",
        lambda office: f"/admin/jobs/{office.ids['scheduled']}/why",
    ],
    "dead": [fixed("/admin/dead"), fixed("/admin/dead?kind=bench.3"), fixed("/admin/bulk")],
    "schedules": [
        *map(fixed, ("/admin/schedules", "/admin/figures/ticks", "/admin/gaps", "/admin/gaps/map"))
    ],
    "webhooks": [
        *map(fixed, ("/webhooks/endpoints", "/webhooks/attempts")),
        fixed("/webhooks/attempts?outcome=failed"),
        fixed("/webhooks/attempts?outcome=gone"),
    ],
    "runs": [fixed("/api/match/runs"), fixed("/api/match/startups")],
    "corpus": [fixed("/admin/corpus/versions")],
    "fixtures": [fixed("/fixtures")],
    "people": [
        *map(fixed, ("/admin/people", "/admin/people?name=Name%2000", "/admin/reports")),
        *map(
            fixed, ("/admin/people?status=suspended", "/admin/people?status=pending_verification")
        ),
        fixed("/admin/people?phone=%2B4915000004711"),
        fixed(f"/admin/people?name=Name%2000&after={FAR_ON}"),
        fixed("/admin/people/00000000-0000-0000-0000-000000000007"),
    ],
    "offers": [
        fixed("/admin/offers/rounds"),
        fixed("/admin/offers/users/00000000-0000-0000-0000-000000000007"),
    ],
    "stakes": [
        *map(fixed, ("/admin/stakes/queues", "/admin/stakes", "/admin/stakes?status=expired")),
        *map(fixed, ("/admin/sessions", "/admin/sessions?status=void", "/admin/sessions/7")),
        fixed("/admin/disputes"),
        fixed("/admin/stakes?player=00000000-0000-0000-0000-000000000007"),
    ],
    "ledger": [fixed("/admin/ledger/seals"), fixed("/admin/ledger/trial-balance")],
    "settings": [fixed("/admin/settings")],
    "audit": [fixed("/admin/audit")],
}


OPENED = [
    *("overview", "jobs", "dead", "schedules", "webhooks", "runs", "corpus", "fixtures", "people"),
    *("moderation", "offers", "stakes", "stakes/tickets", "stakes/sessions", "ledger", "workers"),
    *("settings", "audit"),
]


async def people(dsn: str, users: int) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        for sql in (PEOPLE, SESSIONS, TICKETS, DELIVERIES):
            await connection.execute(sql, users)
        await connection.execute("VACUUM ANALYZE")
    finally:
        await connection.close()


class Sent:
    """How many statements the driver has sent, in this process."""

    def __init__(self) -> None:
        self.statements = 0

    @contextmanager
    def counted(self) -> Iterator[None]:
        plain = {name: getattr(asyncpg.Connection, name) for name in ("_do_execute", "execute")}

        def counting(name: str) -> Any:
            async def sending(connection: Any, *args: Any, **options: Any) -> Any:
                if name == "_do_execute" or len(args) == 1:  # execute() with arguments goes there
                    self.statements += 1
                return await plain[name](connection, *args, **options)

            return sending

        for name in plain:
            setattr(asyncpg.Connection, name, counting(name))
        try:
            yield
        finally:
            for name, one in plain.items():
                setattr(asyncpg.Connection, name, one)


async def caller(stack: AsyncExitStack, dsn: str) -> httpx2.AsyncClient:
    settings = load_settings().model_copy(update={"identity_secret": SecretStr("x" * 43)})
    database = await stack.enter_async_context(await Database.open(Target(dsn)))
    api = create_api(System(settings, database, Target(dsn), chosen()), TOKEN)
    transport = httpx2.ASGITransport(cast("Any", surrounded(api)))
    headers = {"Authorization": f"Bearer {TOKEN}"}
    client = httpx2.AsyncClient(transport=transport, base_url="http://bench", headers=headers)
    return await stack.enter_async_context(client)


async def measured(small: Office, large: Office, pages: list[str]) -> list[dict[str, Any]]:
    found, sent = [], Sent()
    async with AsyncExitStack() as stack:
        stack.enter_context(sent.counted())
        clients = [(await caller(stack, one.dsn), one) for one in (small, large)]
        for page in pages:
            for address in PAGES[page]:
                row = await compared(clients, address, sent)
                row["page"] = page
                found.append(row)
                print(
                    f"{page:10} {row['address'][:44]:44} {row['small_ms']:8.2f} ms"
                    f" {row['large_ms']:8.2f} ms  x {row['ratio']:5.2f}  {row['statements']}"
                    f"{'' if row['within'] else '  MISSED'}",
                    flush=True,
                )
    return found


async def compared(
    clients: list[tuple[httpx2.AsyncClient, Office]], address: Address, sent: Sent
) -> dict[str, Any]:
    times: list[list[float]] = [[], []]
    statements: list[set[int]] = [set(), set()]
    for turn in range(ROUNDS + 2):
        for place, (client, office) in enumerate(clients):
            before, began = sent.statements, time.perf_counter()
            answer = await client.get(address(office))
            took = (time.perf_counter() - began) * 1000
            if answer.status_code != 200:
                raise SystemExit(f"{address(office)}: {answer.status_code} {answer.text}")
            if turn >= 2:  # plans are made and pages are read by then
                times[place].append(took)
                statements[place].add(sent.statements - before)
    few, many = (statistics.median(one) for one in times)
    ratio = many / max(few, FLOOR)
    return {
        "address": address(clients[1][1]),
        "small_ms": round(few, 2),
        "large_ms": round(many, 2),
        "ratio": round(ratio, 2),
        "statements": sorted(statements[1]),
        "same_statements": statements[0] == statements[1],
        "within": many <= MILLISECONDS_MAX and ratio <= RATIO_MAX,
    }


async def main(options: argparse.Namespace) -> int:
    configure_logs(LogLevel.ERROR, LogFormat.TEXT)
    with tempfile.TemporaryDirectory(prefix="hf-dashboard-", dir=options.dir) as folder:
        server = EmbeddedServer(Path(folder) / "data")
        server.start()
        try:
            admin = await asyncpg.connect(server.dsn())
            for name in ("few", "many"):
                await admin.execute(f"CREATE DATABASE {name}")
            small = Office(server.dsn(database="few"), SMALL)
            if options.open:
                await small.open()
                await people(small.dsn, SMALL)
                costs = await pages_open(
                    Path(folder) / "up", small.dsn, admin, OPENED, options.open
                )
                return 0 if all(cost.is_within for cost in costs) else 1
            await admin.close()
            large = Office(server.dsn(database="many"), options.jobs)
            for office, users in ((small, SMALL), (large, options.users)):
                print(f"filling {office.jobs:,} jobs and {users:,} users", flush=True)
                await office.open()
                await people(office.dsn, users)
            rows = await measured(small, large, options.pages)
        finally:
            server.stop()
    missed = [row["address"] for row in rows if not row["within"]]
    print(f"{len(rows)} answers, {len(missed)} beyond a bar: {', '.join(missed) or 'none'}")
    if options.json:
        sizes = {"jobs": options.jobs, "users": options.users, "small": SMALL}
        print(json.dumps({"sizes": sizes, "answers": rows}, indent=2))
    return 1 if missed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--jobs", type=int, default=LARGE)
    parser.add_argument("--users", type=int, default=USERS)
    parser.add_argument("--pages", nargs="+", choices=PAGES, default=list(PAGES), metavar="PAGE")
    parser.add_argument("--open", type=float, metavar="SECONDS", help="each page, in a browser")
    parser.add_argument("--dir", default=None, help="where the databases are made")
    parser.add_argument("--json", action="store_true")
    sys.exit(uvloop.run(main(parser.parse_args())))
