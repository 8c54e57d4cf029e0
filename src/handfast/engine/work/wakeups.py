"""What ``handfast_engine.wake`` tells those who sleep: on which lane there is work, and of which
kinds.

``["mail", "mail.welcome"]``, or ``["mail"]`` for any kind; nothing when the listener may have
missed something. Only a hint: whoever is in doubt looks.
"""

from collections.abc import Container

import msgspec

_TOLD = msgspec.json.Decoder(list[str])


def concerns(told: str, lanes: Container[str], known: Container[str]) -> bool:
    """Whether that is for somebody with these lanes who knows these kinds."""
    try:
        lane, *kinds = _TOLD.decode(told)
    except (msgspec.DecodeError, ValueError):
        return True
    return lane in lanes and (not kinds or any(kind in known for kind in kinds))
