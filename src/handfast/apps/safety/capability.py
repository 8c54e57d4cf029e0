"""Safety as a capability."""

from handfast.engine.capability import Capability, Command, EventType, Fact, Hook, Page

_FOLLOWING = "handfast.apps.safety.following"

SAFETY = Capability(
    name="safety",
    about="reports, what operators decide about them, appeals",
    requires=("offers", "identity"),
    schemas=("safety",),
    errors="handfast.apps.safety.errors",
    settings="handfast.apps.safety.settings:SafetySettings",
    chores="handfast.apps.safety.watching:chores",
    metrics="handfast.apps.safety.metrics",
    events=(
        EventType("safety.report_submitted", "somebody was reported; told to no user"),
        EventType("safety.moderation_decided", "an operator has decided about a report or appeal"),
    ),
    facts=(
        Fact("pair.reported", ("reporter_id", "user_id")),
        Fact("content.removed", ("type", "subject_id", "user_id")),
    ),
    hooks=(
        Hook("user.suspended", f"{_FOLLOWING}:on_suspended"),
        Hook("user.erased", f"{_FOLLOWING}:on_erased"),
    ),
    personal_data="handfast.apps.safety.following:own_data",
    routes="handfast.edge.http.routes.safety:router",
    traffic="handfast.demo.traffic.reporting:report",
    pages=(Page("moderation", "Moderation", for_viewers=False),),
    commands=(
        Command(
            "safety",
            "handfast.edge.cli.safety.safety:app",
            "Reports and appeals: the queue, decide, write a note.",
        ),
    ),
)
