"""``handfast bench``: what jobs cost on this machine, beside what PostgreSQL itself costs there.

In a database of its own, which is removed again: identities are for ever, and nobody wants those of
a bench. What is compared takes turns, because the speed of a machine drifts.
"""

import asyncio
import statistics
import tempfile
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count, islice
from pathlib import Path
from time import perf_counter
from typing import Annotated
from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg
import msgspec
from cyclopts import Parameter, validators
from pydantic import SecretStr

from handfast.base.logs import log_through_the_host
from handfast.base.settings import Settings
from handfast.db.connect import Target, connect
from handfast.db.embedded import EmbeddedServer
from handfast.db.errors import RightMissing
from handfast.edge.cli.app import INTERRUPTED_EXIT_CODE
from handfast.edge.cli.speaking.listing import Listing
from handfast.edge.cli.speaking.options import DataDir, Json
from handfast.edge.cli.speaking.output import ERR, OUT, print_json
from handfast.edge.stopping import run_command
from handfast.engine.system import System
from handfast.engine.work.context import Context
from handfast.facade import Handfast
from handfast.wiring import chosen, load_settings, open_system

KIND = "bench.noop"
ONE_BY_ONE = 300  # jobs, each in a transaction of its own
PICKED_UP = 100  # jobs, each enqueued while the worker has nothing to do
REST_SECONDS = 0.02  # before each of them
PATIENCE_SECONDS = 300.0

Jobs = Annotated[
    int,
    Parameter(
        help="How many are enqueued at once and worked off.",
        validator=validators.Number(gte=100, lte=1_000_000),
    ),
]

_TABLE = "CREATE TABLE public.bare (key text PRIMARY KEY, payload jsonb NOT NULL)"
_ROW = "INSERT INTO public.bare VALUES ($1, $2)"
_ROWS = "INSERT INTO public.bare SELECT * FROM unnest($1::text[], $2::jsonb[])"
_LEFT = "SELECT count(*) FROM handfast.jobs WHERE kind = $1 AND state <> 'succeeded'"
_VERSION = "SELECT 'PostgreSQL ' || split_part(current_setting('server_version'), ' ', 1)"
_DURABLE = """
SELECT current_setting('fsync')::boolean AND current_setting('synchronous_commit') <> 'off'"""
_PAYLOAD = '{"n": 1}'


class BenchFigures(msgspec.Struct, rename="camel"):
    """Per second, but for the last two."""

    server: str
    durable: bool  # whether a commit waits for the disk
    jobs: int
    enqueued_one_by_one: float
    bare_one_by_one: float
    enqueued_at_once: float
    bare_at_once: float
    worked_off: float
    picked_up_p50_ms: float
    picked_up_p99_ms: float


def bench(*, jobs: Jobs = 10_000, data_dir: DataDir = None, json: Json = False) -> int:
    """Measure what jobs cost here, beside bare statements of PostgreSQL.

    One process, jobs that do nothing, shipped settings. It takes a database of its own, on an
    embedded server beside the data folder or on that of DATABASE_URL, and removes it again.
    """
    settings = load_settings(data_dir=data_dir)
    log_through_the_host()

    found: list[BenchFigures] = []

    async def measure() -> None:
        if not json:
            ERR.print("Measuring, for some seconds ...")
        async with _system_apart(settings) as system:
            found.append(await _measured(system, jobs))

    run_command(measure())
    for figures in found:
        print_json(figures) if json else _print(figures)
    return 0 if found else INTERRUPTED_EXIT_CODE  # told to stop


# --- where ------------------------------------------------------------------------------------


@asynccontextmanager
async def _system_apart(settings: Settings) -> AsyncIterator[System]:
    apart = _embedded if settings.embedded else _beside_theirs
    async with apart(settings) as address:
        url = SecretStr(address)
        of_the_bench = settings.model_copy(
            update={"database_url": url, "direct_database_url": url, "redis_url": None}
        )
        engine_alone = chosen(None, ())
        async with open_system(of_the_bench, capabilities=engine_alone, may_migrate=True) as system:
            yield system


@asynccontextmanager
async def _embedded(settings: Settings) -> AsyncIterator[str]:
    """On the disk of the data folder: it is what a commit waits for."""
    beside = settings.data_dir.absolute().parent
    beside.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="handfast-bench-", dir=beside) as folder:
        server = EmbeddedServer(Path(folder), bin_dir=settings.postgres_bin)
        try:
            await asyncio.to_thread(server.start)
            yield server.app_dsn()
        finally:
            await asyncio.to_thread(server.stop, wait=True)


@asynccontextmanager
async def _beside_theirs(settings: Settings) -> AsyncIterator[str]:
    url = settings.direct_database_url or settings.database_url
    assert url is not None  # noqa: S101  # or the server were embedded
    theirs, name = url.get_secret_value(), f"handfast_bench_{uuid4().hex[:12]}"
    async with AsyncExitStack() as stack:
        async with _connected(theirs) as connection:
            role = await connection.fetchval("SELECT quote_ident(current_user)")
            # Before it is made: who is told to stop may not know yet that it is there.
            stack.push_async_callback(_remove, theirs, name)
            try:
                await connection.execute(f"CREATE DATABASE {name} TEMPLATE template0")
            except asyncpg.InsufficientPrivilegeError as refused:
                raise RightMissing(
                    f"{role} may not make the database that the bench would use. Nothing was "
                    "changed.",
                    hint=f"ALTER ROLE {role} CREATEDB; or leave DATABASE_URL unset: then it starts "
                    "an embedded server of its own.",
                ) from refused
        yield urlsplit(theirs)._replace(path=f"/{name}").geturl()


async def _remove(theirs: str, name: str) -> None:
    async with _connected(theirs) as connection:
        await connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@asynccontextmanager
async def _connected(address: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await connect(Target(address))
    try:
        yield connection
    finally:
        await connection.close()


# --- what -------------------------------------------------------------------------------------


class BenchProgram:
    """A program like any user's, whose job does nothing but count."""

    def __init__(self, system: System) -> None:
        self.hf = Handfast()
        self.hf.use(system)
        self.hf.job(KIND)(self._noop)
        self._numbers = count()
        self._left = 0  # jobs until it is heard
        self._heard = asyncio.Event()

    async def _noop(self, _ctx: Context, n: int) -> None:
        self._left -= 1
        if self._left == 0:
            self._heard.set()

    async def enqueue_one(self) -> None:
        n = next(self._numbers)
        await self.hf.enqueue_now(KIND, key=str(n), n=n)

    async def enqueue_at_once(self, jobs: int) -> None:
        named = [(str(n), {"n": n}) for n in islice(self._numbers, jobs)]
        async with self.hf.transaction() as tx:
            await self.hf.enqueue_many(tx, KIND, named)

    def expect(self, jobs: int) -> None:
        self._left = jobs
        self._heard.clear()

    async def heard(self) -> None:
        await self._heard.wait()

    async def written_down(self) -> None:
        """A little after the handlers have ended."""
        await self.heard()
        async with (await self.hf.database()).connection() as connection:
            while await connection.fetchval(_LEFT, KIND):  # noqa: ASYNC110  # nobody tells
                await asyncio.sleep(REST_SECONDS / 4)

    async def picked_up(self) -> None:
        await self.enqueue_one()
        await self.heard()


async def _measured(system: System, jobs: int) -> BenchFigures:
    program = BenchProgram(system)
    async with asyncio.timeout(PATIENCE_SECONDS):
        one = enqueued = 0.0
        async with system.database.connection() as connection:
            server = str(await connection.fetchval(_VERSION))
            durable = bool(await connection.fetchval(_DURABLE))
            await connection.execute(_TABLE)
            for n in range(ONE_BY_ONE):
                one += await _seconds(connection.execute(_ROW, f"one-{n}", _PAYLOAD))
                enqueued += await _seconds(program.enqueue_one())
            keys = [f"many-{n}" for n in range(jobs)]
            many = await _seconds(connection.execute(_ROWS, keys, [_PAYLOAD] * jobs))
        at_once = await _seconds(program.enqueue_at_once(jobs))
        worked_off, waits = await _worked(program, jobs + ONE_BY_ONE)

    centiles = statistics.quantiles(waits, n=100)
    return BenchFigures(
        server=server,
        durable=durable,
        jobs=jobs,
        enqueued_one_by_one=ONE_BY_ONE / enqueued,
        bare_one_by_one=ONE_BY_ONE / one,
        enqueued_at_once=jobs / at_once,
        bare_at_once=jobs / many,
        worked_off=(jobs + ONE_BY_ONE) / worked_off,
        picked_up_p50_ms=1000 * centiles[49],
        picked_up_p99_ms=1000 * centiles[98],
    )


async def _worked(program: BenchProgram, jobs: int) -> tuple[float, list[float]]:
    """Seconds for all that wait, and for each of those that come while nothing else does."""
    program.expect(jobs)
    worker = await program.hf.worker()
    await worker.prepare()
    working = asyncio.create_task(worker.run())
    waits = []
    try:
        worked_off = await _seconds(program.written_down())
        for _ in range(PICKED_UP):
            await asyncio.sleep(REST_SECONDS)
            program.expect(1)
            waits.append(await _seconds(program.picked_up()))
    finally:
        worker.stop()
        await working
    return worked_off, waits


async def _seconds(what: Awaitable[object]) -> float:
    begun = perf_counter()
    await what
    return perf_counter() - begun


# --- said -------------------------------------------------------------------------------------


def _print(found: BenchFigures) -> None:
    table = Listing(
        "", "here", "bare statements", "ratio", right=("here", "bare statements", "ratio")
    )
    for what, here, bare in (
        ("enqueued one by one", found.enqueued_one_by_one, found.bare_one_by_one),
        (f"enqueued {found.jobs:,} at once", found.enqueued_at_once, found.bare_at_once),
    ):
        table.add_row(what, f"{here:,.0f}/s", f"{bare:,.0f}/s", f"{here / bare:.2f}")
    table.add_row("worked off by one process", f"{found.worked_off:,.0f}/s", "", "")
    table.add_row("picked up while idle, median", f"{found.picked_up_p50_ms:.1f} ms", "", "")
    table.add_row("picked up while idle, 99 of 100", f"{found.picked_up_p99_ms:.1f} ms", "", "")
    OUT.print(f"Jobs that do nothing, on {found.server}:\n")
    OUT.print(table)
    if not found.durable:
        OUT.print("\nCommits do not wait for the disk on this server: a crash may lose the last.")
