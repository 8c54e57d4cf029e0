"""What is one of few words says which, everywhere in the description: clients make types of it."""

import re
from collections.abc import Iterator
from enum import Enum
from typing import Any

import pytest

from handfast.apps.fixtures.answers import DecisionWord
from handfast.apps.fixtures.values import Status
from handfast.apps.offers.daily.ids import SetType
from handfast.apps.offers.explaining.views import PickWord, SetStatus
from handfast.apps.offers.rounds.picks import PickKind
from handfast.apps.offers.rules.actions import OfferStatus
from handfast.apps.offers.users.matches import ClosedReason
from handfast.apps.stakes.values import DisputeStatus, SessionStatus, TicketStatus
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api
from handfast.engine.jobs.states import JobState
from handfast.engine.operating.jobs_view import AttemptEnding
from handfast.services.ledger.values import AccountKind, TransferKind
from handfast.services.webhooks.endpoints import EndpointState
from handfast.wiring import load_settings
from tests.support.calling import OPERATOR_TOKEN, calling
from tests.support.systems import whole_system

FEW_WORDS = re.compile(
    r"(?:^|[a-z_])(state|status|outcome|resolution|decision|role|mode|severity|level|action)$",
    re.IGNORECASE,
)
KINDS = {"StatementLine", "TrialLine", "TransferAnswer"}  # elsewhere it is the kind of a job
OPEN = {
    "AuditEntry.action": "a program may write its own",
    "NewSession.onboardingStatus": "whoever describes users says it; identity knows no words of it",
    "PostedFixture.status": "as a source writes it: what it means is found out, or refused",
}


def named(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, schema in document["components"]["schemas"].items():
        for field, said in schema.get("properties", {}).items():
            if FEW_WORDS.search(field) or (field in ("kind", "entryKind") and name in KINDS):
                yield f"{name}.{field}", said


def is_any_text(said: dict[str, Any]) -> bool:
    ways = said.get("oneOf") or said.get("anyOf") or [said]
    return any(one.get("type") == "string" and not {"enum", "const"} & set(one) for one in ways)


async def test_every_state_names_its_words(database: Database, dsn: str) -> None:
    api = create_api(whole_system(load_settings(), database, Target(dsn)), OPERATOR_TOKEN)
    async with calling(api) as client:
        document = (await client.get("/openapi.json")).json()
    found = dict(named(document))
    assert {"TicketShown.status", "JobSummary.state", "RunView.status"} <= set(found)
    assert {name for name, said in found.items() if is_any_text(said)} == set(OPEN)


IN_DATABASE = {
    AttemptEnding: "handfast_engine.outcome",
    JobState: "handfast_engine.job_state",
    Status: "handfast_fixtures.status",
    AccountKind: "handfast_ledger.account_kind",
    TransferKind: "handfast_ledger.transfer_kind",
    DecisionWord: "decision_word",
    DisputeStatus: "dispute_status",
    SessionStatus: "session_status",
    TicketStatus: "ticket_status",
    OfferStatus: "offer_status",
    SetStatus: "set_status",
    SetType: "set_type",
    ClosedReason: "match_closed_reason",
    EndpointState: "endpoint_state",
}


@pytest.mark.parametrize("words", IN_DATABASE, ids=lambda words: words.__name__)
async def test_the_words_are_those_of_the_database(database: Database, words: type[Enum]) -> None:
    named = IN_DATABASE[words]
    async with database.connection() as connection:
        if "." in named:
            stored = await connection.fetchval(f"SELECT enum_range(NULL::{named})::text[]")
        else:
            rule = await connection.fetchval(
                "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = $1", named
            )
            stored = re.findall(r"'(\w+)'::text", rule)
    assert {one.value for one in words} == set(stored)


def test_why_somebody_was_picked_in_words() -> None:
    assert [word.name for word in PickWord] == [kind.name for kind in PickKind]
