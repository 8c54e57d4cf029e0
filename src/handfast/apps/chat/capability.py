"""Chat as a capability."""

from handfast.engine.capability import Capability, EventType, Hook

_FOLLOWING = "handfast.apps.chat.following"

CHAT = Capability(
    name="chat",
    about="messages between matched people",
    requires=("offers",),
    schemas=("chat",),
    errors="handfast.apps.chat.errors",
    settings="handfast.apps.chat.settings:ChatSettings",
    work="handfast.apps.chat.removal:open_work",
    lanes=("chat",),
    metrics="handfast.apps.chat.metrics",
    events=(
        EventType("chat.message_sent", "a message was sent; told to both"),
        EventType("chat.read", "messages were read; told to both"),
    ),
    hooks=(
        Hook("content.removed", f"{_FOLLOWING}:on_removed"),
        Hook("user.erased", f"{_FOLLOWING}:on_erased"),
    ),
    describe_matches="handfast.apps.chat.describing:describe_matches",
    evidence="handfast.apps.chat.evidence:evidence",
    personal_data="handfast.apps.chat.describing:own_data",
    routes="handfast.edge.http.routes.chat:router",
    traffic="handfast.demo.traffic.chatting:write",
)
