"""``handfast identity`` at the command line, with its rows in the audit."""

from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.engine.operating.audit import list_audit
from handfast.wiring import load_settings
from tests.edge.test_engine_cli import answer, handfast
from tests.support.signed_in import TEST_SECRET, sign_in
from tests.support.systems import whole_system

SECRET = {"HANDFAST_IDENTITY_SECRET": TEST_SECRET}
PHONE = "+4915123456789"


async def test_accounts(dsn: str, database: Database) -> None:
    anna = await sign_in(whole_system(load_settings(), database, Target(dsn)), PHONE)
    shown = await handfast(dsn, "identity", "show", PHONE)
    assert shown.stdout.split()[:3] == [str(anna.user_id), PHONE, "active"], shown.stderr
    why = ("--reason", "because")
    suspended = await answer(
        dsn, "identity", "suspend", str(anna.user_id), "--reason", "because", "--days", "3"
    )
    assert suspended["status"] == "suspended"
    assert "suspended" in (await handfast(dsn, "identity", "show", PHONE)).stdout
    again = await handfast(dsn, "identity", "suspend", PHONE, *why)
    assert (again.returncode, "suspended already" in again.stderr) == (1, True)
    assert (await answer(dsn, "identity", "reinstate", PHONE, *why))["status"] == "active"
    assert str(anna.sign_in_id) in (await handfast(dsn, "identity", "sessions", PHONE)).stdout
    ended = await handfast(dsn, "identity", "sign-out", PHONE, *why)
    assert "1 sign-ins are ended" in ended.stdout
    assert "Signed in nowhere" in (await handfast(dsn, "identity", "sessions", PHONE)).stdout
    async with database.connection() as connection:
        entries = (await list_audit(connection)).entries
    assert [(one.action, one.subject, one.reason) for one in reversed(entries)] == [
        (action, f"user:{anna.user_id}", "because")
        for action in ("user.suspend", "user.reinstate", "user.sign_out")
    ]


async def test_who_is_not_there(dsn: str) -> None:
    for given, said in (
        (PHONE, "has no account"),
        ("6a4f0e0c-3b0a-4b3c-9d57-0d1f1b8f3f10", "There is no user"),
        ("anna", "neither an id nor a phone number"),
    ):
        done = await handfast(dsn, "identity", "show", given)
        assert (done.returncode, said in done.stderr) == (1, True), done.stderr


async def test_keys(dsn: str, database: Database) -> None:
    assert "No key yet" in (await handfast(dsn, "identity", "keys", "list")).stdout
    for words, count in (((), 1), ((), 2), (("--revoke",), 1)):
        done = await handfast(dsn, "identity", "keys", "rotate", *words, **SECRET)
        assert done.returncode == 0, done.stderr
        assert len((await answer(dsn, "identity", "keys", "list"))["keys"]) == count
    async with database.connection() as connection:
        entries = (await list_audit(connection)).entries
    assert {(one.action, one.subject) for one in entries} == {("identity.rotate", "signing-keys")}
