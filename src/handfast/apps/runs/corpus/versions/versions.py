"""The versions of the corpus: what there is, switching between them, going back.

A switch is one transaction (``handfast_runs.switch_corpus``). A reader asks which version is
current and
reads that one, so whatever it reads is of one version; the one that it left is kept for whoever
still reads it.
"""

from datetime import datetime
from enum import StrEnum

import msgspec

from handfast.apps.runs.errors import CorpusMoved, CorpusRefused, CorpusVersionUnusable
from handfast.db.statements import BULK_SECONDS_MAX, statement
from handfast.db.transaction import Queryable, Transaction
from handfast.engine.operating.alerts import clear_alert

REFUSED_ALERT = "corpus_refused"
LIST_MAX = 1000


class CorpusState(StrEnum):
    BUILDING = "building"
    BUILT = "built"
    REFUSED = "refused"
    CURRENT = "current"
    PREVIOUS = "previous"
    RETIRED = "retired"


class CorpusVersion(msgspec.Struct, frozen=True, rename="camel"):
    version: int
    state: str
    made_at: datetime
    built_at: datetime | None
    switched_at: datetime | None
    left_at: datetime | None
    startups: int | None
    investors: int | None
    matches: int | None
    source: str
    verdict: str | None  # JSON
    weights: str | None  # JSON


class Switched(msgspec.Struct, frozen=True):
    """``was`` is None where there was no corpus before."""

    version: int
    was: int | None


class _Outcome(msgspec.Struct, frozen=True):
    outcome: str
    was: int | None


class _RolledBack(msgspec.Struct, frozen=True):
    version: int | None
    was: int | None


_VERSIONS = statement("runs.corpus_versions", row=CorpusVersion)
_CURRENT = statement("runs.current_corpus", row=int)
_SWITCH = statement("runs.switch_corpus", row=_Outcome, seconds=BULK_SECONDS_MAX)
_ROLL_BACK = statement("runs.roll_back_corpus", row=_RolledBack, seconds=BULK_SECONDS_MAX)


async def list_versions(on: Queryable, limit: int = LIST_MAX) -> list[CorpusVersion]:
    """Newest first."""
    return await _VERSIONS.all(on, None, limit)


async def get_version(on: Queryable, version: int) -> CorpusVersion:
    found = await _VERSIONS.maybe(on, version, 1)
    if found is None:
        raise CorpusVersionUnusable(
            f"There is no version {version} of the corpus.",
            hint="`handfast corpus versions` lists those that there are.",
        )
    return found


async def current_version(on: Queryable) -> int | None:
    return await _CURRENT.maybe(on)


async def switch(
    tx: Transaction, version: int, *, force: bool = False, over: int | None = None
) -> Switched:
    """All readers go over to ``version`` when ``tx`` commits.

    ``over`` is the version that it was compared with (0 for none): if another one has become
    current since, ``CorpusMoved`` is raised and nothing changes. Switching to the current version
    changes nothing either.
    """
    done = await _SWITCH.one(tx, version, force, over)
    if done.outcome in ("switched", "already"):
        if done.outcome == "switched":
            await clear_alert(tx, REFUSED_ALERT)
        return Switched(version, done.was)
    if done.outcome == "moved":
        raise CorpusMoved(
            f"Version {done.was} became current while version {version} was being looked at.",
            hint=f"Look again: `handfast corpus check {version}`, then switch.",
        )
    if done.outcome == "refused":
        raise CorpusRefused(
            f"Version {version} was refused.",
            hint=f"`handfast corpus check {version}` says why. `handfast corpus switch {version} "
            "--force` switches all the same.",
            version=version,
        )
    raise CorpusVersionUnusable(
        f"There is no version {version} of the corpus."
        if done.outcome == "missing"
        else f"Version {version} is {done.outcome}: there is nothing to read in it.",
        hint="`handfast corpus versions` lists those that there are.",
    )


async def roll_back(tx: Transaction, reason: str) -> Switched:
    """All readers go back to the version before the current one when ``tx`` commits.

    The one that they leave counts as refused: rolling back again goes further back.
    """
    done = await _ROLL_BACK.one(tx, reason)
    if done.version is None:
        raise CorpusVersionUnusable(
            "There is no version before the current one to go back to."
            if done.was is not None
            else "There is no corpus yet, so there is nothing to go back from.",
            hint="`handfast corpus versions` lists those that there are.",
        )
    return Switched(done.version, done.was)
