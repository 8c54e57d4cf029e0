"""One pair of a plan: the rule that refused it, or the parts of its score and why it was taken or
not: who had no place left, and what they got instead."""

from collections.abc import Sequence
from datetime import date
from uuid import UUID

import msgspec

from handfast.apps.offers.daily import planning
from handfast.apps.offers.daily.apart import KeptApart
from handfast.apps.offers.daily.picked import StoredPick, picks_stored
from handfast.apps.offers.daily.planning import Plan
from handfast.apps.offers.rounds.picks import PickKind
from handfast.apps.offers.rounds.registry import DIRECTED
from handfast.apps.offers.rules.eligibility import refusal
from handfast.apps.offers.rules.person import Person, ScoredQuestion, unpacked
from handfast.apps.offers.rules.score import OneSidedFit, harmonic, look, score, shown, themes
from handfast.base.errors import NotFound
from handfast.db.statements import statement
from handfast.db.transaction import Queryable


class SidedFit(msgspec.Struct, frozen=True, rename="camel"):
    """What one sees in the other: N of D over n questions, and the largest parts."""

    reached: int
    possible: int
    shared: int
    themes: list[str]


class PickShown(msgspec.Struct, frozen=True, rename="camel"):
    candidate_id: UUID
    place: int
    score: int
    kind: str


class PairExplained(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """`verdict` says it in a sentence. `got` and `otherGot` are what the two were given."""

    day: date
    user_id: UUID
    candidate_id: UUID
    verdict: str
    refused_by: str | None = None
    fit: int | None = None
    score: int | None = None
    needed: int | None = None
    sees: SidedFit | None = None
    is_seen: SidedFit | None = None
    got: list[PickShown] = []
    other_got: list[PickShown] = []


_MEMBER = statement("offers.member", row=Person)
_WHY_NOT = statement("offers.why_no_member", row=str)
_APART = statement("offers.apart_in_plan", row=KeptApart)
_LATEST = statement("offers.latest_plan", row=date)


async def latest_plan(on: Queryable) -> date:
    found = await _LATEST.maybe(on)
    if found is None:
        raise NotFound("No round has been made yet.", hint="See handfast offers stats.")
    return found


async def why_absent(on: Queryable, user_id: UUID) -> str | None:
    """Why a round that began now would be without this user; None if it would not."""
    day = await _LATEST.maybe(on)
    if day is None:
        return "no_round_yet"
    plan = await planning.plan_of(on, day)
    why = await _WHY_NOT.one(on, user_id, plan.question_version)
    return None if why == "came_later" else why


async def explain_pair(
    on: Queryable, day: date, user_id: UUID, candidate_id: UUID
) -> PairExplained:
    plan = await planning.plan_of(on, day)
    for who in (user_id, candidate_id):
        if await _MEMBER.maybe(on, day, who) is None:
            why = await _WHY_NOT.one(on, who, plan.question_version)
            return PairExplained(
                day, user_id, candidate_id, f"{who} is in no snapshot: {why}.", refused_by=why
            )
    one, other = await _MEMBER.one(on, day, user_id), await _MEMBER.one(on, day, candidate_id)
    apart = await _APART.maybe(on, day, user_id, candidate_id)
    got = await picks_stored(on, day, user_id)
    other_got = await picks_stored(on, day, candidate_id)
    questions = await planning.questions_of(on, plan)
    return explained(plan, questions, one, other, apart=apart, got=got, other_got=other_got)


def explained(
    plan: Plan,
    questions: Sequence[ScoredQuestion],
    one: Person,
    other: Person,
    *,
    apart: KeptApart | None,
    got: Sequence[StoredPick],
    other_got: Sequence[StoredPick],
) -> PairExplained:
    refused = refusal(one, other, plan.day)
    mine, theirs = unpacked(one.answers), unpacked(other.answers)
    sees, seen = look(questions, mine, theirs), look(questions, theirs, mine)
    value = score(questions, mine, theirs)
    if apart is not None and plan.selection in DIRECTED and apart.allows(one.id, value or 0):
        apart = None  # only the other way round
    needed = max(plan.rules.minimum_score * 100, apart.needs if apart else 0)
    found = PairExplained(
        plan.day,
        one.id,
        other.id,
        "",
        refused_by=refused or (apart.reason if apart and apart.at_least is None else None),
        fit=harmonic(sees, seen),
        score=value,
        needed=needed,
        sees=_side(sees, themes(questions, mine, theirs)),
        is_seen=_side(seen, themes(questions, theirs, mine)),
        got=[_pick(pick) for pick in got],
        other_got=[_pick(pick) for pick in other_got],
    )
    return msgspec.structs.replace(found, verdict=_verdict(found, one, other))


def _verdict(found: PairExplained, one: Person, other: Person) -> str:
    taken = next((pick for pick in found.got if pick.candidate_id == other.id), None)
    if taken is not None:
        return f"Taken: {taken.kind}, at place {taken.place}."
    if found.refused_by is not None:
        return f"Not eligible: {found.refused_by}."
    if found.score is None:
        return "Not scored: one of the two has nothing to go by."
    if found.score < (found.needed or 0):
        needed = shown(found.needed or 0)
        return f"Not taken: the score is {shown(found.score)}, and {needed} is needed."
    full = [
        str(person.id)
        for person, got in ((one, found.got), (other, found.other_got))
        if _places_taken(got) >= person.places
    ]
    if full:
        return f"Not taken: no place left for {' and '.join(full)}, who got better pairs."
    return "Not taken by this selection."


def _places_taken(got: Sequence[PickShown]) -> int:
    return sum(pick.kind != PickKind.RESERVE.name.lower() for pick in got)


def _side(fit: OneSidedFit, why: list[str]) -> SidedFit:
    return SidedFit(fit.reached, fit.possible, fit.shared, why)


def _pick(pick: StoredPick) -> PickShown:
    kind = PickKind(pick.kind).name.lower()
    return PickShown(pick.candidate_id, pick.place, pick.score, kind)
