"""One identity whole, and why a job does not run."""

from typing import Any

import msgspec
from msgspec.structs import replace

from handfast.edge.api.events import EVENT_FIELDS
from handfast.edge.api.jobs import job_for_viewers
from handfast.edge.api.viewing import masked, shown_fields
from handfast.engine.operating.identity_view import IdentityEvent, IdentityView, JobConnection
from handfast.engine.operating.why import WhyReason

# Of what a job is to a capability; of money and of people, nothing.
CONNECTION_FIELDS: dict[str, set[str]] = {
    "fixtures": {"competition", "externalId", "fixtureId", "pipeline", "season", "status", "step"},
    "runs": {"canonicalUrl", "corpusVersion", "errorCode", "matchCount", "runId", "status", "step"},
    "webhooks": {"endpointId", "eventId"},
}


class JobWhy(msgspec.Struct, rename="camel"):
    """In the order in which they would have to be dealt with; never empty."""

    id: int
    reasons: list[WhyReason]


# --- as viewers see them --------------------------------------------------------------------------


def why_for_viewers(answer: JobWhy) -> JobWhy:
    return replace(answer, reasons=[_reason(one) for one in answer.reasons])


def identity_for_viewers(view: IdentityView) -> IdentityView:
    known = [one for one in view.connections if one.capability in CONNECTION_FIELDS]
    return replace(
        view,
        job=job_for_viewers(view.job),
        why=[_reason(one) for one in view.why],
        connections=[_connection(one) for one in known],
        events=[_event(one) for one in view.events],
    )


def _reason(reason: WhyReason) -> WhyReason:
    return replace(reason, note=masked(reason.note))


def _connection(one: JobConnection) -> JobConnection:
    facts: Any = shown_fields(one.facts, CONNECTION_FIELDS[one.capability])
    return replace(one, facts=facts)


def _event(event: IdentityEvent) -> IdentityEvent:
    area = event.type.partition(".")[0]
    return replace(event, data=shown_fields(event.data, EVENT_FIELDS.get(area, frozenset())))
