"""What production wants, what development makes, and a secret that changes."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from handfast.base.errors import SettingsError
from handfast.base.settings import Mode
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.http.app import create_api
from handfast.engine.system import System
from handfast.services.identity.authority import TokenAuthority
from handfast.services.identity.errors import TokenRevoked
from handfast.services.identity.secret import IdentitySecret, Purpose
from handfast.services.identity.settings import SECRET_FILE, IdentitySettings
from handfast.services.identity.sign_ins import end_sign_ins
from handfast.services.identity.tokens.signing_keys import add_key, verifying_keys
from handfast.services.identity.work import Housekeeper, identity_crew
from handfast.wiring import chosen, load_settings
from tests.support.clock import freeze
from tests.support.signed_in import sign_in

NOW = datetime(2026, 11, 17, 12, tzinfo=UTC)
OLD, NEW = "the-secret-that-was-there-before-it-changed", "the-secret-that-is-there-from-now-on"
PRODUCTION = {
    "mode": Mode.PRODUCTION,
    "admin_token": "hf_admin_for_the_tests_only",
    "idempotency_secret": "s" * 40,
}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"sms_sender": "shop.sms:send"}, "HANDFAST_IDENTITY_SECRET is not set"),
        ({"identity_secret": OLD}, "HANDFAST_SMS_SENDER is log"),
        (
            {"identity_secret": OLD, "sms_sender": "a:b", "test_numbers": "+15005550006=123456"},
            "HANDFAST_TEST_NUMBERS is set",
        ),
    ],
)
def test_production_does_not_start(
    database: Database, dsn: str, given: dict[str, str], why: str
) -> None:
    settings = load_settings(**PRODUCTION, **given)
    system = System(settings, database, Target(dsn), chosen())
    with pytest.raises(SettingsError, match=why):
        create_api(system, "hf_admin_for_the_tests_only")
    with pytest.raises(SettingsError, match=why):
        identity_crew(system)


def test_nor_asks_who_has_no_sign_ins(database: Database, dsn: str) -> None:
    settings = load_settings(chosen(None, ["runs"], serving=True), **PRODUCTION)
    system = System(settings, database, Target(dsn), chosen(None, ["runs"], serving=True))
    create_api(system, "hf_admin_for_the_tests_only")


def test_development_makes_a_secret_once(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path)
    made = TokenAuthority(settings)
    assert not (tmp_path / SECRET_FILE).exists(), "only when it is needed"
    digest = made.secret.digest(Purpose.PHONE, "x")
    assert (tmp_path / SECRET_FILE).stat().st_mode & 0o777 == 0o600
    assert TokenAuthority(settings).secret.digest(Purpose.PHONE, "x") == digest


@pytest.mark.parametrize(
    "given",
    [
        {"identity_secret": "short"},
        {"sms_sender": "no function"},
        {"test_numbers": "15005550006=123456"},
        {"test_numbers": "+15005550006=12345"},
        {"otp_address_limit": "0"},
    ],
)
def test_settings_that_cannot_be_used(given: dict[str, str]) -> None:
    [name] = given
    with pytest.raises(SettingsError, match=name.replace("_", "[-_]")):
        load_settings(**given)


def test_parts_are_told_apart() -> None:
    secret = IdentitySecret([OLD])
    assert secret.digest(Purpose.ASKER, "a", "bc") != secret.digest(Purpose.ASKER, "ab", "c")
    assert secret.digest(Purpose.ASKER, "a") != secret.digest(Purpose.DEVICE, "a")
    both = IdentitySecret([NEW, OLD])
    assert secret.digest(Purpose.ASKER, "a") in both.digests(Purpose.ASKER, "a")
    assert both.open(secret.seal(b"x", b"here"), b"here") == b"x"
    assert both.open(secret.seal(b"x", b"here"), b"there") is None
    assert IdentitySecret([NEW]).open(secret.seal(b"x", b"here"), b"here") is None


async def test_a_secret_that_changes(database: Database, dsn: str) -> None:
    def system(secret: str) -> System:
        settings = load_settings(identity_secret=secret)
        return System(settings, database, Target(dsn), chosen())

    await sign_in(system(OLD))
    await sign_in(system(f"{NEW},{OLD}"))
    with pytest.raises(SettingsError, match="cannot be opened"):
        await sign_in(system(NEW))
    async with database.transaction() as tx:
        await add_key(tx, TokenAuthority(system(NEW).settings).secret, max_age=None, revoke=True)
    await sign_in(system(NEW))


async def test_keys_are_rotated_by_a_chore(system: System, authority: TokenAuthority) -> None:
    keeper = Housekeeper(system, authority)

    async def keys() -> list[tuple[bool, bool]]:
        async with system.database.connection() as connection:
            rows = await connection.fetch(
                "SELECT private_key IS NOT NULL, verifies_until IS NULL"
                " FROM handfast_identity.signing_keys ORDER BY signs_from"
            )
            assert len(rows) >= len(await verifying_keys(connection))
        return [tuple(row) for row in rows]

    for later, wanted in (
        (timedelta(0), [(True, True)]),
        (timedelta(days=89, hours=23), [(True, True)]),
        (timedelta(days=90), [(True, False), (True, True)]),
        (timedelta(days=90, minutes=9), [(True, False), (True, True)]),
        (timedelta(days=90, minutes=11), [(False, False), (True, True)]),
        (timedelta(days=122), [(True, True)]),
        (timedelta(days=181), [(True, False), (True, True)]),
    ):
        await freeze(system.database, NOW + later)
        await keeper.rotate_keys()
        assert await keys() == wanted, later
    async with system.database.connection() as connection:
        stored = await connection.fetch("SELECT private_key FROM handfast_identity.signing_keys")
    assert all(len(row[0]) == 12 + 32 + 16 for row in stored), "nonce, key and tag: encrypted"
    assert system.settings.of(IdentitySettings).identity_secret is not None


async def test_tokens_are_remembered_within_bounds(
    system: System, authority: TokenAuthority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signature stays right; whether the sign-in stands is read each time."""
    monkeypatch.setattr("handfast.services.identity.authority.READ_MAX", 2)
    people = [await sign_in(system) for _ in range(3)]
    for person in people * 2:
        claims, _ = await authority.admit(system.database, person.access_token)
        assert claims.sub == person.user_id
    assert len(authority._read) == 2
    async with system.database.transaction() as tx:
        await end_sign_ins(tx, people[-1].user_id, "logout")
    with pytest.raises(TokenRevoked):
        await authority.admit(system.database, people[-1].access_token)


async def test_a_clock_that_is_set_back_signs_nobody_out(
    system: System, authority: TokenAuthority
) -> None:
    """To before the only key there is: it signs all the same, or nobody could sign in."""
    await freeze(system.database, NOW)
    await sign_in(system)
    await freeze(system.database, NOW - timedelta(hours=1))
    anna = await sign_in(system)
    claims, _ = await authority.admit(system.database, anna.access_token)
    assert claims.sub == anna.user_id
    async with system.database.connection() as connection:
        assert len(await verifying_keys(connection)) == 1


async def test_a_key_does_not_sign_before_its_time_while_there_is_another(
    system: System, authority: TokenAuthority
) -> None:
    await freeze(system.database, NOW)
    await sign_in(system)
    async with system.database.transaction() as tx:
        first = (await authority.keys.current(tx)).kid
        await add_key(tx, authority.secret, max_age=None)
        assert (await authority.keys.current(tx)).kid == first
