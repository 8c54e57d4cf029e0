"""Durable matchmaking on PostgreSQL: decide who is matched, exactly once, and survive everything.

The public names are loaded when they are first asked for: the guardian of the embedded server is a
part of this package too, and starts with nothing but the standard library.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from handfast.apps.fixtures.pipelines import Pipeline, Step
    from handfast.apps.fixtures.program import Fixture
    from handfast.base.errors import HandfastError
    from handfast.db.transaction import Transaction
    from handfast.engine.batch import BatchJob
    from handfast.engine.catch_up import CatchUp
    from handfast.engine.context import Context
    from handfast.engine.enqueue import PRUNED, Enqueued
    from handfast.engine.retry import DataInconsistent, FailureClass, Retry, RetryAt, RetryPolicy
    from handfast.engine.schedule import Tick
    from handfast.engine.states import JobState
    from handfast.engine.worker import WorkerOptions
    from handfast.facade import Handfast
    from handfast.services.webhooks.asgi import WebhookEndpoint
    from handfast.services.webhooks.inbox import WebhookInbox, webhooks_inbox_ddl
    from handfast.services.webhooks.receiver import WebhookEvent, WebhookReceiver

__version__ = "0.1.0"

__all__ = [
    "PRUNED",
    "BatchJob",
    "CatchUp",
    "Context",
    "DataInconsistent",
    "Enqueued",
    "FailureClass",
    "Fixture",
    "Handfast",
    "HandfastError",
    "JobState",
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
    "PRUNED": "handfast.engine.enqueue",
    "BatchJob": "handfast.engine.batch",
    "CatchUp": "handfast.engine.catch_up",
    "Context": "handfast.engine.context",
    "DataInconsistent": "handfast.engine.retry",
    "Enqueued": "handfast.engine.enqueue",
    "FailureClass": "handfast.engine.retry",
    "Fixture": "handfast.apps.fixtures.program",
    "Handfast": "handfast.facade",
    "HandfastError": "handfast.base.errors",
    "JobState": "handfast.engine.states",
    "Pipeline": "handfast.apps.fixtures.pipelines",
    "Retry": "handfast.engine.retry",
    "RetryAt": "handfast.engine.retry",
    "RetryPolicy": "handfast.engine.retry",
    "Step": "handfast.apps.fixtures.pipelines",
    "Tick": "handfast.engine.schedule",
    "Transaction": "handfast.db.transaction",
    "WebhookEndpoint": "handfast.services.webhooks.asgi",
    "WebhookEvent": "handfast.services.webhooks.receiver",
    "WebhookInbox": "handfast.services.webhooks.inbox",
    "WebhookReceiver": "handfast.services.webhooks.receiver",
    "WorkerOptions": "handfast.engine.worker",
    "webhooks_inbox_ddl": "handfast.services.webhooks.inbox",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'handfast' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_HOMES[name]), name)
