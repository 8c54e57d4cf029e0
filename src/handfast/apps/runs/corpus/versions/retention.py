"""Old versions of the corpus, and what builders left that did not live to finish.

A version is marked as retired first, in one transaction; then its tables are detached and dropped,
concurrently, so that no reader waits. Whoever is killed in between leaves tables of a version that
is retired: the next one finds and drops them.
"""

from datetime import timedelta
from types import NoneType

import asyncpg
import msgspec

from handfast.apps.runs.corpus.versions.builders_lock import builders_lock
from handfast.apps.runs.corpus.versions.parts import PART_SECONDS_MAX, SCHEMA, CorpusPart
from handfast.base.logs import get_logger
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.templates import Identifier, template

PINNED = timedelta(hours=24)  # a ready run is reused for so long, and pages are read from it
ASIDE = timedelta(days=7)  # for somebody to look at a refused version after a long weekend
GRACE = timedelta(hours=1)  # a run that has just begun may not have said yet what it reads
DETACH_SECONDS = 60.0  # it waits for transactions that have read the table; not for ever
DROP_WAIT_MS = 5000

log = get_logger(__name__)


class _Leftover(msgspec.Struct, frozen=True):
    name: str
    parent: str | None  # of which it is still a partition
    pending: bool  # somebody began to detach it


_RETIRE = statement("runs.retire_corpus", row=int, seconds=BULK_SECONDS_MAX)
_UNVACUUMED = statement("runs.corpus_unvacuumed", row=str)
_LEFTOVERS = statement("runs.corpus_leftovers", row=_Leftover)

_PART = CorpusPart.MATCHES.parent
VACUUM = template(
    "runs.vacuum_part", row=NoneType, seconds=PART_SECONDS_MAX, example={"part": _PART}
)
_DETACH = template(
    "runs.detach_part",
    row=NoneType,
    seconds=DETACH_SECONDS,
    example={"parent": _PART, "part": _PART},
)
_FINISH_DETACHING = template(
    "runs.finish_detaching_part",
    row=NoneType,
    seconds=DETACH_SECONDS,
    example={"parent": _PART, "part": _PART},
)
_DROP = template("runs.drop_part", row=NoneType, seconds=BULK_SECONDS_MAX, example={"part": _PART})


async def retire(
    direct: Target,
    *,
    pinned: timedelta = PINNED,
    aside: timedelta = ASIDE,
    grace: timedelta = GRACE,
) -> list[int]:
    """Drop the versions that nobody needs; answers them.

    While a version is being built they are only marked: its builder, or the next one, drops them.
    """
    async with await Database.open(direct, pool_size=3, application="handfast corpus") as own:
        async with own.transaction() as tx:
            retired = sorted(await _RETIRE.all(tx, pinned, aside, grace))
        if retired:
            log.info("corpus_versions_retired", versions=retired)
        async with builders_lock(own) as lock:
            if lock.held:
                await clear_away(own)
                await vacuum_again(own)
    return retired


async def vacuum_again(own: Database) -> None:
    """What a long transaction kept from being marked as visible to all when it was built."""
    async with own.connection() as connection:
        for name in await _UNVACUUMED.all(connection):
            await VACUUM.on(part=Identifier(SCHEMA, name)).run(connection)


async def clear_away(own: Database) -> int:
    """Drop every table of a retired version; answers how many. For the holder of the lock.

    What somebody still uses is left for the next time.
    """
    dropped = 0
    async with own.connection() as connection:
        found = await _LEFTOVERS.all(connection)
    for left in found:
        try:
            await _drop(own, left)
        except (asyncpg.PostgresError, TimeoutError) as busy:
            log.warning("corpus_table_not_dropped_yet", table=left.name, reason=str(busy))
        else:
            dropped += 1
    return dropped


async def _drop(own: Database, left: _Leftover) -> None:
    part = Identifier(SCHEMA, left.name)
    if left.parent is not None:
        detach = _FINISH_DETACHING if left.pending else _DETACH
        async with own.connection() as connection:
            await detach.on(parent=Identifier(SCHEMA, left.parent), part=part).run(connection)
    async with own.transaction() as tx:
        await tx.execute(f"SET LOCAL lock_timeout = {DROP_WAIT_MS}")
        await _DROP.on(part=part).run(tx)
