"""A batch of 1,000 jobs with rows and events in its own transaction, killed at every statement."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from handfast.db.pool import Database
from handfast.engine.host import Host, HostOptions
from tests.support.batch_program import JOBS, KIND, TABLE, crew
from tests.support.command import ROOT
from tests.support.hosts import running
from tests.support.workers_here import Workers

STATEMENTS = 8  # begin, hold, three times rows, events, finish, commit


@pytest.fixture
def shop(database: Database) -> Workers:
    return Workers(database)


@pytest.fixture
def program(dsn: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "tests.support.batch_program", dsn]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def killed(program: "subprocess.Popen[str]", when: str, number: int) -> bool:
    assert program.stdin is not None
    assert program.stdout is not None
    program.stdin.write(f"{when} {number}\n")
    program.stdin.flush()
    return program.stdout.readline().strip() == "9"


async def count(shop: Workers, what: str) -> int:
    found: int = await shop.fetch(f"SELECT count(*) FROM {what}")
    return found


async def put(shop: Workers, turn: int) -> None:
    async with shop.database.transaction() as tx:
        await shop.hf.enqueue_many(tx, KIND, [(f"{turn}-{n}", {}) for n in range(JOBS)])


async def end_it(shop: Workers) -> None:
    """The process is dead: its lease ends, and another worker does what is left. In one
    transaction, because its last heartbeat may still be on its way, and would renew the lease."""
    async with shop.database.transaction() as tx:
        await tx.execute(
            "UPDATE handfast_engine.workers SET lease_until = now() - interval '1 minute'"
        )
        await tx.execute(f"SELECT handfast_engine.rescue({JOBS * 2})")
    async with running(Host(shop.database, shop.direct, [crew()], HostOptions(poll=0.1))):
        await shop.drained()


async def test_exactly_once_wherever_it_is_killed(
    shop: Workers, program: "subprocess.Popen[str]"
) -> None:
    await shop.fetch(TABLE)
    moments = [("before", n) for n in range(1, STATEMENTS + 1)]
    moments += [("sent", STATEMENTS), ("after", STATEMENTS)]
    for turn, (when, number) in enumerate(moments):
        await put(shop, turn)
        assert killed(program, when, number), f"{when} {number}: it was not killed"
        if when == "before":
            assert await count(shop, "pairs") == turn * JOBS * 3, "all of it or nothing"
        await end_it(shop)
        done = (turn + 1) * JOBS
        assert await count(shop, "pairs") == done * 3
        assert await count(shop, "(SELECT DISTINCT key, place FROM pairs) AS p") == done * 3
        assert await count(shop, "handfast_engine.events WHERE type = 'match.created'") == done
        succeeded = "handfast_engine.attempts WHERE outcome = 'succeeded'"
        assert await count(shop, succeeded) == done
    await put(shop, len(moments))
    assert not killed(program, "before", STATEMENTS + 1), "there are more statements than we know"
    assert await count(shop, "pairs") == (done + JOBS) * 3
