"""Sending a code: the same request for ten minutes, and never more messages than the limits allow.

Whether a phone has an account is not asked, so nothing that is answered, and no statement, depends
on it. The message itself is a job, made in the same transaction: it is sent if and when that is
committed, and tried again while the code is good. Its payload has neither number nor code.
"""

import math
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import msgspec

from handfast.base.errors import SettingsError
from handfast.db.pool import Database
from handfast.db.statements import statement
from handfast.db.transaction import Transaction
from handfast.engine.jobs.enqueue import enqueue
from handfast.engine.jobs.kinds import Kind, payload_of
from handfast.engine.jobs.options import Options
from handfast.engine.jobs.retry import RetryPolicy
from handfast.engine.work.context import Context
from handfast.services.identity import metrics
from handfast.services.identity.authority import TokenAuthority
from handfast.services.identity.otp.codes import code_again, code_of, stored
from handfast.services.identity.otp.phones import Phone
from handfast.services.identity.otp.sms import SmsSender, message
from handfast.services.identity.secret import IdentitySecret, Purpose
from handfast.services.identity.settings import IdentitySettings
from handfast.services.limits.headers import too_many
from handfast.services.limits.limit import Ask, Limit
from handfast.services.limits.limiter import Limiter

LANE = "identity"
KIND = "identity.send_code"
LIFE = timedelta(minutes=10)
AGAIN = timedelta(seconds=60)  # at the earliest a second message follows the first
TRIES = 3
SECONDS_MAX = 30.0  # for a gateway to take a message
HORIZON = timedelta(days=7)  # a request's id is new for ever
# Within the ten minutes: what a gateway refuses is tried again soon, and then not at all.
RETRY = RetryPolicy(retries=4, waits=(2.0, 10.0, 30.0, 60.0), within=LIFE.total_seconds())

_OPTIONS = Options(lane=LANE, priority=1)  # somebody is waiting with the phone in hand

MINUTELY = Limit("otp-phone-minute", 1, timedelta(minutes=1), exact=True)
HOURLY = Limit("otp-phone-hour", 5, timedelta(hours=1), exact=True)
DAILY = Limit("otp-phone-day", 10, timedelta(days=1), exact=True)


class OtpRequest(msgspec.Struct, frozen=True):
    """``retry_after`` seconds from now another message may be asked for."""

    id: UUID
    expires_at: datetime
    retry_after: int


class _Live(msgspec.Struct, frozen=True):
    id: UUID | None
    expires_at: datetime | None
    sent_at: datetime | None
    sends: int | None
    at: datetime


class _ToSend(msgspec.Struct, frozen=True):
    phone: str
    code_hash: bytes


_LIVE = statement("identity.live_otp_request", row=_Live)
_ADD = statement("identity.add_otp_request", row=datetime)
_RENEW = statement("identity.renew_otp_code", row=datetime)
_TO_SEND = statement("identity.otp_to_send", row=_ToSend)


async def send(
    tx: Transaction,
    authority: TokenAuthority,
    limiter: Limiter,
    phone: Phone,
    *,
    device: str | None,
    address: str,
) -> OtpRequest:
    """The request that this phone and device have open, or a new one. Without a device the address
    stands in: a stranger elsewhere has a request of their own, and cannot use up its tries."""
    asker = asker_of(authority.secret, phone, device, address)
    live = await _LIVE.one(tx, asker, TRIES)
    if live.id is not None and live.expires_at is not None and live.sent_at is not None:
        wait = live.sent_at + AGAIN - live.at
        if timedelta(0) < wait <= AGAIN:  # longer: the clock was set back, and the limits decide
            return OtpRequest(live.id, live.expires_at, _seconds(wait))
    decision = await limiter.take_in(tx, asks(authority, phone, address))
    if not decision.admitted:
        metrics.CODES.labels("refused").inc()
        raise too_many(decision)
    request, number = (uuid4(), 1) if live.id is None else (live.id, (live.sends or 0) + 1)
    fixed = authority.test_numbers.get(phone.e164)
    code = fixed or code_of(authority.secret, request, number)
    hashed = stored(authority.secret, request, code)
    if number == 1:
        expires_at = await _ADD.one(tx, request, asker, hashed, phone.e164, LIFE)
    else:
        expires_at = await _RENEW.one(tx, request, hashed)
    metrics.CODES.labels("sent").inc()
    if fixed is None:
        payload = {"request": str(request), "number": number}
        await enqueue(tx, KIND, f"{request}:{number}", payload, options=_OPTIONS)
    return OtpRequest(request, expires_at, _seconds(AGAIN))


def asks(authority: TokenAuthority, phone: Phone, address: str) -> list[Ask]:
    """By hashes, where a subject would be somebody's number."""
    hour = timedelta(hours=1)
    settings: IdentitySettings = authority.settings
    number = authority.secret.digest(Purpose.PHONE, phone.e164).hex()
    prefix = authority.secret.digest(Purpose.PHONE, phone.prefix).hex()
    return [
        Ask(MINUTELY, number),
        Ask(HOURLY, number),
        Ask(DAILY, number),
        Ask(Limit("otp-address", settings.otp_address_limit, hour, exact=True), address),
        Ask(Limit("otp-prefix", settings.otp_prefix_limit, hour, exact=True), prefix),
        Ask(Limit("otp-country", settings.otp_country_limit, hour, exact=True), phone.country),
    ]


def asker_of(secret: IdentitySecret, phone: Phone, device: str | None, address: str) -> bytes:
    where = ("address", address) if device is None else ("device", device)
    return secret.digest(Purpose.ASKER, phone.e164, *where)


def send_kind(database: Database, authority: TokenAuthority, sender: SmsSender) -> Kind:
    """The job that sends one message, while its code is good and no other has followed."""

    async def send_code(ctx: Context, request: UUID, number: int) -> None:
        async with database.connection() as connection:
            found = await _TO_SEND.maybe(connection, request, number)
        if found is None:
            return
        code = code_again(authority.secret, request, number, found.code_hash)
        if code is None:  # tried again, perhaps by a process that knows it
            raise SettingsError(
                f"The code of the request {request} was made under a secret that is not in "
                "HANDFAST_IDENTITY_SECRET of this process. Nothing was sent.",
                hint="Give every process the same secrets (several may stand there, with commas "
                "between); a new one comes last at first, and first once all have it.",
            )
        await sender(found.phone, message(code))

    return Kind(
        name=KIND,
        handler=send_code,
        payload=payload_of(send_code),
        lane=LANE,
        priority=1,
        retry=RETRY,
        timeout=SECONDS_MAX,
        horizon=HORIZON,
    )


def _seconds(wait: timedelta) -> int:
    return math.ceil(wait.total_seconds())
