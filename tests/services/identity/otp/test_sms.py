"""The message is a job: sent while its code is good, by what the settings name."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs

from handfast.base.errors import SettingsError
from handfast.db.transaction import Transaction
from handfast.engine.system import System
from handfast.services.identity.authority import TokenAuthority
from handfast.services.identity.otp.codes import code_of
from handfast.services.identity.otp.phones import Phone, read_phone
from handfast.services.identity.otp.sending import LANE, OtpRequest, send
from handfast.services.identity.otp.sms import log_sender, sender_of
from handfast.services.identity.otp.verifying import count_try, use
from handfast.services.identity.settings import LOG_SENDER
from handfast.services.limits.limiter import Limiter
from handfast.wiring import hosting, open_crews
from tests.support.clock import freeze
from tests.support.eventually import eventually_async

HERE = "tests.services.identity.otp.test_sms"
ANNA = Phone("+4915123456789", "49")
OLD, NEW = "the-secret-that-was-there-before-it-changed", "the-secret-that-is-there-from-now-on"
SENT: list[tuple[str, str]] = []
FAILURES: list[str] = []


async def gateway(phone: str, text: str) -> None:
    """Refuses as often as it was told to."""
    if FAILURES:
        raise ConnectionError(FAILURES.pop())
    SENT.append((phone, text))


NO_FUNCTION = 7


@pytest.fixture(autouse=True)
async def empty() -> AsyncIterator[None]:
    SENT.clear()
    FAILURES.clear()
    yield
    SENT.clear()


async def asked(tx: Transaction, system: System, authority: TokenAuthority) -> OtpRequest:
    limiter = Limiter(system.database)
    return await send(tx, authority, limiter, ANNA, device="phone", address="203.0.113.1")


async def no_jobs_left(system: System) -> bool:
    async with system.database.connection() as connection:
        return not await connection.fetchval("SELECT count(*) FROM handfast_engine.live")


def with_gateway(system: System) -> System:
    settings = system.settings.model_copy(update={"sms_sender": f"{HERE}:gateway"})
    return System(settings, system.database, system.direct, system.capabilities)


async def test_it_is_sent(system: System, authority: TokenAuthority) -> None:
    system = with_gateway(system)
    FAILURES.append("busy")
    async with open_crews(system, {}, (LANE,)) as crews, hosting(system, crews):
        async with system.database.transaction() as tx:
            request = await asked(tx, system, authority)

        async def was_sent() -> bool:
            return bool(SENT) and await no_jobs_left(system)

        await eventually_async(was_sent)
    [(phone, text)] = SENT
    assert phone == ANNA.e164
    assert text.startswith(f"{code_of(authority.secret, request.id, 1)} is your code.")
    async with system.database.connection() as connection:
        jobs = await connection.fetch("SELECT j::text FROM handfast_engine.jobs AS j")
        attempts = await connection.fetch("SELECT a::text FROM handfast_engine.attempts AS a")
    told = f"{jobs} {attempts}"
    assert str(request.id) in told
    assert "15123456789" not in told
    assert code_of(authority.secret, request.id, 1) not in told.replace(str(request.id), "")


def with_secrets(system: System, *secrets: str) -> System:
    settings = system.settings.model_copy(update={"identity_secret": SecretStr(",".join(secrets))})
    return with_gateway(System(settings, system.database, system.direct, system.capabilities))


async def asked_under_old(system: System) -> OtpRequest:
    async with system.database.transaction() as tx:
        return await asked(tx, system, TokenAuthority(with_secrets(system, OLD).settings))


async def test_the_code_that_is_stored_is_sent(system: System) -> None:
    """Whoever sends it may have got a new secret before whoever stored it, or after."""
    request = await asked_under_old(system)
    both = with_secrets(system, NEW, OLD)
    async with open_crews(both, {}, (LANE,)) as crews, hosting(both, crews):
        await eventually_async(lambda: no_jobs_left(both))
    [(_, text)] = SENT
    secret = TokenAuthority(both.settings).secret
    await count_try(both.database, secret, request.id, text[:6])
    async with both.database.transaction() as tx:
        assert await use(tx, secret, request.id, text[:6]) == ANNA.e164


async def test_a_code_that_would_be_wrong_is_not_sent(system: System) -> None:
    request = await asked_under_old(system)
    others = with_secrets(system, NEW)

    async def failures() -> list[str]:
        async with system.database.connection() as connection:
            rows = await connection.fetch("SELECT error FROM handfast_engine.attempts")
        return [row[0] for row in rows if row[0] is not None]

    async def has_failed() -> bool:
        return bool(await failures())

    async with open_crews(others, {}, (LANE,)) as crews, hosting(others, crews):
        await eventually_async(has_failed)
    assert SENT == []
    assert "HANDFAST_IDENTITY_SECRET" in (await failures())[0]
    knows = with_secrets(system, OLD, NEW)
    async with open_crews(knows, {}, (LANE,)) as crews, hosting(knows, crews):
        await eventually_async(lambda: no_jobs_left(knows))
    [(_, text)] = SENT
    secret = TokenAuthority(knows.settings).secret
    assert text.startswith(code_of(secret, request.id, 1)), "by the next who knows"


async def test_not_if_the_request_was_rolled_back(
    system: System, authority: TokenAuthority
) -> None:
    with pytest.raises(RuntimeError):
        async with system.database.transaction() as tx:
            await asked(tx, system, authority)
            raise RuntimeError
    assert await no_jobs_left(system)
    async with system.database.transaction() as tx:
        assert (await asked(tx, system, authority)).retry_after == 60, "and nothing was counted"


async def test_nor_when_its_code_is_no_longer_good(
    system: System, authority: TokenAuthority
) -> None:
    now = datetime(2026, 11, 17, 12, tzinfo=UTC)
    await freeze(system.database, now)
    async with system.database.transaction() as tx:
        await asked(tx, system, authority)
    await freeze(system.database, now + timedelta(minutes=10))
    system = with_gateway(system)
    async with open_crews(system, {}, (LANE,)) as crews, hosting(system, crews):
        await eventually_async(lambda: no_jobs_left(system))
    assert SENT == []


async def test_the_log_does_not_have_the_number() -> None:
    with capture_logs() as logs:
        await log_sender(ANNA.e164, "123456 is your code.")
    [line] = logs
    assert line["text"] == "123456 is your code."
    assert line["to"] == "+49…89"


def test_senders() -> None:
    assert sender_of(LOG_SENDER) is log_sender
    assert sender_of(f"{HERE}:gateway").__name__ == "gateway"
    for wrong in (f"{HERE}:missing", "no_such_module:send", f"{HERE}:NO_FUNCTION"):
        with pytest.raises(SettingsError, match="HANDFAST_SMS_SENDER"):
            sender_of(wrong)


def test_numbers_as_people_write_them() -> None:
    assert read_phone("49", "015123456789") == read_phone("49", "15123456789") == ANNA
    assert read_phone("1", "2025550123").e164 == "+12025550123"
    assert read_phone("1", "2025550123").prefix == "+1202555"
    assert ANNA.masked == "+49…89"
