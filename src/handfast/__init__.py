"""Durable matchmaking on PostgreSQL: decide who is matched, exactly once, and survive everything.

The public names are loaded when they are first asked for: the guardian of the embedded server is a
part of this package too, and starts with nothing but the standard library.

The rooms, each of which knows those below it and none above (``ARCHITECTURE.md``):

    client    the public names of ``edge.client``
    edge      HTTP, the command line, the client: where people and programs come in
    demo      what ``handfast demo`` shows
    facade    ``Handfast``, what a program holds
    wiring    settings in, a running system out
    apps      one package for each kind of matchmaking
    services  guarantees that apps share
    engine    durable jobs
    db        PostgreSQL: started, reached, shaped, talked to
    base      what everything else may use
    sql       schema, functions and statements, as files
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from handfast.apps.fixtures.facade import Fixture
    from handfast.apps.fixtures.pipelines.pipeline import Pipeline, Step
    from handfast.base.errors import HandfastError
    from handfast.db.transaction import Transaction
    from handfast.engine.crew import WorkerOptions
    from handfast.engine.events import NewEvent
    from handfast.engine.host import HostOptions
    from handfast.engine.jobs.enqueue import PRUNED, Enqueued
    from handfast.engine.jobs.retry import (
        DataInconsistent,
        FailureClass,
        Retry,
        RetryAt,
        RetryPolicy,
    )
    from handfast.engine.jobs.states import JobState
    from handfast.engine.schedules.catch_up import CatchUp
    from handfast.engine.schedules.declared import Tick
    from handfast.engine.work.batch import Batch, BatchJob
    from handfast.engine.work.context import Context
    from handfast.facade import Handfast
    from handfast.services.webhooks.receiving.asgi import WebhookEndpoint
    from handfast.services.webhooks.receiving.inbox import WebhookInbox, webhooks_inbox_ddl
    from handfast.services.webhooks.receiving.receiver import WebhookEvent, WebhookReceiver

__version__ = "0.1.0"

__all__ = [
    "PRUNED",
    "Batch",
    "BatchJob",
    "CatchUp",
    "Context",
    "DataInconsistent",
    "Enqueued",
    "FailureClass",
    "Fixture",
    "Handfast",
    "HandfastError",
    "HostOptions",
    "JobState",
    "NewEvent",
    "Pipeline",
    "Retry",
    "RetryAt",
    "RetryPolicy",
    "Step",
    "Tick",
    "Transaction",
    "WebhookEndpoint",
    "WebhookEvent",
    "WebhookInbox",
    "WebhookReceiver",
    "WorkerOptions",
    "__version__",
    "webhooks_inbox_ddl",
]

_HOMES = {
    "PRUNED": "handfast.engine.jobs.enqueue",
    "Batch": "handfast.engine.work.batch",
    "BatchJob": "handfast.engine.work.batch",
    "CatchUp": "handfast.engine.schedules.catch_up",
    "Context": "handfast.engine.work.context",
    "DataInconsistent": "handfast.engine.jobs.retry",
    "Enqueued": "handfast.engine.jobs.enqueue",
    "FailureClass": "handfast.engine.jobs.retry",
    "Fixture": "handfast.apps.fixtures.facade",
    "Handfast": "handfast.facade",
    "HandfastError": "handfast.base.errors",
    "HostOptions": "handfast.engine.host",
    "JobState": "handfast.engine.jobs.states",
    "NewEvent": "handfast.engine.events",
    "Pipeline": "handfast.apps.fixtures.pipelines.pipeline",
    "Retry": "handfast.engine.jobs.retry",
    "RetryAt": "handfast.engine.jobs.retry",
    "RetryPolicy": "handfast.engine.jobs.retry",
    "Step": "handfast.apps.fixtures.pipelines.pipeline",
    "Tick": "handfast.engine.schedules.declared",
    "Transaction": "handfast.db.transaction",
    "WebhookEndpoint": "handfast.services.webhooks.receiving.asgi",
    "WebhookEvent": "handfast.services.webhooks.receiving.receiver",
    "WebhookInbox": "handfast.services.webhooks.receiving.inbox",
    "WebhookReceiver": "handfast.services.webhooks.receiving.receiver",
    "WorkerOptions": "handfast.engine.crew",
    "webhooks_inbox_ddl": "handfast.services.webhooks.receiving.inbox",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'handfast' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_HOMES[name]), name)
