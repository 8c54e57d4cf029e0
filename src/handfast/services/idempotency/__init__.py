"""A request that is sent twice is carried out once, and answered twice.

A request with the header ``Idempotency-Key`` is *claimed* before it reaches the application: one
short commit, whose token fences everything that follows. The response is recorded in the same
transaction as the handler's writes, so that both are there or neither. Whoever sends the request
again gets the recorded response; whoever sends it meanwhile waits for it.

    middleware      what happens to each request; pure ASGI
    rules           which routes require, allow or ignore a key
    principals      whose key it is
    keys            reading the header
    fingerprint     what makes a request the same; multipart by its parts
    bodies          reading the request whole
    store           what is asked of a store, and the claim's token
    postgres_store  the store of record
    claims          the claims of many requests in one round trip
    last_word       the record, sent together with COMMIT
    redis_store     for applications without PostgreSQL, with a window that it documents
    cache           Redis in front of PostgreSQL, never believed
    seal            encryption of kept responses
    flights         duplicates within one process wait here
    renewal         leases of handlers that take long
    execution       the request's transaction, and how a request ends
    recorder        a response held back until it is committed
    answers         which responses are kept, and what of them
    retention       expired records are deleted
"""

from typing import TYPE_CHECKING, Any

from handfast.services.idempotency.execution import started, transaction
from handfast.services.idempotency.middleware import IdempotencyMiddleware
from handfast.services.idempotency.postgres_store import PostgresStore
from handfast.services.idempotency.principals import client_address
from handfast.services.idempotency.retention import prune
from handfast.services.idempotency.rules import Need, Rule, ignored, optional, required
from handfast.services.idempotency.seal import Seal

if TYPE_CHECKING:
    from handfast.services.idempotency.cache import RedisCache
    from handfast.services.idempotency.redis_store import RedisStore

__all__ = [
    "IdempotencyMiddleware",
    "Need",
    "PostgresStore",
    "RedisCache",
    "RedisStore",
    "Rule",
    "Seal",
    "client_address",
    "ignored",
    "optional",
    "prune",
    "required",
    "started",
    "transaction",
]

# The library of Redis is a good part of what `up` and `worker` import, and most never call it.
_WITH_REDIS = {
    "RedisCache": "handfast.services.idempotency.cache",
    "RedisStore": "handfast.services.idempotency.redis_store",
}


def __getattr__(name: str) -> Any:
    if name not in _WITH_REDIS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_WITH_REDIS[name]), name)
