"""A request that is sent twice is carried out once, and answered twice.

A request with the header ``Idempotency-Key`` is *claimed* before it reaches the application: one
short commit, whose token fences everything that follows. The response is recorded in the same
transaction as the handler's writes, so that both are there or neither. Whoever sends the request
again gets the recorded response; whoever sends it meanwhile waits for it.

    keys          reading the header
    fingerprint   what makes a request the same
    answers       which responses are kept, and what of them
    metrics       what is counted
    asgi          what happens to each request, in any ASGI application
    stores        where claims and answers are kept
    errors        errors of idempotency keys
    capability    idempotency keys as a capability: the API needs them
    chores        what is done for idempotency records now and then. Apart from the store, which a p
"""

from handfast.services.idempotency.asgi.execution import started, tag, transaction
from handfast.services.idempotency.asgi.middleware import IdempotencyMiddleware
from handfast.services.idempotency.asgi.principals import client_address
from handfast.services.idempotency.asgi.rules import KeyRule, Need, ignored, optional, required
from handfast.services.idempotency.stores.encryption import Encryption
from handfast.services.idempotency.stores.postgres import PostgresStore
from handfast.services.idempotency.stores.redis import RedisStore
from handfast.services.idempotency.stores.redis_cache import RedisCache
from handfast.services.idempotency.stores.retention import prune
from handfast.services.idempotency.stores.tags import drop_tag

__all__ = [
    "Encryption",
    "IdempotencyMiddleware",
    "KeyRule",
    "Need",
    "PostgresStore",
    "RedisCache",
    "RedisStore",
    "client_address",
    "drop_tag",
    "ignored",
    "optional",
    "prune",
    "required",
    "started",
    "tag",
    "transaction",
]
