"""Suspending, deleting, erasing: what is stated, what is left, and what outlives it."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs

from handfast.base.errors import NotFound
from handfast.db.errors import ConstraintViolated
from handfast.edge.cli.database.findings import FindingLevel
from handfast.edge.cli.identity.checks import check_identity
from handfast.engine.capability import Capability, Hook, switched_on
from handfast.engine.events import NewEvent, emit
from handfast.engine.hooks import Hooks
from handfast.engine.system import System, Wanted
from handfast.services.identity.accounts import Account, find_by_phone, get_account
from handfast.services.identity.authority import TokenAuthority
from handfast.services.identity.capability import IDENTITY
from handfast.services.identity.deletion import delete, erase_if_due
from handfast.services.identity.errors import AlreadySuspended, NotSuspended
from handfast.services.identity.sign_ins import end_sign_in, list_sign_ins
from handfast.services.identity.suspension import reinstate, suspend
from handfast.services.identity.work import Housekeeper, open_work
from tests.support.clock import freeze
from tests.support.eventually import eventually_async
from tests.support.lock_waits import HOW_MANY_WAIT
from tests.support.signed_in import Person, sign_in

pytestmark = pytest.mark.on_every_postgres

NOW = datetime(2026, 11, 17, 12, tzinfo=UTC)
DAY = timedelta(days=1)
OLD, NEW = "the-secret-that-was-there-before-it-changed", "the-secret-that-is-there-from-now-on"


@pytest.fixture
def stated(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """Facts, as others would hear them."""
    heard: list[tuple[str, dict[str, Any]]] = []
    state = Hooks.state

    async def hear(self: Hooks, tx: Any, name: str, *own: NewEvent, **told: Any) -> None:
        heard.append((name, told))
        await state(self, tx, name, *own, **told)

    monkeypatch.setattr(Hooks, "state", hear)
    return heard


async def account_of(system: System, person: Person) -> Account:
    async with system.database.connection() as connection:
        return await get_account(connection, person.user_id)


async def events(system: System) -> list[str]:
    async with system.database.connection() as connection:
        rows = await connection.fetch("SELECT type FROM handfast_engine.events ORDER BY sequence")
    return [row[0] for row in rows]


async def test_suspend_and_reinstate(system: System, stated: list[Any]) -> None:
    anna = await sign_in(system)
    async with system.database.transaction() as tx:
        done = await suspend(tx, system.hooks, anna.user_id)
    assert (done.status, done.suspended_until) == ("suspended", None)
    with pytest.raises(AlreadySuspended, match=str(done.action_id)):
        async with system.database.transaction() as tx:
            await suspend(tx, system.hooks, anna.user_id)
    async with system.database.transaction() as tx:
        assert (await reinstate(tx, system.hooks, anna.user_id)).status == "active"
    with pytest.raises(NotSuspended):
        async with system.database.transaction() as tx:
            await reinstate(tx, system.hooks, anna.user_id)
    with pytest.raises(NotFound):
        async with system.database.transaction() as tx:
            await suspend(tx, system.hooks, UUID(int=7))
    told = {"user_id": anna.user_id, "action_id": done.action_id, "until": None}
    assert stated == [
        ("user.created", {"user_id": anna.user_id}),
        ("user.suspended", told),
        ("user.reinstated", {"user_id": anna.user_id}),
    ]
    assert await events(system) == ["user.suspended", "user.reinstated"]


async def test_a_hook_that_refuses_undoes_it(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = await sign_in(system)

    async def refuse(self: Hooks, tx: Any, name: str, *own: NewEvent, **told: Any) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(Hooks, "state", refuse)
    with pytest.raises(RuntimeError):
        async with system.database.transaction() as tx:
            await suspend(tx, system.hooks, anna.user_id)
    assert (await account_of(system, anna)).status == "active"
    assert await events(system) == []


async def tells(tx: Any, user_id: UUID, action_id: UUID, until: datetime | None) -> list[NewEvent]:
    """As stakes do: the ticket of who is suspended is cancelled."""
    return [NewEvent("stake.cancelled", f"player:{user_id}", {}, (user_id,))]


async def test_a_suspension_and_a_logout_at_once(system: System) -> None:
    """What hooks have to tell is on the user's stream, and so is the end of a sign-in."""
    anna = await sign_in(system)
    told = Capability("toy", "", hooks=(Hook("user.suspended", f"{__name__}:tells"),))
    identity = replace(IDENTITY, requires=())
    hooks = Hooks(switched_on((identity, told), None))

    async def is_suspended() -> None:
        async with system.database.transaction() as tx:
            await suspend(tx, hooks, anna.user_id)

    async def signs_out() -> None:
        async with system.database.transaction() as tx:
            await end_sign_in(tx, anna.user_id, anna.sign_in_id, "logout")

    async def waiting(how_many: int) -> None:
        async def so_many() -> bool:
            async with system.database.connection() as connection:
                return bool(await connection.fetchval(HOW_MANY_WAIT) == how_many)

        await eventually_async(so_many)

    async with asyncio.TaskGroup() as both, system.database.transaction() as tx:
        await emit(tx, "chat.read", "match:7", {}, users=[anna.user_id])
        both.create_task(is_suspended())
        await waiting(1)
        both.create_task(signs_out())
        await waiting(2)
    assert (await account_of(system, anna)).status == "suspended"
    assert sorted(await events(system)) == [
        *("auth.signed_out", "chat.read", "stake.cancelled", "user.suspended")
    ]


async def test_a_suspension_that_is_over(
    system: System, authority: TokenAuthority, stated: list[Any]
) -> None:
    await freeze(system.database, NOW)
    anna, bob = await sign_in(system), await sign_in(system)
    for person, days in ((anna, 3), (bob, 4)):
        async with system.database.transaction() as tx:
            await suspend(tx, system.hooks, person.user_id, until=NOW + days * DAY)
    stated.clear()
    await freeze(system.database, NOW + 3 * DAY)
    await Housekeeper(system, authority).reinstate_due()
    assert stated == [("user.reinstated", {"user_id": anna.user_id})]
    assert (await account_of(system, anna)).status == "active"
    assert (await account_of(system, bob)).status == "suspended"


async def test_deletion_is_undone_by_signing_in(
    system: System, authority: TokenAuthority, stated: list[Any]
) -> None:
    await freeze(system.database, NOW)
    anna = await sign_in(system)
    for _ in range(2):  # a second time means nothing
        async with system.database.transaction() as tx:
            await delete(tx, system.hooks, anna.user_id)
    assert (await account_of(system, anna)).status == "deleted"
    async with system.database.connection() as connection:
        assert await list_sign_ins(connection, anna.user_id) == []
    await freeze(system.database, NOW + 29 * DAY)
    await Housekeeper(system, authority).erase_due()
    again = await sign_in(system, anna.phone)
    assert again.user_id == anna.user_id
    assert (await account_of(system, anna)).status == "active"
    assert [name for name, _ in stated] == ["user.created", "user.deleted", "user.restored"]
    assert await events(system) == ["user.deleted"]


@pytest.mark.parametrize("by", ["the chore", "signing in"])
async def test_erased_after_thirty_days(
    system: System, authority: TokenAuthority, stated: list[Any], by: str
) -> None:
    await freeze(system.database, NOW)
    anna = await sign_in(system)
    async with system.database.transaction() as tx:
        await delete(tx, system.hooks, anna.user_id)
    await freeze(system.database, NOW + 30 * DAY)
    if by == "the chore":
        await Housekeeper(system, authority).erase_due()
    new = await sign_in(system, anna.phone)
    assert new.user_id != anna.user_id
    old = await account_of(system, anna)
    assert (old.phone, old.status, old.erased_at) == (None, "deleted", NOW + 30 * DAY)
    assert [name for name, _ in stated][1:] == ["user.deleted", "user.erased", "user.created"]
    async with system.database.connection() as connection:
        left = await connection.fetch("SELECT account_id FROM handfast_identity.sign_ins")
    assert {row[0] for row in left} == {new.user_id}


async def test_deleted_anew_while_the_chore_was_on_its_way(
    system: System, authority: TokenAuthority
) -> None:
    """The chore has read whose time is up; before it comes to one of them, they sign in, which
    undoes the deletion, and delete anew: another 30 days begin."""
    await freeze(system.database, NOW)
    anna = await sign_in(system)
    async with system.database.transaction() as tx:
        await delete(tx, system.hooks, anna.user_id)
    await freeze(system.database, NOW + 30 * DAY - timedelta(seconds=1))
    await sign_in(system, anna.phone)
    async with system.database.transaction() as tx:
        await delete(tx, system.hooks, anna.user_id)
    await freeze(system.database, NOW + 30 * DAY)
    async with system.database.transaction() as tx:
        await erase_if_due(tx, system.hooks, authority.secret, anna.user_id)
    assert (await account_of(system, anna)).erased_at is None
    assert (await sign_in(system, anna.phone)).user_id == anna.user_id


async def test_one_who_cannot_be_erased_stops_nobody(
    system: System, authority: TokenAuthority, monkeypatch: pytest.MonkeyPatch
) -> None:
    await freeze(system.database, NOW)
    people = [await sign_in(system) for _ in range(3)]
    for person in people:
        async with system.database.transaction() as tx:
            await delete(tx, system.hooks, person.user_id)
    await freeze(system.database, NOW + 30 * DAY)
    state, stuck = Hooks.state, people[0]

    async def refuse(self: Hooks, tx: Any, name: str, **told: Any) -> None:
        if told["user_id"] == stuck.user_id:
            raise RuntimeError("somebody's hook has a fault")
        await state(self, tx, name, **told)

    monkeypatch.setattr(Hooks, "state", refuse)
    with pytest.raises(RuntimeError, match="has a fault"):
        await Housekeeper(system, authority).erase_due()
    erased = [(await account_of(system, one)).erased_at is not None for one in people]
    assert erased == [False, True, True]


async def test_a_suspension_that_outlasts_the_erasure_ends_unheard(
    system: System, authority: TokenAuthority, stated: list[Any]
) -> None:
    """Nobody is left to be reinstated: others would make a new row for somebody who is gone."""
    await freeze(system.database, NOW)
    anna = await sign_in(system)
    async with system.database.transaction() as tx:
        await suspend(tx, system.hooks, anna.user_id, until=NOW + 60 * DAY)
        await delete(tx, system.hooks, anna.user_id)
    keeper = Housekeeper(system, authority)
    await freeze(system.database, NOW + 30 * DAY)
    await keeper.erase_due()
    stated.clear()
    await freeze(system.database, NOW + 60 * DAY)
    await keeper.reinstate_due()
    with pytest.raises(NotFound, match="erased"):
        async with system.database.transaction() as tx:
            await reinstate(tx, system.hooks, anna.user_id)
    assert stated == []
    async with system.database.connection() as connection:
        sql = "SELECT count(*) FROM handfast_people.users WHERE id = $1"
        assert await connection.fetchval(sql, anna.user_id) == 0


async def test_a_ban_outlives_the_erasure(system: System, authority: TokenAuthority) -> None:
    await freeze(system.database, NOW)
    anna = await sign_in(system)
    async with system.database.transaction() as tx:
        banned = await suspend(tx, system.hooks, anna.user_id)
        await delete(tx, system.hooks, anna.user_id)
    await freeze(system.database, NOW + 30 * DAY)
    await Housekeeper(system, authority).erase_due()
    async with system.database.connection() as connection:
        kept = await connection.fetch("SELECT b::text FROM handfast_identity.banned_phones AS b")
        assert len(kept) == 1
        assert anna.phone.removeprefix("+") not in str(kept)
        assert await find_by_phone(connection, anna.phone) is None
    again = await sign_in(system, anna.phone)
    account = await account_of(system, again)
    assert (account.status, account.action_id) == ("suspended", banned.action_id)
    assert account.id != anna.user_id


async def test_a_ban_needs_its_secret(system: System) -> None:
    """Its hash cannot be made anew, so whoever takes the secret away is told."""

    def under(*secrets: str) -> System:
        given = {"identity_secret": SecretStr(",".join(secrets))}
        settings = system.settings.model_copy(update=given)
        return System(settings, system.database, system.direct, system.capabilities)

    async def warnings(of: System) -> list[Any]:
        with capture_logs() as logs:
            async with open_work(of, Wanted()):
                pass
        return [line["bans"] for line in logs if line["event"] == "bans_are_lost"]

    old, new, both = under(OLD), under(NEW), under(NEW, OLD)
    await freeze(system.database, NOW)
    anna = await sign_in(old)
    assert await check_identity(new) is None, "no ban yet"
    async with system.database.transaction() as tx:
        await suspend(tx, system.hooks, anna.user_id)
        await delete(tx, system.hooks, anna.user_id)
    await freeze(system.database, NOW + 30 * DAY)
    await Housekeeper(old, TokenAuthority(old.settings)).erase_due()

    found = await check_identity(new)
    assert found is not None
    assert found.verdict is FindingLevel.BAD
    assert "1 banned phone is not known" in found.found
    assert "back into HANDFAST_IDENTITY_SECRET" in (found.advice or "")
    assert await warnings(new) == [1]

    assert await check_identity(both) is None
    assert await warnings(both) == []
    again = await account_of(system, await sign_in(both, anna.phone))
    assert again.status == "suspended"
    assert await check_identity(new) is None, "the new account carries it"


async def test_a_suspension_for_a_while_does_not(system: System, authority: TokenAuthority) -> None:
    await freeze(system.database, NOW)
    anna = await sign_in(system)
    async with system.database.transaction() as tx:
        await suspend(tx, system.hooks, anna.user_id, until=NOW + 90 * DAY)
        await delete(tx, system.hooks, anna.user_id)
    await freeze(system.database, NOW + 30 * DAY)
    await Housekeeper(system, authority).erase_due()
    assert (await account_of(system, await sign_in(system, anna.phone))).status == "active"


async def test_old_codes_and_sign_ins_go(system: System, authority: TokenAuthority) -> None:
    await freeze(system.database, NOW)
    anna = await sign_in(system)
    async with system.database.connection() as connection:
        await connection.execute(
            "INSERT INTO handfast_identity.otp_requests"
            " (id, created_at, expires_at, sent_at, asker, code_hash, phone)"
            " SELECT gen_random_uuid(), $1, $1::timestamptz + '10 min', $1, 'a',"
            " sha256('x'), '+4915123456789'",
            NOW,
        )
    keeper = Housekeeper(system, authority)
    for later, codes, sign_ins in (
        (timedelta(minutes=70), 1, 1),
        (timedelta(minutes=71), 0, 1),
        (60 * DAY, 0, 1),
        (61 * DAY, 0, 0),
    ):
        await freeze(system.database, NOW + later)
        await keeper.prune()
        async with system.database.connection() as connection:
            for table, count in (("otp_requests", codes), ("sign_ins", sign_ins)):
                sql = f"SELECT count(*) FROM handfast_identity.{table}"
                assert await connection.fetchval(sql) == count, (later, table)
    assert anna.user_id == (await account_of(system, anna)).id


async def test_the_database_holds_what_must_hold(system: System) -> None:
    anna = await sign_in(system)
    for change in (
        "phone = NULL",
        "phone = '0151'",
        "suspended_at = now()",
        "suspended_until = now()",
        "erased_at = now(), phone = NULL",
    ):
        with pytest.raises(ConstraintViolated):
            async with system.database.transaction() as tx:
                await tx.execute(
                    f"UPDATE handfast_identity.accounts SET {change} WHERE id = $1", anna.user_id
                )
    with pytest.raises(ConstraintViolated, match="refresh_token_unspent"):
        async with system.database.transaction() as tx:
            await tx.execute(
                "INSERT INTO handfast_identity.refresh_tokens (hash, sign_in_id, created_at)"
                " VALUES (sha256('x'), $1, now())",
                anna.sign_in_id,
            )
