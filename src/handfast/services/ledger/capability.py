"""The ledger as a capability."""

from handfast.engine.capability import Capability, Command, EventType, Page

LEDGER = Capability(
    name="ledger",
    about="money: transfers that balance, holds that are resolved once, and seals over them",
    schemas=("ledger",),
    errors="handfast.services.ledger.errors",
    settings="handfast.services.ledger.settings:LedgerSettings",
    work="handfast.services.ledger.jobs:open_work",
    lanes=("ledger",),
    expectations="handfast.services.ledger.expectations:expectations",
    metrics="handfast.services.ledger.metrics",
    events=(EventType("ledger.sealed", "what was written to the ledger has a hash"),),
    routes="handfast.edge.http.routes.ledger:router",
    pages=(Page("ledger", "Ledger", for_viewers=False),),
    commands=(
        Command(
            "ledger",
            "handfast.edge.cli.ledger.ledger:app",
            "Money: check it, verify its seals, statements, the trial balance, deposits.",
        ),
    ),
    about_job="handfast.services.ledger.reading.connections:about_job",
    facade="handfast.services.ledger.facade:Ledger",
)
