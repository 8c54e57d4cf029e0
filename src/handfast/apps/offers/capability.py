"""Offers as a capability."""

from handfast.engine.capability import Capability, Command, EventType, Fact, Hook, Page

_FOLLOWING = "handfast.apps.offers.users.following"

OFFERS = Capability(
    name="offers",
    about="daily offers and matches",
    requires=("people",),
    schemas=("offers",),
    errors="handfast.apps.offers.errors",
    settings="handfast.apps.offers.settings:OffersSettings",
    work="handfast.apps.offers.work:open_work",
    lanes=("offers",),
    expectations="handfast.apps.offers.daily.expectations:expectations",
    metrics="handfast.apps.offers.metrics",
    events=(
        EventType("match.offer_generated", "a user's set of a day is there"),
        EventType("match.accepted", "a user has accepted an offer; told to that user alone"),
        EventType("match.created", "two users have accepted each other"),
        EventType("match.closed", "a match is over"),
        EventType("offers.round_done", "what a day's offers are is chosen, and not yet shown"),
    ),
    facts=(Fact("match.closed", ("match_id", "user_id", "partner_id", "reason")),),
    hooks=(
        Hook("pair.blocked", f"{_FOLLOWING}:on_blocked"),
        Hook("pair.reported", f"{_FOLLOWING}:on_reported"),
        Hook("user.suspended", f"{_FOLLOWING}:on_suspended"),
        Hook("user.deleted", f"{_FOLLOWING}:on_deleted"),
        Hook("user.erased", f"{_FOLLOWING}:on_erased"),
    ),
    shows_people="handfast.apps.offers.users.reading:shows",
    personal_data="handfast.apps.offers.users.reading:own_data",
    routes="handfast.edge.http.routes.offers:router",
    scene="handfast.demo.morning:morning",
    traffic="handfast.demo.traffic.couples:meet",
    pages=(Page("offers", "Offers"),),
    alerts="handfast.apps.offers.metrics:ALERTS",
    commands=(
        Command(
            "offers",
            "handfast.edge.cli.offers.offers:app",
            "Daily offers: make them, replay and explain them, compare selections.",
        ),
    ),
)
