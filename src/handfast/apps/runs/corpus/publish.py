"""From a version that was built to one that is read: guardian, then switch, or an alert.

A refusal changes nothing for readers. It is written down with the version, told as an event
(``corpus.refused``) and as an alert, which the next switch clears.
"""

import msgspec

from handfast.apps.runs.corpus.figures import read_figures, read_overlap
from handfast.apps.runs.corpus.guardian import Last, Verdict, judge
from handfast.apps.runs.corpus.versions import (
    REFUSED_ALERT,
    Switched,
    current_version,
    get_version,
    switch,
)
from handfast.base.errors import CorpusMoved, CorpusVersionUnusable
from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Transaction
from handfast.engine.alerts import raise_alert

ATTEMPTS_MAX = 3  # somebody else switched meanwhile; so often in a row is a quarrel

log = get_logger(__name__)

_JUDGE = statement("runs.judge_corpus", row=bool, seconds=BULK_SECONDS_MAX)


class Published(msgspec.Struct, frozen=True):
    verdict: Verdict
    switched: Switched | None  # None: refused, and readers stay where they are
    forced: bool = False


async def check(database: Database, version: int) -> Verdict:
    """Look at a version beside the current one, and write nothing down."""
    async with database.connection() as connection:
        found = await get_version(connection, version)
        against = await current_version(connection)
    if found.state in ("building", "retired"):
        raise CorpusVersionUnusable(
            f"Version {version} is {found.state}: there is nothing to look at.",
            hint="`handfast corpus versions` lists those that there are.",
        )
    new = await read_figures(database, version)
    last = None
    if against is not None and against != version:
        old = await read_figures(database, against)
        async with database.connection() as connection:
            overlap = await read_overlap(connection, version, against)
        last = Last(against, old, overlap)
    return judge(version, new, last)


async def publish(database: Database, version: int, *, force: bool = False) -> Published:
    """Check, and switch if it passes or ``force`` says so. Looks again if another version became
    current meanwhile."""
    for left in reversed(range(ATTEMPTS_MAX)):
        verdict = await check(database, version)
        try:
            async with database.transaction() as tx:
                return await conclude(tx, verdict, force=force)
        except CorpusMoved:
            if not left:
                raise
    raise AssertionError("the loop above returns or raises")


async def conclude(tx: Transaction, verdict: Verdict, *, force: bool = False) -> Published:
    """Write the verdict down and act on it, in the caller's transaction."""
    accepted = verdict.passed or force
    encoded = msgspec.json.encode(verdict).decode()
    if not await _JUDGE.one(tx, verdict.version, accepted, encoded):
        raise CorpusVersionUnusable(f"Version {verdict.version} is gone.")
    if not accepted:
        await _tell(tx, verdict)
        return Published(verdict, None)
    over = verdict.against or 0
    done = await switch(tx, verdict.version, force=force, over=over)
    log.info("corpus_switched", version=verdict.version, was=done.was, forced=not verdict.passed)
    return Published(verdict, done, forced=not verdict.passed)


async def _tell(tx: Transaction, verdict: Verdict) -> None:
    await raise_alert(
        tx,
        REFUSED_ALERT,
        "The guardian refused a version of the corpus; readers stay with the last one.",
        value=float(verdict.version),
        threshold=0.0,
    )
    log.error("corpus_refused", version=verdict.version, reason=verdict.summary)
