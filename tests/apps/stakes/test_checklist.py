"""The manual checklist of the source, and its four acceptance criteria.

The product stakes and works; whoever checks has `psql` and `redis-cli` and nothing else.
"""

import asyncio
import shlex
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import count
from uuid import uuid4

import pytest

from handfast.apps.stakes.fast import scripts
from handfast.db.embedded.binaries import find_binaries
from handfast.db.redis import GuardedRedis
from handfast.edge.http.app import create_api
from handfast.engine.system import System
from handfast.services.ledger import rules
from handfast.services.ledger.posting.commands import transfer
from handfast.wiring import hosting, load_settings, open_crews, open_system
from tests.support.calling import OPERATOR_TOKEN, calling
from tests.support.eventually import eventually_async
from tests.support.programs import path_of
from tests.support.signed_in import TEST_SECRET, sign_in

pytestmark = [
    pytest.mark.needs("redis-cli"),
    pytest.mark.on_every_redis,
    pytest.mark.on_every_postgres,
]

NUMBERS = count(1)
QUEUE = "SELECT string_agg(id || ' ' || status, ', ' ORDER BY id) FROM handfast.matchmaking_queue"
ENTRIES = """
SELECT string_agg(kind || ' ' || total, ', ' ORDER BY kind) FROM (
    SELECT kind, sum(amount) FILTER (WHERE amount > 0) AS total
    FROM handfast.escrow_ledger WHERE queue_id = {ticket} GROUP BY kind
) AS e"""


class Checker:
    """What a person at a terminal has."""

    def __init__(self, dsn: str, redis: str, prefix: str) -> None:
        self._dsn, self._redis, self.prefix = dsn, redis, prefix

    async def psql(self, sql: str) -> str:
        """The one value of the one row."""
        return await _said([str(find_binaries().bin / "psql"), "-XAtq", self._dsn, "-c", sql])

    async def redis(self, *words: object) -> str:
        socket = self._redis.removeprefix("unix://")
        return await _said([str(path_of("redis-cli")), "-s", socket, *map(str, words)])

    def line(self, stake: int = 1000) -> str:
        return f"{self.prefix}{stake}"

    async def in_redis(self) -> list[str]:
        return (await self.redis("ZRANGE", self.line(), 0, -1)).split()

    async def shows(self, wanted: str, sql: str = QUEUE) -> None:
        async def does() -> bool:
            return await self.psql(sql) == wanted

        await eventually_async(does)


async def _said(command: Sequence[str]) -> str:
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    said, trouble = await process.communicate()
    assert process.returncode == 0, f"{shlex.join(command)[:200]}: {trouble.decode()}"
    return said.decode().strip()


@pytest.fixture
def checker(dsn: str, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Checker:
    prefix = f"check-{next(NUMBERS)}:queue:stake:"
    monkeypatch.setenv("DATABASE_URL", dsn)
    monkeypatch.setenv("REDIS_URL", redis_url)
    monkeypatch.setenv("REDIS_KEY_PREFIX", prefix)  # as the source calls it
    monkeypatch.setenv("HANDFAST_IDENTITY_SECRET", TEST_SECRET)
    # What Redis has not taken in time it hears from whoever pairs; in some tests nobody does.
    monkeypatch.setattr(
        "handfast.wiring.open_redis", lambda _: GuardedRedis(redis_url, call_seconds=30.0)
    )
    return Checker(dsn, redis_url, prefix)


@asynccontextmanager
async def application() -> AsyncIterator[System]:
    async with open_system(load_settings()) as system:
        yield system


@asynccontextmanager
async def worker() -> AsyncIterator[None]:
    async with (
        open_system(load_settings()) as system,
        open_crews(system, {}, ("stakes",)) as crews,
        hosting(system, crews),
    ):
        yield


async def stake(system: System, amount: int = 1000) -> str:
    """A new player, over HTTP: the ticket's id. What else of the API uses Redis is left out."""
    settings = system.settings.model_copy(update={"redis_url": None})
    api = create_api(replace(system, settings=settings, redis=None), OPERATOR_TOKEN)
    signed = await sign_in(api)
    deposit = rules.deposit(f"d-{signed.user_id}", str(signed.user_id), 10_000, "EUR")
    await system.database.run_in_transaction(lambda tx: transfer(tx, deposit))
    async with calling(api, signed.access_token) as client:
        answer = await client.post(
            "/stakes", json={"amount": amount}, headers={"Idempotency-Key": str(uuid4())}
        )
    assert answer.status_code == 201, answer.text
    return str(answer.json()["ticket"]["id"])


async def test_stake_flow(checker: Checker) -> None:
    """Criterion: the ledger contains STAKE_IN and COMMISSION entries for each queued stake."""
    async with application() as system:
        ticket = await stake(system)

        async def pushed() -> bool:
            return await checker.in_redis() == [ticket]

        await eventually_async(pushed)
    assert await checker.psql(QUEUE) == f"{ticket} queued"
    assert await checker.psql(ENTRIES.format(ticket=ticket)) == "COMMISSION 1000, STAKE_IN 1000"


async def test_matching(checker: Checker) -> None:
    """Criterion: matching is atomic and race-free; a claim succeeds once for each queued row. The
    test's own worker takes from Redis by the script and claims in the database, three at once."""
    async with application() as system:
        tickets = [await stake(system) for _ in range(3)]

        async def pushed() -> bool:
            return await checker.in_redis() == tickets

        await eventually_async(pushed)
    line = checker.line()
    keys = [line, f"{line}:processing", f"{line}:taken"]
    taken = await checker.redis("EVAL", scripts.TAKE, 3, *keys, 2, 60_000, "checker", 60_000)
    assert taken.split() == ["0", *tickets[:2]], "the two oldest"
    assert await checker.in_redis() == tickets[2:]
    claim = (
        f"SELECT pairs FROM handfast_stakes.pair_proposed('checker', '{{1000,1000}}',"
        f" '{{{tickets[0]},{tickets[1]}}}', 1, '5 minutes', '1 hour', '15 minutes')"
    )

    async def paired() -> int:
        """Two of them may hold a ticket each for a moment: then one of the two goes without, or
        gets the third."""
        return sum(map(int, await asyncio.gather(*(checker.psql(claim) for _ in range(3)))))

    assert await eventually_async(paired) == 1
    left = await checker.psql("SELECT id FROM handfast.matchmaking_queue WHERE status = 'queued'")
    over = [ticket for ticket in tickets if ticket != left]
    await checker.redis("EVAL", scripts.SETTLE, 3, *keys, "checker", 60_000, 2, *over)
    states = [f"{one} {'queued' if one == left else 'matched'}" for one in tickets]
    assert (len(over), await checker.psql(QUEUE)) == (2, ", ".join(states))
    assert await checker.psql("SELECT count(*) FROM handfast.game_sessions") == "1"
    pot = "SELECT sum(amount) FROM handfast_ledger.holds WHERE session_id IS NOT NULL"
    assert await checker.psql(pot) == "2000"
    assert await checker.in_redis() == [left]
    assert await checker.redis("EXISTS", *keys[1:]) == "0"


async def test_rehydrate(checker: Checker) -> None:
    """Criterion: a restart does not drop queued players; they remain persisted and requeued."""
    async with application() as system:
        tickets = [await stake(system) for _ in range(5)]
    await checker.redis("DEL", checker.line(), f"{checker.line()}:processing")
    assert await checker.psql("SELECT count(*) FROM handfast.matchmaking_queue") == "5"
    async with worker():
        *paired, last = tickets
        await checker.shows(", ".join([*(f"{one} matched" for one in paired), f"{last} queued"]))

        async def requeued() -> bool:
            return await checker.in_redis() == [last]

        await eventually_async(requeued)
    once = "SELECT count(*) || ' ' || count(DISTINCT player1) FROM handfast.game_sessions"
    assert await checker.psql(once) == "2 2"


async def test_expiry(checker: Checker) -> None:
    """Criterion: expired rows are identifiable and handled according to policy: no refund, and a
    credit in the ledger."""
    async with application() as system:
        ticket = await stake(system)
    async with worker():
        # The row's own end: a setting has whole minutes.
        await checker.psql(
            "UPDATE handfast_stakes.matchmaking_queue SET expires_at = handfast_db.now()"
            f" WHERE id = {ticket}; SELECT pg_notify('handfast_stakes', '')"
        )
        await checker.shows(f"{ticket} expired")

        async def gone() -> bool:
            return await checker.in_redis() == []

        await eventually_async(gone)
    wanted = "COMMISSION 1000, CREDIT 1000, STAKE_IN 1000"
    assert await checker.psql(ENTRIES.format(ticket=ticket)) == wanted
    credit = "SELECT sum(balance) FROM handfast.accounts WHERE kind = 'credit'"
    assert await checker.psql(credit) == "1000"
