"""From a version that was built to one that is read: guardian, then switch, or an alert.

A refusal changes nothing for readers. It is written down with the version, told as an event
(``corpus.refused``) and as an alert, which the next switch clears.
"""

import msgspec

from handfast.apps.runs.corpus.versions.guardian import GuardianVerdict, Last, judge
from handfast.apps.runs.corpus.versions.statistics import read_overlap, read_statistics
from handfast.apps.runs.corpus.versions.versions import (
    REFUSED_ALERT,
    Switched,
    current_version,
    get_version,
    switch,
)
from handfast.apps.runs.errors import CorpusMoved, CorpusVersionUnusable
from handfast.base.logs import get_logger
from handfast.db.pool import Database
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Transaction
from handfast.engine.operating.alerts import raise_alert
from handfast.engine.operating.audit import Actor, record

SWITCH = "corpus.switch"  # in the audit
ATTEMPTS_MAX = 3  # somebody else switched meanwhile; so often in a row is a quarrel

log = get_logger(__name__)

_JUDGE = statement("runs.judge_corpus", row=bool, seconds=BULK_SECONDS_MAX)


class Published(msgspec.Struct, frozen=True):
    verdict: GuardianVerdict
    switched: Switched | None  # None: refused, and readers stay where they are
    forced: bool = False


async def check(database: Database, version: int) -> GuardianVerdict:
    """Look at a version beside the current one, and write nothing down."""
    async with database.connection() as connection:
        found = await get_version(connection, version)
        against = await current_version(connection)
    if found.state in ("building", "retired"):
        raise CorpusVersionUnusable(
            f"Version {version} is {found.state}: there is nothing to look at.",
            hint="`handfast corpus versions` lists those that there are.",
        )
    new = await read_statistics(database, version)
    last = None
    if against is not None and against != version:
        old = await read_statistics(database, against)
        async with database.connection() as connection:
            overlap = await read_overlap(connection, version, against)
        last = Last(against, old, overlap)
    return judge(version, new, last)


async def publish(
    database: Database, version: int, *, force: bool = False, by: Actor | None = None
) -> Published:
    """Check, and switch if it passes or ``force`` says so. Looks again if another version became
    current meanwhile. ``by`` is whom the audit names."""
    for left in reversed(range(ATTEMPTS_MAX)):
        verdict = await check(database, version)
        try:
            async with database.transaction() as tx:
                published = await conclude(tx, verdict, force=force)
                if by is not None and published.switched is not None:
                    await record(tx, by, SWITCH, [f"corpus:{version}"])
                return published
        except CorpusMoved:
            if not left:
                raise
    raise AssertionError("the loop above returns or raises")


async def conclude(tx: Transaction, verdict: GuardianVerdict, *, force: bool = False) -> Published:
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


async def _tell(tx: Transaction, verdict: GuardianVerdict) -> None:
    await raise_alert(
        tx,
        REFUSED_ALERT,
        "The guardian refused a version of the corpus; readers stay with the last one.",
        value=float(verdict.version),
        threshold=0.0,
    )
    log.error("corpus_refused", version=verdict.version, reason=verdict.summary)
