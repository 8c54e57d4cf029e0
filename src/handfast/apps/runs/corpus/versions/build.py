"""Making a version of the corpus.

Rows are copied into tables that are not part of the corpus yet. They become part of it in one
transaction, when they are indexed, vacuumed (without that no scan is index-only) and counted. A
build that is cut off before leaves nothing that a reader could see, and the next builder, who has
the lock and so knows that its owner is gone, clears it away.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from types import NoneType
from typing import Any, TypeVar

import asyncpg

from handfast.apps.runs.corpus.versions.builders_lock import Lock, builders_lock
from handfast.apps.runs.corpus.versions.parts import COLUMNS, SCHEMA, CorpusPart
from handfast.apps.runs.corpus.versions.retention import VACUUM, clear_away
from handfast.apps.runs.errors import CorpusBuildLost, CorpusBusy
from handfast.base.logs import get_logger
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.templates import Identifier

T = TypeVar("T")

CONNECTIONS = 5  # the lock's, the writer's, two readers', and one for asking
PATIENCE_SECONDS = 5.0  # retention has the lock too, for a moment; another builder for minutes
LOCK_WAIT_MS = 2000  # for attaching; nobody who reads holds that lock, but a migration may
LOCK_ATTEMPTS = 15
VACUUM_ATTEMPTS = 5
VACUUM_SECONDS = 1.0  # between two; most transactions are shorter
SORT_MEMORY = "256MB"  # for building indexes, one at a time

log = get_logger(__name__)

_BEGIN = statement("runs.begin_corpus", row=int, seconds=BULK_SECONDS_MAX)
_INDEX = statement("runs.index_corpus_part", row=NoneType, seconds=BULK_SECONDS_MAX)
_ATTACH = statement("runs.attach_corpus", row=bool, seconds=BULK_SECONDS_MAX)
_ALL_VISIBLE = statement("runs.corpus_all_visible", row=bool, seconds=BULK_SECONDS_MAX)
_ABANDON_ALL = statement("runs.abandon_corpora", row=int, seconds=BULK_SECONDS_MAX)
_ABANDON = statement("runs.abandon_corpus", row=NoneType, seconds=BULK_SECONDS_MAX)


class Build:
    """A version that is being built."""

    def __init__(self, database: Database, version: int, lock: Lock) -> None:
        self.database = database
        self.version = version
        self._lock = lock

    def table(self, part: CorpusPart) -> Identifier:
        return Identifier(SCHEMA, part.table(self.version))

    async def copy(self, part: CorpusPart, rows: Iterable[Sequence[Any]]) -> None:
        """Rows in the order of ``COLUMNS``, by COPY."""
        async with self.database.connection() as connection:
            await connection.copy_records_to_table(
                part.table(self.version), schema_name=SCHEMA, columns=COLUMNS[part], records=rows
            )

    async def index(self, part: CorpusPart) -> None:
        """Keys and indexes as the parent has them; a row that is there twice is refused here."""
        async with self.database.transaction() as tx:
            await tx.execute(f"SET LOCAL maintenance_work_mem = '{SORT_MEMORY}'")
            await _INDEX.run(tx, part.value, self.version)

    async def finish(self) -> None:
        """The version becomes part of the corpus, whole; readers stay where they are."""
        for part in CorpusPart:
            await self._vacuum(part)
        if not await self._lock.still_held() or not await _attempting(self._attach):
            raise CorpusBuildLost(
                f"The build of version {self.version} lost its lock, and another may have cleared "
                "it away.",
                hint="Readers were not switched. Build again.",
            )

    async def _vacuum(self, part: CorpusPart) -> None:
        """FREEZE, since nothing will ever be written here again. A transaction that was open all
        the while keeps pages from being marked; without the marks scans are not index-only."""
        async with self.database.connection() as connection:
            for left in reversed(range(VACUUM_ATTEMPTS)):
                await VACUUM.on(part=self.table(part)).run(connection)
                if await _ALL_VISIBLE.one(connection, part.table(self.version)):
                    return
                if left:
                    await asyncio.sleep(VACUUM_SECONDS)
        log.warning(
            "corpus_not_all_visible",
            version=self.version,
            part=part.word,
            reason="a long transaction is open; retention vacuums again",
        )

    async def _attach(self) -> bool:
        async with self.database.transaction() as tx:
            await tx.execute(f"SET LOCAL lock_timeout = {LOCK_WAIT_MS}")
            return await _ATTACH.one(tx, self.version)


async def _attempting(work: Callable[[], Awaitable[T]]) -> T:
    for left in reversed(range(LOCK_ATTEMPTS)):
        try:
            return await work()
        except asyncpg.LockNotAvailableError:
            if not left:
                raise
            await asyncio.sleep(0.2)
    raise AssertionError("the loop above returns or raises")


@asynccontextmanager
async def building(direct: Target, source: str) -> AsyncIterator[Build]:
    """A new version, for as long as the block lasts; ``finish`` it before the end.

    ``direct`` leads to the database without a pooler between: a build holds a transaction open and
    runs VACUUM. A block that is left without ``finish`` leaves nothing behind.
    """
    async with (
        await Database.open(direct, pool_size=CONNECTIONS, application="handfast corpus") as own,
        builders_lock(own, patience=PATIENCE_SECONDS) as lock,
    ):
        if not lock.held:
            raise CorpusBusy(
                "Another version of the corpus is being built right now.",
                hint="Wait until it is done; `handfast corpus versions` shows it.",
            )
        async with own.connection() as connection:
            abandoned = await _ABANDON_ALL.all(connection)
        if abandoned:
            log.warning("corpus_builds_cleared_away", versions=abandoned)
        await clear_away(own)
        async with own.transaction() as tx:
            version = await _BEGIN.one(tx, source)
        try:
            yield Build(own, version, lock)
        except BaseException as failure:
            await asyncio.shield(_give_up(own, version, str(failure) or repr(failure)))
            raise
        await _give_up(own, version, "the build was not finished")


async def _give_up(own: Database, version: int, why: str) -> None:
    """Nothing happens to a version that was finished. If this fails, the next builder does it."""
    try:
        async with own.connection() as connection:
            await _ABANDON.run(connection, version, why[:500])
        await clear_away(own)
    except Exception as error:
        log.warning("corpus_build_not_cleared_away", version=version, reason=str(error))
