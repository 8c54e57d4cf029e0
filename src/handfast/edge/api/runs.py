"""Match runs as they are asked for and answered over HTTP.

Names of two words are there in both spellings, ``runId`` and ``run_id``: programs written for the
Node service that came before read the columns of ``match_runs`` as they are. A field here whose
name ends in an underscore is the second spelling of the one without.
"""

from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar
from uuid import UUID

import msgspec
from msgspec.structs import replace

from handfast.apps.runs.corpus.versions.guardian import Check
from handfast.apps.runs.corpus.versions.versions import CorpusState, CorpusVersion
from handfast.apps.runs.matches import MatchPage, MatchView, StartupProfile
from handfast.apps.runs.records import MatchRun, RunPage, StartupRuns
from handfast.base.masking import MASK
from handfast.base.words import OneOf
from handfast.edge.api.viewing import masked
from handfast.engine.jobs.states import JobState
from handfast.engine.operating.jobs_view import AttemptEnding

Status = Literal["created", "queued", "processing", "ready", "error"]
Step = Literal["resolve", "extract", "parse", "match", "rank", "finalize"]


class RunsByStartup(msgspec.Struct, rename="camel"):
    startups: list[StartupRuns]


class RunRequest(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """The address of a startup's site; `fresh` wants a new run even if a ready one would do."""

    url: Annotated[str, msgspec.Meta(description="For example https://acme.com")]
    fresh: bool = False


class RunView(msgspec.Struct, rename="camel"):
    """States only move forward; only a run whose worker died goes back to `queued`. Names of two
    words are there in both spellings."""

    run_id: UUID
    status: Status
    step: Step
    input_url: str
    canonical_url: str
    startup_id: str | None
    match_count: int | None
    error_code: str | None
    error_message: str | None
    corpus_version: int | None
    created_at: datetime
    updated_at: datetime
    run_id_: UUID = msgspec.field(name="run_id")
    input_url_: str = msgspec.field(name="input_url")
    canonical_url_: str = msgspec.field(name="canonical_url")
    startup_id_: str | None = msgspec.field(name="startup_id")
    match_count_: int | None = msgspec.field(name="match_count")
    error_code_: str | None = msgspec.field(name="error_code")
    error_message_: str | None = msgspec.field(name="error_message")
    corpus_version_: int | None = msgspec.field(name="corpus_version")
    created_at_: datetime = msgspec.field(name="created_at")
    updated_at_: datetime = msgspec.field(name="updated_at")


class HeldRunView(RunView, rename="camel"):
    """For operators: also who works on it, and until when it is theirs."""

    locked_by: str | None
    lock_expires_at: datetime | None
    locked_by_: str | None = msgspec.field(name="locked_by")
    lock_expires_at_: datetime | None = msgspec.field(name="lock_expires_at")


class RunsView(msgspec.Struct):
    """`next` is null on the last page."""

    runs: list[HeldRunView]
    next: UUID | None


class InvestorMatch(MatchView, frozen=True, rename="camel"):
    """`score` is from 0 to 1000 and `percent` the same of a hundred. An investor of the corpus is a
    firm; `stage` has its stages in one text. Cheques are in whole US dollars."""

    firm: str
    stage: str | None
    investor_id_: str = msgspec.field(name="investor_id")
    cheque_min_: int | None = msgspec.field(name="cheque_min")
    cheque_max_: int | None = msgspec.field(name="cheque_max")


class RunWithMatches(RunView, rename="camel"):
    """`startup` and `matches` are null until it is ready; `next` is null on the last page."""

    startup: StartupProfile | None = None
    matches: list[InvestorMatch] | None = None
    next: str | None = None


S = TypeVar("S", bound=msgspec.Struct)


def run_view(run: MatchRun) -> RunView:
    return _in_both_spellings(RunView, run)


def runs_view(page: RunPage) -> RunsView:
    return RunsView([_in_both_spellings(HeldRunView, run) for run in page.runs], page.next)


def run_with_matches(run: MatchRun, page: MatchPage | None = None) -> RunWithMatches:
    if page is None:
        return _in_both_spellings(RunWithMatches, run)
    matches = [
        _in_both_spellings(
            InvestorMatch, match, firm=match.name, stage=", ".join(match.stages) or None
        )
        for match in page.matches
    ]
    return _in_both_spellings(
        RunWithMatches, run, startup=page.startup, matches=matches, next=page.next
    )


def _in_both_spellings(view: type[S], said: msgspec.Struct, **more: Any) -> S:
    fields = ((name, name.removesuffix("_")) for name in view.__struct_fields__)
    known = {name: getattr(said, plain) for name, plain in fields if hasattr(said, plain)}
    return view(**known, **more)


def runs_for_viewers(answer: RunsView) -> RunsView:
    return replace(answer, runs=[_run(run) for run in answer.runs])


def _run(run: HeldRunView) -> HeldRunView:
    said = masked(run.error_message)
    return replace(run, error_message=said, error_message_=said)


# --- for operators --------------------------------------------------------------------------------


class CorpusVerdict(msgspec.Struct, rename="camel"):
    """What the guardian found; ``passed`` is null where it did not look: a build that was cut off
    has a ``summary`` instead. ``rolledBack`` is why readers went back from this version."""

    passed: bool | None = None
    against: int | None = None
    checks: list[Check] = []
    summary: str | None = None
    rolled_back: str | None = None


class CorpusVersionShown(msgspec.Struct, rename="camel"):
    """``verdict`` is the guardian's, null where it has not looked yet."""

    version: int
    state: Annotated[str, OneOf(CorpusState)]
    made_at: datetime
    built_at: datetime | None
    switched_at: datetime | None
    left_at: datetime | None
    startups: int | None
    investors: int | None
    matches: int | None
    source: str
    verdict: CorpusVerdict | None
    weights: dict[str, Any] | None


class CorpusVersions(msgspec.Struct, rename="camel"):
    versions: list[CorpusVersionShown]


class RunStep(msgspec.Struct, rename="camel"):
    """A step of one attempt, which its token names; without an end it is under way, or was cut
    off."""

    token: int
    step: Step
    began_at: datetime
    ended_at: datetime | None
    milliseconds: float | None


class RunAttemptShown(msgspec.Struct, rename="camel"):
    token: int
    attempt: int
    outcome: Annotated[str, OneOf(AttemptEnding)]
    started_at: datetime | None
    finished_at: datetime
    error_class: str | None
    error: str | None


class RunTold(msgspec.Struct, rename="camel"):
    """A run as operators see it: with its job, and how long each step of each attempt took."""

    run: HeldRunView
    job_id: int | None
    job_state: Annotated[str, OneOf(JobState)] | None
    steps: list[RunStep]
    attempts: list[RunAttemptShown]


def corpus_versions(found: list[CorpusVersion]) -> CorpusVersions:
    return CorpusVersions([_version(one) for one in found])


def _version(one: CorpusVersion) -> CorpusVersionShown:
    said = msgspec.structs.asdict(one)
    if one.verdict is not None:
        said["verdict"] = msgspec.json.decode(one.verdict, type=CorpusVerdict)
    if one.weights is not None:
        said["weights"] = msgspec.json.decode(one.weights)
    return CorpusVersionShown(**said)


def run_told(run: MatchRun, known: dict[str, Any]) -> RunTold:
    job = known["job"] or {}
    return RunTold(
        _in_both_spellings(HeldRunView, run),
        job.get("id"),
        job.get("state"),
        msgspec.convert(known["steps"], list[RunStep]),
        msgspec.convert(known["attempts"], list[RunAttemptShown]),
    )


def corpus_for_viewers(answer: CorpusVersions) -> CorpusVersions:
    """Without where it came from, which may be an address with a secret."""
    return CorpusVersions([replace(one, source=MASK) for one in answer.versions])


def run_for_viewers(answer: RunTold) -> RunTold:
    attempts = [replace(one, error=masked(one.error)) for one in answer.attempts]
    return replace(answer, run=_run(answer.run), attempts=attempts)
