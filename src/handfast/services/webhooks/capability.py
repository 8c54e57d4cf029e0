"""Webhooks as a capability."""

from handfast.engine.capability import Capability, Command, EventType, Page

WEBHOOKS = Capability(
    name="webhooks",
    about="events delivered to other people's endpoints, signed, at least once",
    schemas=("webhooks",),
    errors="handfast.services.webhooks.errors",
    settings="handfast.services.webhooks.settings:WebhooksSettings",
    work="handfast.services.webhooks.sending.deliverer:open_work",
    lanes=("webhooks",),
    alerts="handfast.services.webhooks.metrics:ALERTS",
    metrics="handfast.services.webhooks.metrics",
    events=(EventType("webhook.endpoint_disabled", "an endpoint is not tried any more"),),
    routes="handfast.edge.http.routes.webhooks:router",
    pages=(Page("webhooks", "Webhooks"),),
    commands=(
        Command(
            "webhooks",
            "handfast.edge.cli.webhooks.webhooks:app",
            "Webhooks: endpoints, what was sent, and sending again.",
        ),
    ),
    checks="handfast.edge.cli.webhooks.checks:check_webhooks",
    about_job="handfast.services.webhooks.connections:about_job",
    about_events="handfast.services.webhooks.connections:about_events",
    scene="handfast.demo.webhook:webhook",
    traffic="handfast.demo.traffic.receiver:listen",
)
