"""What sends a message: a function of two texts, named in HANDFAST_SMS_SENDER.

    async def send(phone: str, text: str) -> None: ...

It is called by a job, so what it raises is tried again while the code is good. The one that comes
along writes the code to the log, and is for development only.
"""

from collections.abc import Awaitable, Callable

from handfast.base.errors import SettingsError
from handfast.base.logs import get_logger
from handfast.engine.capability import found
from handfast.services.identity.settings import LOG_SENDER

SmsSender = Callable[[str, str], Awaitable[None]]

log = get_logger(__name__)


async def log_sender(phone: str, text: str) -> None:
    """The number is not written out: logs are kept longer than codes."""
    log.info("sms", to=f"{phone[:3]}…{phone[-2:]}", text=text)


def sender_of(setting: str) -> SmsSender:
    if setting == LOG_SENDER:
        return log_sender
    try:
        sender: SmsSender = found(setting)
    except (ImportError, AttributeError) as missing:
        raise SettingsError(
            f"HANDFAST_SMS_SENDER is {setting!r}, which cannot be imported: {missing}.",
            hint="Name a function as module:function, where Python finds the module.",
        ) from missing
    if not callable(sender):
        raise SettingsError(
            f"HANDFAST_SMS_SENDER is {setting!r}, which is no function.",
            hint="Write: async def send(phone: str, text: str) -> None",
        )
    return sender


def message(code: str) -> str:
    return f"{code} is your code. It is good for 10 minutes. Do not tell it to anybody."
