"""What chat counts."""

from prometheus_client import Counter

from handfast.base.telemetry import REGISTRY

MESSAGES = Counter(
    "handfast_chat_messages",
    "Messages by what became of them: sent, again, reused, closed.",
    ["outcome"],
    registry=REGISTRY,
)
REMOVED = Counter(
    "handfast_chat_matches_cleared",
    "Closed matches whose time was over: their chat is gone.",
    registry=REGISTRY,
)
