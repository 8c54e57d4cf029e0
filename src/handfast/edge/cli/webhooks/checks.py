"""What doctor finds out about webhooks."""

from handfast.base.settings import Mode
from handfast.edge.cli.database.findings import Finding, FindingLevel
from handfast.engine.system import System
from handfast.services.webhooks.settings import WebhooksSettings


async def check_webhooks(system: System) -> Finding | None:
    """In production they should not reach private addresses."""
    settings = system.settings
    private = settings.of(WebhooksSettings).webhooks_allow_private
    return _private_webhooks() if settings.mode is Mode.PRODUCTION and private else None


def _private_webhooks() -> Finding:
    return Finding(
        "webhooks",
        FindingLevel.NOTE,
        "HANDFAST_WEBHOOKS_ALLOW_PRIVATE is true, and HANDFAST_MODE is production: whoever may "
        "register an endpoint can reach what this machine can reach",
        "Unset HANDFAST_WEBHOOKS_ALLOW_PRIVATE. It is for development.",
    )
