"""Events as they come."""

import msgspec
from msgspec.structs import replace

from handfast.edge.api.viewing import shown_fields
from handfast.engine.event_envelope import StoredEvent

# Of the data of our own events, by the area of their type; of a program's own, nothing.
EVENT_FIELDS: dict[str, set[str]] = {
    "alert": {"name", "summary", "threshold", "value"},
    "auth": set(),  # of people viewers see nothing
    "chat": set(),
    "corpus": {"forced", "version", "was"},
    "fixture": {
        *("awayGoals", "dataVersion", "externalId", "fixtureId", "homeGoals"),
        *("kickoff", "late", "model", "movedFrom", "status", "step"),
    },
    "job": {"attempts", "errorClass", "jobId", "key", "kind", "lane"},
    "ledger": set(),  # and of money neither
    "match": set(),
    "offers": {
        *("anchors", "day", "exposureGini", "meanScore", "mutualShare", "neverShown", "offers"),
        *("oneSided", "pairs", "people", "returns", "topMeanScore", "withoutOffers"),
    },
    "run": {"canonicalUrl", "corpusVersion", "errorCode", "matchCount", "runId", "status"},
    "safety": set(),
    "session": {"disputeId", "frozen", "sessionId"},
    "stake": {"sessionId", "ticketId", "ticketIds"},  # who it was, and money: neither
    "user": set(),
    "webhook": {"endpointId", "skipped"},
}


def event_for_viewers(event: StoredEvent) -> StoredEvent:
    area = event.type.partition(".")[0]
    data = shown_fields(msgspec.json.decode(event.data), EVENT_FIELDS.get(area, frozenset()))
    return replace(event, data=msgspec.json.encode(data).decode())
