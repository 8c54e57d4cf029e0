"""Identity as a capability."""

from handfast.engine.capability import Capability, Command, EventType, Fact, Page

IDENTITY = Capability(
    name="identity",
    about="accounts by phone, sign-ins and their tokens, for people and players",
    requires=("idempotency", "limits"),
    schemas=("identity",),
    errors="handfast.services.identity.errors",
    settings="handfast.services.identity.settings:IdentitySettings",
    kept_file="handfast.services.identity.settings:SECRET_FILE",
    work="handfast.services.identity.work:open_work",
    lanes=("identity",),
    metrics="handfast.services.identity.metrics",
    events=(
        EventType("auth.refresh_reused", "a refresh token was used again: its sign-in is ended"),
        EventType(
            "auth.signed_out", "a sign-in has ended: by its user, an operator or a newer one"
        ),
        EventType("user.suspended", "an account is suspended"),
        EventType("user.reinstated", "an account is no longer suspended"),
        EventType("user.deleted", "a user has deleted their account"),
    ),
    facts=(
        Fact("user.created", ("user_id",)),
        Fact("user.suspended", ("user_id", "action_id", "until")),
        Fact("user.reinstated", ("user_id",)),
        Fact("user.deleted", ("user_id",)),
        Fact("user.restored", ("user_id",)),  # signed in within 30 days of the deletion
        Fact("user.erased", ("user_id",)),  # 30 days later: forget what you keep
    ),
    routes="handfast.edge.http.routes.identity:router",
    pages=(Page("people", "People", for_viewers=False),),
    shared="handfast.services.identity.authority:authority_of",
    authenticator="handfast.edge.http.signed_in:UserTokens",
    checks="handfast.edge.cli.identity.checks:check_identity",
    commands=(
        Command(
            "identity",
            "handfast.edge.cli.identity.identity:app",
            "Accounts, sign-ins and signing keys: look, suspend, end, rotate.",
        ),
    ),
)
