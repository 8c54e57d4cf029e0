"""Everything dies at once, PostgreSQL too, with ten thousand in line, and in the middle of staking
and pairing: nobody is lost, nobody is paired twice, the ledger adds up, each pot is cleared.

`--stakes-crashes N` is the long form of the second: it crashes so often.
"""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from handfast.apps.stakes.errors import TicketOpen
from handfast.apps.stakes.queue.staking import StakeRequest, stake_many
from handfast.base.errors import HandfastError
from handfast.db.embedded import EmbeddedServer
from handfast.db.migrations.migrate import migrate
from handfast.db.outage import PASSING
from handfast.db.pool import Database
from handfast.services.ledger import rules
from handfast.services.ledger.posting.commands import transfer_many
from handfast.services.ledger.values import ESCROW
from tests.support.eventually import eventually_async
from tests.support.forgetful_server import crash, forgetful_server, target_of
from tests.support.stakes_table import StakesTable, player_id

T = TypeVar("T")

ROOT = Path(__file__).parents[2]
QUEUED = 10_000
STAKERS = 4
MATCHMAKERS = 2
MADE = "SELECT count(*) FROM handfast_stakes.game_sessions"


@pytest.fixture
def server(tmp_path: Path, postgres_bin: Path | None) -> Iterator[EmbeddedServer]:
    with forgetful_server(tmp_path / "pg", postgres_bin) as server:
        yield server


@pytest.fixture
async def table(server: EmbeddedServer) -> AsyncIterator[StakesTable]:
    async with await Database.open(target_of(server)) as database:
        await migrate(database)
        yield StakesTable(database)


def parts(of: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (of[first : first + size] for first in range(0, len(of), size))


async def rich(table: StakesTable, names: list[str]) -> None:
    for part in parts(names, 1000):
        deposits = [rules.deposit(f"d-{n}", str(player_id(n)), 10_000, "EUR") for n in part]
        async with table.database.transaction() as tx:
            assert not [e for e in await transfer_many(tx, deposits) if isinstance(e, Exception)]


async def stake_in_bulk(table: StakesTable, names: list[str]) -> list[int]:
    tickets: list[int] = []
    for part in parts(names, 1000):
        wanted = [StakeRequest(player_id(name), 1000) for name in part]
        async with table.database.transaction() as tx:
            for made in await stake_many(tx, wanted, table.terms):
                assert not isinstance(made, HandfastError), made
                tickets.append(made.ticket_id)
    return tickets


async def after_the_crash(table: StakesTable, sql: str, *args: Any) -> Any:
    """Ask until the server is back."""

    async def ask() -> tuple[Any] | None:
        try:
            return (await table.fetch(sql, *args),)
        except Exception:
            return None

    found = await eventually_async(ask, within=120)
    assert found is not None
    return found[0]


async def assert_all_paired_once(table: StakesTable, players: int) -> None:
    once = (
        "SELECT count(*) = $1 AND count(DISTINCT player_id) = $1 AND bool_and(status = 'matched')"
        " FROM handfast_stakes.matchmaking_queue"
    )
    assert await table.fetch(once, players)
    assert await table.fetch(MADE) == players // 2
    logged = "SELECT count(DISTINCT session_id) FROM handfast_stakes.claims"
    assert await table.fetch(logged) == players // 2, "what is in the log is what happened"
    await table.assert_sound()
    assert await table.ledger.balance(ESCROW) == players * 1000


async def assert_all_cleared(table: StakesTable) -> None:
    await table.ledger.run(
        "UPDATE handfast_stakes.game_sessions SET expires_at = now() - interval '1 second'"
    )
    while await table.void():
        pass
    assert await table.ledger.balance(ESCROW) == 0, "each pot is cleared"
    await table.assert_sound()


async def test_ten_thousand_in_line_when_everything_is_restarted(
    table: StakesTable, server: EmbeddedServer
) -> None:
    """Nothing is kept outside of PostgreSQL: another process finds the line as it was."""
    names = [f"p{n}" for n in range(QUEUED)]
    await rich(table, names)
    tickets = await stake_in_bulk(table, names)
    await crash(table.database)
    async with await Database.open(target_of(server)) as database:
        again = StakesTable(database)
        in_line = (
            "SELECT array_agg(id ORDER BY line) FROM handfast_stakes.matchmaking_queue"
            " WHERE status = 'queued'"
        )
        assert await after_the_crash(again, in_line) == tickets, "all are there, in order"
        while (await again.pair(pairs=100)).pairs:
            pass
        pairs = await again.fetch(
            "SELECT array_agg(p.tickets ORDER BY p.session_id) FROM (SELECT session_id,"
            " array_agg(id ORDER BY line) AS tickets FROM handfast_stakes.matchmaking_queue"
            " GROUP BY session_id) AS p"
        )
        assert pairs == list(parts(tickets, 2)), "first come, first paired"
        await assert_all_paired_once(again, QUEUED)


@contextmanager
def matchmakers(server: EmbeddedServer) -> Iterator[None]:
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.support.stakes_process", server.dsn(), f"m{n}"],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
        )
        for n in range(MATCHMAKERS)
    ]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait(30)


class Stakers:
    """Players who stake one after the other, each until there is an answer."""

    def __init__(self, table: StakesTable, names: list[str]) -> None:
        self._table = table
        self._names = iter(names)
        self.told: dict[str, int] = {}

    async def run(self) -> None:
        await asyncio.gather(*(self._stake_next() for _ in range(STAKERS)))

    async def _stake_next(self) -> None:
        for name in self._names:
            while name not in self.told:
                await self._ask(name)

    async def _ask(self, name: str) -> None:
        """Who got no answer may have staked all the same: then the next one names the ticket."""
        try:
            self.told[name] = (await self._table.stakes.stake(player_id(name), 1000)).ticket_id
        except TicketOpen as error:
            self.told[name] = error.extra["ticket"]
        except (HandfastError, *PASSING):
            await asyncio.sleep(0.05)


async def test_postgres_crashes_while_some_stake_and_others_pair(
    table: StakesTable, server: EmbeddedServer, pytestconfig: pytest.Config
) -> None:
    crashes: int = pytestconfig.getoption("--stakes-crashes")
    names = [f"p{n}" for n in range(200 * crashes)]
    await rich(table, names)
    stakers = Stakers(table, names)
    with matchmakers(server):
        staking = asyncio.create_task(stakers.run())
        for _ in range(crashes):
            before = await after_the_crash(table, MADE)

            async def at_work(known: int = before) -> bool:
                return int(await after_the_crash(table, MADE)) > known + 5

            await eventually_async(at_work, within=120)
            await crash(table.database)
            await after_the_crash(table, "SELECT 1")
        async with asyncio.timeout(300):
            await staking
    while (await table.pair()).pairs:
        pass
    assert set(stakers.told) == set(names)
    stored = "SELECT array_agg(id ORDER BY id) FROM handfast_stakes.matchmaking_queue"
    assert await table.fetch(stored) == sorted(stakers.told.values()), "what was told is there"
    await assert_all_paired_once(table, len(names))
    await assert_all_cleared(table)
