"""What viewers see: texts that people or programs wrote freely are masked, and of documents only
fields that are on a list are left.

What a list does not name is not shown: a field that somebody adds tomorrow is masked until somebody
has thought about it. The rules themselves stand with the answers that they are for.
"""

from collections.abc import Collection
from typing import Any, TypeVar
from urllib.parse import urlsplit

from handfast.base.masking import MASK

T = TypeVar("T")

# Of payloads and results, of whatever kind: what tells jobs apart, and nobody's data.
DOCUMENT_FIELDS = frozenset(
    {
        *("attempt", "attempts", "batch", "count", "page", "version"),
        *("kind", "lane", "state", "status", "step"),
        *("competition", "season", "fixtureId", "kickoff"),
        *("deliveryId", "endpointId", "eventId", "eventType", "jobId", "runId"),
    }
)


def as_it_is(answer: T) -> T:
    """Nothing in it that viewers may not see."""
    return answer


def masked(text: str | None) -> str | None:
    """A text that may hold anything; only whether there is one is told."""
    return None if text is None else MASK


def shown_fields(document: Any, fields: Collection[str] = DOCUMENT_FIELDS) -> Any:
    """The document with every value masked that is not in a field of the list, however deep. A
    field is the same in either spelling: ``runId``, ``run_id``."""
    listed = {_plain(field) for field in fields}
    return None if document is None else _shown(document, listed, listed_here=False)


def _shown(value: Any, listed: Collection[str], *, listed_here: bool) -> Any:
    if isinstance(value, dict):
        return {
            name: _shown(inner, listed, listed_here=_plain(name) in listed)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [_shown(inner, listed, listed_here=listed_here) for inner in value]
    return value if listed_here else MASK


def _plain(field: str) -> str:
    return field.replace("_", "").lower()


def origin(url: str) -> str:
    """Where it leads, without its path and query: often these are the secret."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}/…"
