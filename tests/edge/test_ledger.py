"""Money over HTTP and on the command line."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from handfast.base.errors import InvalidRequest
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.edge.cli.ledger.ledger import account_called
from handfast.edge.http.app import create_api
from handfast.services.ledger.values import ESCROW, AccountName, credit, wallet
from handfast.wiring import load_settings
from tests.edge.test_engine_cli import handfast
from tests.support.calling import OPERATOR_TOKEN, VIEWER_TOKEN, calling
from tests.support.ledger_desk import LedgerDesk
from tests.support.systems import whole_system

DEPOSITS = "/admin/players/anna/deposits"


@pytest.fixture
async def client(database: Database, dsn: str) -> AsyncIterator[httpx2.AsyncClient]:
    settings = load_settings(viewer_token=VIEWER_TOKEN)
    system = whole_system(settings, database, Target(dsn))
    async with calling(create_api(system, OPERATOR_TOKEN), OPERATOR_TOKEN) as client:
        yield client


@pytest.fixture
async def desk(database: Database) -> LedgerDesk:
    return LedgerDesk(database)


async def move(
    client: httpx2.AsyncClient, where: str, body: dict[str, Any], key: str | None = None
) -> httpx2.Response:
    return await client.post(where, json=body, headers={"Idempotency-Key": key or str(uuid4())})


async def test_a_deposit_with_its_key_is_made_once(
    client: httpx2.AsyncClient, desk: LedgerDesk
) -> None:
    key = str(uuid4())
    first = await move(client, DEPOSITS, {"amount": 500}, key)
    assert first.status_code == 201, first.text
    body = first.json()
    assert (body["kind"], body["amount"], body["currency"]) == ("DEPOSIT", 500, "EUR")
    assert (body["wallet"], body["credit"], body["repeated"]) == (500, 0, False)
    again = await move(client, DEPOSITS, {"amount": 500}, key)
    assert again.json() == body
    assert await desk.balance(wallet("anna")) == 500


async def test_a_key_that_was_forgotten_still_moves_money_once(
    client: httpx2.AsyncClient, desk: LedgerDesk
) -> None:
    key = str(uuid4())
    await move(client, DEPOSITS, {"amount": 500}, key)
    await desk.run("DELETE FROM handfast_idempotency.records")
    again = await move(client, DEPOSITS, {"amount": 500}, key)
    assert again.json()["repeated"] is True
    other = await move(client, DEPOSITS, {"amount": 1, "reference": "bank-1"})
    assert other.status_code == 201
    reused = await move(client, DEPOSITS, {"amount": 2, "reference": "bank-1"})
    assert (reused.status_code, reused.json()["code"]) == (409, "REFERENCE_REUSED")
    assert await desk.balance(wallet("anna")) == 501


async def test_a_key_in_capitals_is_the_same_key_for_ever(
    client: httpx2.AsyncClient, desk: LedgerDesk
) -> None:
    """Some platforms write it so, and somebody who kept it as a UUID repeats it the next day."""
    key = str(uuid4())
    first = await move(client, DEPOSITS, {"amount": 500}, key.upper())
    assert (await move(client, DEPOSITS, {"amount": 500}, key)).json() == first.json()
    await desk.run("DELETE FROM handfast_idempotency.records")
    again = await move(client, DEPOSITS, {"amount": 500}, key)
    assert (again.json()["wallet"], again.json()["repeated"]) == (500, True)


async def test_a_player_is_not_told_who_moved_the_money(
    database: Database, dsn: str, desk: LedgerDesk
) -> None:
    """The reference is in the player's own ledger; who it was is in the audit."""
    system = whole_system(load_settings(), database, Target(dsn))
    token = "hf_admin_of_grete_for_the_tests"
    async with calling(create_api(system, f"grete={token}"), token) as client:
        made = await move(client, DEPOSITS, {"amount": 500})
        shown = await client.get("/admin/players/anna/ledger")
    assert made.status_code == 201
    assert "grete" not in shown.json()["lines"][0]["reference"]
    assert await desk.fetch("SELECT actor FROM handfast_engine.audit") == "grete"


async def test_a_uuid_in_capitals_is_the_same_player(
    client: httpx2.AsyncClient, desk: LedgerDesk
) -> None:
    player = uuid4()
    loud = str(player).upper()
    made = await move(client, f"/admin/players/{loud}/deposits", {"amount": 500})
    assert (made.status_code, made.json()["wallet"]) == (201, 500)
    assert await desk.balance(wallet(str(player))) == 500
    shown = await client.get(f"/admin/players/{loud}/ledger")
    assert (shown.json()["wallet"], len(shown.json()["lines"])) == (500, 1)
    assert account_called(f"credit:{loud}") == credit(str(player))
    other = await move(client, "/admin/players/ANNA/deposits", {"amount": 1})
    assert other.status_code == 201
    assert await desk.balance(wallet("ANNA")) == 1, "ids of other kinds are as they are written"


async def test_money_of_another_currency_is_shown_in_it(
    client: httpx2.AsyncClient, desk: LedgerDesk
) -> None:
    """The setting was another one when the account was opened, or will be before it is read."""
    await desk.deposit("dora", 700, currency="USD")
    shown = await client.get("/admin/players/dora/ledger")
    assert (shown.json()["wallet"], shown.json()["currency"]) == (700, "USD")
    credit_too = await client.get("/admin/players/dora/ledger?account=credit")
    assert credit_too.json()["currency"] == "USD"
    assert (await client.get("/admin/players/nobody/ledger")).json()["currency"] == "EUR"


async def test_what_moves_money_requires_a_key(client: httpx2.AsyncClient) -> None:
    refused = await client.post(DEPOSITS, json={"amount": 500})
    assert (refused.status_code, refused.json()["code"]) == (400, "IDEMPOTENCY_KEY_MISSING")


@pytest.mark.parametrize("amount", [0, -5, 1.5, 10**12 + 1, "five", None, True, 1e300])
async def test_amounts_that_cannot_be_moved(
    client: httpx2.AsyncClient, desk: LedgerDesk, amount: object
) -> None:
    refused = await move(client, DEPOSITS, {"amount": amount})
    assert refused.status_code == 400, refused.text
    assert await desk.fetch("SELECT count(*) FROM handfast_ledger.transfers") == 0


async def test_withdrawals_and_refunds_take_what_there_is(
    client: httpx2.AsyncClient, desk: LedgerDesk
) -> None:
    await desk.give_credit("anna", 300)
    await desk.deposit("anna", 200)
    await desk.stake("anna", 400, 0)
    short = await move(client, "/admin/players/anna/withdrawals", {"amount": 101})
    assert (short.status_code, short.json()["code"]) == (402, "INSUFFICIENT_FUNDS")
    assert "has 100 EUR" in short.json()["detail"]
    taken = await move(client, "/admin/players/anna/withdrawals", {"amount": 60})
    assert (taken.status_code, taken.json()["wallet"]) == (201, 40)
    none = await move(client, "/admin/players/anna/refunds", {"amount": 1})
    assert none.status_code == 402, "the credit is staked"
    nobody = await move(client, "/admin/players/nobody/withdrawals", {"amount": 1})
    assert nobody.status_code == 402
    await desk.give_credit("anna", 50)
    refunded = await move(client, "/admin/players/anna/refunds", {"amount": 50})
    assert (refunded.json()["wallet"], refunded.json()["credit"]) == (90, 0)
    assert await desk.balance(credit("anna")) == 0
    await desk.assert_sound()


async def test_the_trial_balance(client: httpx2.AsyncClient, desk: LedgerDesk) -> None:
    await desk.deposit("anna", 1000)
    await desk.stake("anna", 400, 10)
    found = (await client.get("/admin/ledger/trial-balance")).json()
    assert found["imbalance"] == 0
    lines = {line["kind"]: (line["accounts"], line["balance"]) for line in found["lines"]}
    assert lines == {
        "wallet": (1, 590),
        "escrow": (1, 400),
        "revenue": (1, 10),
        "cash": (1, -1000),
    }
    [held] = [line["held"] for line in found["lines"] if line["kind"] == "escrow"]
    assert held == 400


async def test_viewers_do_not_see_money(client: httpx2.AsyncClient) -> None:
    headers = {"Authorization": f"Bearer {VIEWER_TOKEN}"}
    refused = await client.get("/admin/ledger/trial-balance", headers=headers)
    assert refused.status_code == 403


async def test_the_command_line(dsn: str, desk: LedgerDesk, tmp_path: Path) -> None:
    async def run(*words: str, code: int = 0) -> str:
        done = await handfast(dsn, "ledger", *words)
        assert done.returncode == code, done.stderr
        return str(done.stdout)

    said = await run("deposit", "anna", "500", "--reference", "bank-1")
    assert "anna has 500" in said
    assert "was made before" in await run("deposit", "anna", "500", "--reference", "bank-1")
    await desk.stake("anna", 100, 10)
    listed = json.loads(await run("statement", "anna", "--limit", "2", "--json"))
    assert [line["amount"] for line in listed["lines"]] == [-10, -100]
    rest = json.loads(await run("statement", "wallet:anna", "--after", listed["next"], "--json"))
    assert [(line["amount"], line["balance"]) for line in rest["lines"]] == [(500, 500)]
    assert "+100" in await run("statement", "escrow")
    assert "had 390" in await run("statement", "anna", "--at", "2099-01-01")
    assert "It adds up." in await run("check")
    [seal] = await desk.seal_all()
    assert "All as it was sealed." in await run("verify", "--head", seal.head)
    assert "not what was sealed" in await run("verify", "--head", f"1:{'0' * 64}", code=1)
    file = tmp_path / "ledger.hfl"
    assert json.loads(await run("export", str(file), "--json"))["head"] == seal.head
    assert file.stat().st_size > 100
    said = await run("prove", str(tmp_path / "history.edn"), "--reads", "1")
    assert "Every read comes to 500." in said
    assert "prove nothing" in (await handfast(dsn, "ledger", "prove", "f", "--reads", "0")).stderr
    await desk.unguarded("UPDATE handfast_ledger.accounts SET balance = 1 WHERE owner = 'anna'")
    assert "another total" in await run("prove", str(tmp_path / "again.edn"), code=1)
    assert "the stored balance is not that of the newest entry" in await run("check", code=1)
    assert "389 came from nowhere" in await run("trial-balance", code=1)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("anna", wallet("anna")),
        ("wallet:anna", wallet("anna")),
        ("credit:a:b", credit("a:b")),
        ("escrow", ESCROW),
    ],
)
def test_accounts_as_they_are_typed(typed: str, meant: AccountName) -> None:
    assert account_called(typed) == meant


@pytest.mark.parametrize("typed", ["purse:anna", "escrow:anna", "wallet:", "", " "])
def test_accounts_that_nobody_has(typed: str) -> None:
    with pytest.raises(InvalidRequest):
        account_called(typed)
