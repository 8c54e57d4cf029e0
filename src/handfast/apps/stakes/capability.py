"""Stakes as a capability."""

from handfast.engine.capability import Capability, Command, EventType, Hook, Page

_FOLLOWING = "handfast.apps.stakes.following"

STAKES = Capability(
    name="stakes",
    about="stakes: a queue of players who stake the same amount, and the games between them",
    requires=("ledger", "identity"),
    schemas=("stakes",),
    errors="handfast.apps.stakes.errors",
    settings="handfast.apps.stakes.settings:StakesSettings",
    beside="handfast.apps.stakes.fast.mirror:mirroring",
    work="handfast.apps.stakes.work:open_work",
    lanes=("stakes",),
    expectations="handfast.apps.stakes.expectations:expectations",
    metrics="handfast.apps.stakes.metrics",
    events=(
        EventType("stake.queued", "a player has staked and waits"),
        EventType("stake.changed", "a ticket is in the line of another stake"),
        EventType("stake.cancelled", "a ticket was cancelled: the stake is credit"),
        EventType("stake.matched", "two tickets are paired: there is a session"),
        EventType("stake.expired", "nobody was found in time: the stake is credit"),
        EventType("session.settled", "the pot of a session was paid out"),
        EventType("session.disputed", "a session waits for a person"),
        EventType("session.voided", "nobody reported a result in time: the stakes are credit"),
    ),
    hooks=(
        Hook("user.suspended", f"{_FOLLOWING}:on_suspended"),
        Hook("user.deleted", f"{_FOLLOWING}:on_deleted"),
    ),
    routes="handfast.edge.http.routes.stakes:router",
    pages=(Page("stakes", "Stakes"),),
    commands=(
        Command(
            "stakes",
            "handfast.edge.cli.stakes.stakes:app",
            "The staked queue: who waits, a ticket, the log of pairing, a check.",
        ),
        Command(
            "sessions",
            "handfast.edge.cli.stakes.sessions:app",
            "Games and disputes: list and show them, settle a dispute.",
        ),
    ),
    facade="handfast.apps.stakes.facade:Stakes",
    checks="handfast.edge.cli.stakes.checks:check_stakes",
    scene="handfast.demo.stakes:stakes",
    traffic="handfast.demo.traffic.players:play",
)
