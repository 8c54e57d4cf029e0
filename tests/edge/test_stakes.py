"""The staked queue over HTTP and on the command line."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from litestar import Litestar

from handfast.apps.stakes.work import OVERDUE, PARTNER, UNDECIDED, judge_queue
from handfast.db.connect import Target
from handfast.db.pool import Database
from handfast.db.redis import GuardedRedis
from handfast.db.transaction import joined
from handfast.edge.cli.stakes.checks import check_matchmakers, check_redis
from handfast.edge.http.app import create_api
from handfast.engine.operating.alerts import list_alerts
from handfast.engine.system import System
from handfast.services.identity.deletion import delete
from handfast.services.identity.suspension import suspend
from handfast.services.ledger.values import credit, wallet
from handfast.wiring import load_settings
from tests.edge.test_engine_cli import handfast
from tests.support.calling import OPERATOR_TOKEN, VIEWER_TOKEN, calling
from tests.support.interleave import Stage
from tests.support.signed_in import sign_in
from tests.support.stakes_table import StakesTable
from tests.support.systems import whole_system

GAME_TOKEN = "hf_game_for_the_tests_only"


@pytest.fixture
def system(database: Database, dsn: str) -> System:
    settings = load_settings(viewer_token=VIEWER_TOKEN, game_token=GAME_TOKEN)
    return whole_system(settings, database, Target(dsn))


@pytest.fixture
def api(system: System) -> Litestar:
    return create_api(system, OPERATOR_TOKEN)


@pytest.fixture
async def stage(dsn: str) -> AsyncIterator[Stage]:
    async with Stage(dsn) as stage:
        yield stage


@pytest.fixture
async def table(database: Database) -> StakesTable:
    return StakesTable(database)


class Caller:
    def __init__(self, client: httpx2.AsyncClient, user: UUID | None = None) -> None:
        self.client = client
        self.id = user

    async def send(
        self, method: str, path: str, body: Any = None, *, key: str | None = None
    ) -> httpx2.Response:
        headers = {"Idempotency-Key": key or str(uuid4())}
        if method == "GET":
            return await self.client.get(path)
        return await self.client.request(method, path, json=body, headers=headers)


class Arena:
    """Players with money, a game server, an operator."""

    def __init__(self, api: Litestar, system: System, table: StakesTable) -> None:
        self.api = api
        self.system = system
        self.table = table
        self.opened: list[httpx2.AsyncClient] = []

    def caller(self, token: str, user: UUID | None = None) -> Caller:
        client = calling(self.api, token)
        self.opened.append(client)
        return Caller(client, user)

    async def player(self, amount: int = 20_000) -> Caller:
        signed = await sign_in(self.api)
        if amount:
            await self.table.ledger.deposit(str(signed.user_id), amount)
        return self.caller(signed.access_token, signed.user_id)

    @property
    def server(self) -> Caller:
        return self.caller(GAME_TOKEN)

    @property
    def operator(self) -> Caller:
        return self.caller(OPERATOR_TOKEN)

    async def game(self) -> tuple[Caller, Caller, int]:
        one, other = await self.player(), await self.player()
        for player in (one, other):
            made = await player.send("POST", "/stakes", {"amount": 5000})
            assert made.status_code == 201, made.text
        await self.table.pair()
        current = (await one.send("GET", "/stakes/current")).json()
        return one, other, current["ticket"]["sessionId"]


@pytest.fixture
async def arena(api: Litestar, system: System, table: StakesTable) -> AsyncIterator[Arena]:
    arena = Arena(api, system, table)
    yield arena
    for client in arena.opened:
        await client.aclose()


async def test_a_stake_from_the_queue_to_the_payout(arena: Arena) -> None:
    anna = await arena.player()
    key = str(uuid4())
    made = await anna.send("POST", "/stakes", {"amount": 5000}, key=key)
    assert made.status_code == 201, made.text
    ticket = made.json()["ticket"]
    assert (ticket["amount"], ticket["fee"], ticket["status"]) == (5000, 1000, "queued")
    again = await anna.send("POST", "/stakes", {"amount": 5000}, key=key)
    assert again.json() == made.json(), "the same request is carried out once"
    stands = (await anna.send("GET", "/stakes/current")).json()
    assert (stands["place"], stands["waitingFor"]) == (1, "partner")
    assert stands["why"] == "Nobody else waits at 5000, nor at any other stake."
    money = (await anna.send("GET", "/players/me")).json()
    assert (money["wallet"], money["credit"], money["held"]) == (14_000, 0, 5000)

    ben = await arena.player()
    await ben.send("POST", "/stakes", {"amount": 5000})
    assert (await arena.table.pair()).pairs == 1
    stands = (await anna.send("GET", "/stakes/current")).json()
    session = stands["ticket"]["sessionId"]
    where = f"/sessions/{session}"
    shown = (await anna.send("GET", where)).json()
    assert shown["token"] == (await ben.send("GET", where)).json()["token"]
    assert shown["players"] == [str(anna.id), str(ben.id)]

    move = {"number": 1, "type": "place", "payload": {"x": 1}}
    first = await anna.send("POST", f"{where}/moves", move)
    assert first.status_code == 201
    assert (await anna.send("POST", f"{where}/moves", move)).json() == first.json()
    skipped = await ben.send("POST", f"{where}/moves", {**move, "number": 3})
    assert (skipped.status_code, skipped.json()["code"]) == (409, "MOVE_OUT_OF_ORDER")
    assert skipped.json()["expected"] == 2
    assert [one["number"] for one in (await ben.send("GET", f"{where}/moves")).json()] == [1]

    told = await arena.server.send("POST", f"{where}/result", {"winnerId": str(ben.id)})
    assert told.status_code == 200, told.text
    assert told.json()["session"]["status"] == "settled"
    assert told.json()["session"]["token"] is None, "a secret of the players"
    twice = await arena.server.send("POST", f"{where}/result", {"winnerId": str(ben.id)})
    assert twice.json()["repeated"] is True
    assert (await ben.send("GET", "/players/me")).json()["wallet"] == 24_000
    lines = (await ben.send("GET", "/players/me/ledger?limit=2")).json()
    assert [(line["kind"], line["amount"]) for line in lines["lines"]] == [
        ("PAYOUT", 10_000),
        ("STAKE", -1000),
    ]
    assert (await anna.send("GET", "/stakes/current")).json()["ticket"] is None
    await arena.table.assert_sound()


async def test_money_of_another_currency_is_shown_in_it(arena: Arena) -> None:
    """The setting was another one when the account was opened, or will be before it is read."""
    anna, ben = await arena.player(0), await arena.player(0)
    await arena.table.ledger.deposit(str(anna.id), 700, currency="USD")
    money = (await anna.send("GET", "/players/me")).json()
    assert (money["wallet"], money["currency"]) == (700, "USD")
    assert (await ben.send("GET", "/players/me")).json()["currency"] == "EUR"


@pytest.mark.parametrize("amount", [0, -1000, 1.5, 10**13, "1000", None, True, 1e30])
async def test_amounts_that_cannot_be_read(arena: Arena, amount: object) -> None:
    anna = await arena.player()
    refused = await anna.send("POST", "/stakes", {"amount": amount})
    assert refused.status_code == 400, refused.text


async def test_a_whole_number_is_one_however_it_is_written(arena: Arena) -> None:
    """5.0 is 5, as JSON Schema has it."""
    anna = await arena.player()
    assert (await anna.send("POST", "/stakes", {"amount": 1000.0})).status_code == 201


async def test_what_is_refused(arena: Arena) -> None:
    anna, poor = await arena.player(), await arena.player(0)
    listed = await anna.send("POST", "/stakes", {"amount": 999})
    assert (listed.status_code, listed.json()["code"]) == (422, "STAKE_NOT_OFFERED")
    assert listed.json()["amounts"] == [1000, 5000, 10000, 50000]
    short = await poor.send("POST", "/stakes", {"amount": 1000})
    assert (short.status_code, short.json()["code"]) == (402, "INSUFFICIENT_FUNDS")
    made = (await anna.send("POST", "/stakes", {"amount": 1000})).json()["ticket"]
    second = await anna.send("POST", "/stakes", {"amount": 1000})
    assert (second.status_code, second.json()["code"]) == (409, "TICKET_OPEN")
    assert second.json()["ticket"] == made["id"]
    assert (await poor.send("DELETE", f"/stakes/{made['id']}")).status_code == 404
    assert (await poor.send("PATCH", f"/stakes/{made['id']}", {"amount": 5000})).status_code == 404
    where = f"/stakes/{made['id']}"
    for method, path in (("POST", "/stakes"), ("PATCH", where), ("DELETE", where)):
        keyless = await anna.client.request(method, path, json={"amount": 1000})
        assert keyless.json()["code"] == "IDEMPOTENCY_KEY_MISSING"
    more = await anna.send("POST", "/stakes", {"amount": 1000, "more": 1})
    assert more.status_code == 400


async def test_where_one_stands_is_no_ticket(arena: Arena) -> None:
    """/stakes/current would fit /stakes/{id}, which requires a key."""
    anna = await arena.player(0)
    for method in ("PATCH", "DELETE"):
        keyless = await anna.client.request(method, "/stakes/current")
        assert keyless.status_code == 405
        assert set(keyless.headers["Allow"].split(", ")) == {"GET", "OPTIONS"}
        assert (await anna.send(method, "/stakes/current")).status_code == 405


async def test_change_and_cancel(arena: Arena) -> None:
    anna = await arena.player()
    ticket = (await anna.send("POST", "/stakes", {"amount": 1000})).json()["ticket"]
    where = f"/stakes/{ticket['id']}"
    changed = await anna.send("PATCH", where, {"amount": 5000})
    assert changed.status_code == 200
    assert changed.json()["ticket"] == {**ticket, "amount": 5000}
    too_much = await anna.send("PATCH", where, {"amount": 50_000})
    assert (too_much.status_code, too_much.json()["code"]) == (402, "INSUFFICIENT_FUNDS")
    left = await anna.send("DELETE", where)
    assert (left.status_code, left.json()["ticket"]["status"]) == (200, "cancelled")
    over = await anna.send("DELETE", where)
    assert (over.status_code, over.json()["code"]) == (409, "TICKET_OVER")
    money = (await anna.send("GET", "/players/me")).json()
    assert (money["wallet"], money["credit"], money["held"]) == (14_000, 5000, 0)
    await arena.table.assert_sound()


async def test_results_from_strangers_and_for_strangers(arena: Arena) -> None:
    anna, _, session = await arena.game()
    where = f"/sessions/{session}"
    body = {"winnerId": str(anna.id)}
    stranger = await arena.player(0)
    for caller, status in ((anna, 401), (stranger, 401), (arena.operator, 401)):
        assert (await caller.send("POST", f"{where}/result", body)).status_code == status
    nobody = await arena.server.send("POST", f"{where}/result", {"winnerId": str(stranger.id)})
    assert (nobody.status_code, nobody.json()["code"]) == (422, "NOT_A_PLAYER")
    for path in (where, f"{where}/moves"):
        assert (await stranger.send("GET", path)).status_code == 404
    moved = await stranger.send("POST", f"{where}/moves", {"number": 1, "type": "x"})
    assert moved.status_code == 404
    gone = await arena.server.send("POST", "/sessions/999999/result", {"winnerId": None})
    assert gone.status_code == 404
    unsaid = await arena.server.send("POST", f"{where}/result", {})
    assert unsaid.status_code == 400


async def test_a_dispute_and_its_resolution(arena: Arena) -> None:
    anna, ben, session = await arena.game()
    where = f"/sessions/{session}"
    opened = await anna.send("POST", f"{where}/dispute", {"reason": "the clock stopped"})
    assert opened.status_code == 201
    second = await ben.send("POST", f"{where}/dispute", {"reason": "no"})
    assert (second.status_code, second.json()["dispute"]) == (409, opened.json()["id"])
    told = await arena.server.send("POST", f"{where}/result", {"winnerId": str(anna.id)})
    assert told.json()["session"]["status"] == "disputed"
    operator = arena.operator
    [listed] = (await operator.send("GET", "/admin/disputes")).json()["disputes"]
    assert (listed["id"], listed["reported"]) == (opened.json()["id"], str(anna.id))
    resolve = f"/admin/disputes/{listed['id']}/resolve"
    for body in ({}, {"winnerId": str(anna.id), "split": True}):
        unclear = await operator.send("POST", resolve, body)
        assert unclear.status_code == 422
    done = await operator.send("POST", resolve, {"split": True, "reason": "nobody knows"})
    assert (done.status_code, done.json()["resolution"]) == (200, "split")
    again = await operator.send("POST", resolve, {"winnerId": str(anna.id)})
    assert (again.status_code, again.json()["code"]) == (409, "DISPUTE_RESOLVED")
    assert (await operator.send("GET", "/admin/disputes")).json() == {
        "disputes": [],
        "next": None,
    }
    page = (await operator.send("GET", "/admin/disputes?status=all&limit=1")).json()
    assert len(page["disputes"]) == 1
    late = await ben.send("POST", f"{where}/dispute", {"reason": "after settlement"})
    assert (late.status_code, late.json()["code"]) == (409, "SESSION_OVER")
    for player in (anna, ben):
        assert (await player.send("GET", "/players/me")).json()["wallet"] == 19_000
    await arena.table.assert_sound()


async def test_who_is_suspended_leaves_the_line(arena: Arena, system: System) -> None:
    anna = await arena.player()
    assert anna.id is not None
    ticket = (await anna.send("POST", "/stakes", {"amount": 1000})).json()["ticket"]
    async with system.database.transaction() as tx:
        await suspend(tx, system.hooks, anna.id)
    assert (await arena.table.ticket(ticket["id"])).status == "cancelled"
    assert (await anna.send("POST", "/stakes", {"amount": 1000})).status_code == 403
    assert (await anna.send("GET", "/players/me")).json()["credit"] == 1000
    owner = str(anna.id)
    assert await arena.table.ledger.balance(wallet(owner)) == 18_000
    assert await arena.table.ledger.balance(credit(owner)) == 1000


async def test_who_is_suspended_gets_the_fee_back_where_that_is_set(
    database: Database, dsn: str, table: StakesTable
) -> None:
    settings = load_settings(stake_fee_returned=True)
    system = whole_system(settings, database, Target(dsn))
    arena = Arena(create_api(system, OPERATOR_TOKEN), system, table)
    for end in (suspend, delete):
        player = await arena.player()
        assert player.id is not None
        assert (await player.send("POST", "/stakes", {"amount": 1000})).status_code == 201
        async with database.transaction() as tx:
            await end(tx, system.hooks, player.id)
        assert await table.ledger.balance(credit(str(player.id))) == 2000
    for client in arena.opened:
        await client.aclose()


@pytest.mark.parametrize(("end", "status"), [(suspend, 403), (delete, 401)])
async def test_who_is_suspended_while_they_stake_stakes_nothing(
    arena: Arena, system: System, stage: Stage, end: Any, status: int
) -> None:
    """The request was let in, and then the account was ended: nothing may stay in line."""
    anna = await arena.player()
    [operator] = await stage.sessions("operator")
    await operator.begin()
    await end(joined(operator.connection), system.hooks, anna.id)
    staking = asyncio.create_task(anna.send("POST", "/stakes", {"amount": 1000}))
    await stage.blocking("operator")
    await operator.commit()
    assert (await staking).status_code == status
    assert await stage.look("SELECT count(*) FROM handfast_stakes.matchmaking_queue") == 0
    await arena.table.assert_sound()


@pytest.mark.parametrize("end", [suspend, delete])
async def test_a_stake_under_way_is_cancelled_with_its_account(
    arena: Arena, system: System, stage: Stage, end: Any
) -> None:
    anna = await arena.player()
    cashier, operator = await stage.sessions("cashier", "operator")
    await cashier.begin()
    await cashier.run("SELECT 1 FROM handfast_ledger.accounts WHERE owner IS NOT NULL FOR UPDATE")
    staking = asyncio.create_task(anna.send("POST", "/stakes", {"amount": 1000}))
    await stage.blocking("cashier")
    await operator.begin()
    ending = asyncio.create_task(end(joined(operator.connection), system.hooks, anna.id))
    await stage.waiting("operator")
    await cashier.commit()
    made = await staking
    assert made.status_code == 201, made.text
    await ending
    await operator.commit()
    assert (await arena.table.ticket(made.json()["ticket"]["id"])).status == "cancelled"
    await arena.table.assert_sound()


async def test_money_that_cannot_be_moved_keeps_nobody_from_being_suspended(
    arena: Arena, system: System
) -> None:
    anna = await arena.player()
    assert anna.id is not None
    ticket = (await anna.send("POST", "/stakes", {"amount": 1000})).json()["ticket"]
    hold = (await arena.table.ticket(ticket["id"])).hold_id
    await arena.table.ledger.unguarded(
        "UPDATE handfast_ledger.holds SET state = 'released', resolved_by = 1, taken = 0,"
        f" resolved_at = now() WHERE id = {hold}"
    )
    async with system.database.transaction() as tx:
        await suspend(tx, system.hooks, anna.id)
    assert (await anna.send("POST", "/stakes", {"amount": 1000})).status_code == 403
    assert (await arena.table.ticket(ticket["id"])).status == "queued", "for whoever puts it right"


async def test_viewers_see_none_of_it(arena: Arena) -> None:
    viewer = arena.caller(VIEWER_TOKEN)
    for path in ("/admin/disputes", "/players/me", "/stakes/current"):
        assert (await viewer.send("GET", path)).status_code in (401, 403)


# --- the command line -------------------------------------------------------------------------


async def test_the_command_line(dsn: str, table: StakesTable) -> None:
    async def run(*words: str, code: int = 0) -> str:
        done = await handfast(dsn, *words)
        assert done.returncode == code, done.stderr
        return str(done.stdout)

    assert "Nobody is in line." in await run("stakes", "queues")
    session = await table.paired("anna", "ben", 5000)
    await table.rich("cora")
    ticket = await table.stake("cora", 5000)
    listed = json.loads(await run("stakes", "queues", "--json"))
    assert [(line["amount"], line["waiting"]) for line in listed["lines"]] == [(5000, 1)]
    assert "5,000" in await run("stakes", "queues")
    assert f"Ticket {ticket} of" in await run("stakes", "show", str(ticket))
    [claim] = json.loads(await run("stakes", "claims", "--json"))
    assert (claim["outcome"], claim["sessionId"]) == ("paired", session.id)
    assert "They agree." in await run("stakes", "check")
    [found] = json.loads(await run("sessions", "list", "--json"))
    assert (found["id"], found["status"], found["token"]) == (session.id, "waiting", None)
    dispute = await table.stakes.dispute(session.id, session.player1, "why")
    assert "frozen" in await run("sessions", "disputes")
    assert f"Dispute {dispute.id}: open" in await run("sessions", "show", str(session.id))
    winner = str(session.player2)
    await run("sessions", "resolve", str(dispute.id), code=1)
    said = await run("sessions", "resolve", str(dispute.id), "--winner", winner)
    assert f"decided for {winner}" in said
    assert "Nothing waits for a person." in await run("sessions", "disputes")
    await table.ledger.unguarded(
        f"UPDATE handfast_stakes.matchmaking_queue SET stake_amount = 1000 WHERE id = {ticket}"
    )
    assert "of another amount" in await run("stakes", "check", code=1)
    await table.ledger.assert_sound()


async def test_doctor_says_when_nobody_pairs(system: System, table: StakesTable) -> None:
    assert await check_matchmakers(system) is None
    await table.rich("anna")
    await table.stake("anna")
    found = await check_matchmakers(system)
    assert found is not None
    assert (found.verdict, "1 wait in line" in found.found) == ("bad", True)


async def test_alerts_are_raised_and_cleared(database: Database, table: StakesTable) -> None:
    async def raised() -> set[str]:
        await database.run_in_transaction(judge_queue)
        async with database.connection() as connection:
            return {alert.name for alert in await list_alerts(connection) if alert.raised}

    await table.rich("anna", "ben", "cora")
    await table.stake_all(["anna", "ben"])
    late = await table.stake("cora", 5000)
    assert await raised() == set()
    await table.ledger.run(
        "UPDATE handfast_stakes.matchmaking_queue SET queued_at = now() - interval '6 seconds'"
    )
    await table.ledger.run(
        "UPDATE handfast_stakes.matchmaking_queue SET expires_at = now() - interval '61 seconds'"
        " WHERE id = $1",
        late,
    )
    assert await raised() == {PARTNER, OVERDUE}
    await table.stakes.round()
    assert await raised() == set()

    session = await table.paired("dora", "emil", 5000)
    for winner in session.players:
        told = await table.stakes.report(session.id, winner)
    assert told.dispute is not None
    assert not told.dispute.frozen, "no hold is left that the ledger would miss"
    assert await raised() == set()
    await table.ledger.run("UPDATE handfast_stakes.disputes SET deadline = now()")
    assert await raised() == {UNDECIDED}
    await table.stakes.resolve(told.dispute.id, None)
    assert await raised() == set()


async def test_doctor_compares_redis_with_the_line(
    database: Database, dsn: str, table: StakesTable, redis_url: str
) -> None:
    settings = load_settings(redis_key_prefix="doctor:queue:stake:")
    async with GuardedRedis(redis_url, call_seconds=30.0) as redis:
        with_redis = whole_system(settings, database, Target(dsn), redis)
        await table.rich("anna")
        assert await check_redis(with_redis) is None
        ticket = await table.stake("anna")
        found = await check_redis(with_redis)
        assert found is not None
        assert found.found == "1 wait in line, and Redis has 0"
        await redis.client.zadd("doctor:queue:stake:1000", {str(ticket): 1})
        assert await check_redis(with_redis) is None
        await redis.client.set("doctor:queue:stake:5000", "of another type")
        found = await check_redis(with_redis)
        assert found is not None
        assert "WRONGTYPE" in found.found
        await redis.client.delete("doctor:queue:stake:1000", "doctor:queue:stake:5000")


async def test_a_game_whole_has_its_moves_and_what_a_decision_corrected(arena: Arena) -> None:
    anna, ben, session = await arena.game()
    moved = {"number": 1, "type": "throw", "payload": {"hand": "paper"}}
    assert (await anna.send("POST", f"/sessions/{session}/moves", moved)).status_code == 201
    for winner in (anna, ben):  # the second contradicts the first
        result = {"winnerId": str(winner.id)}
        told = await arena.server.send("POST", f"/sessions/{session}/result", result)
    dispute = told.json()["session"]["dispute"]["id"]
    decided = {"winnerId": str(ben.id), "reason": "the log says so"}
    path = f"/admin/disputes/{dispute}/resolve"
    assert (await arena.operator.send("POST", path, decided)).status_code == 200
    whole = (await arena.operator.send("GET", f"/admin/sessions/{session}")).json()
    assert [(move["number"], move["payload"]) for move in whole["made"]] == [(1, {"hand": "paper"})]
    steps = [(one["reference"], one["account"], one["amount"]) for one in whole["money"]]
    assert len(steps) == 4 + 4 + 3 + 2
    assert sorted(steps[-2:]) == [
        (f"dispute:{dispute}", "wallet", -10_000),
        (f"dispute:{dispute}", "wallet", 10_000),
    ]
    assert sum(amount for _, _, amount in steps) == 0
    lines = (await arena.operator.send("GET", "/admin/stakes/queues")).json()
    assert (lines["offered"], lines["fee"], lines["currency"]) == (
        *([1000, 5000, 10_000, 50_000], 1000),
        "EUR",
    )


async def test_a_game_whole_has_what_every_decision_corrected(arena: Arena) -> None:
    """Not only the newest one, which is open here and has moved nothing."""
    anna, ben, session = await arena.game()
    disputes: list[int] = []
    for winner in (anna, ben, anna):  # each contradicts what was known
        result = {"winnerId": str(winner.id)}
        told = await arena.server.send("POST", f"/sessions/{session}/result", result)
        known = told.json()["session"].get("dispute")
        if known is not None:
            disputes.append(known["id"])
            if winner is ben:
                decided = {"winnerId": str(ben.id), "reason": "the log says so"}
                path = f"/admin/disputes/{known['id']}/resolve"
                assert (await arena.operator.send("POST", path, decided)).status_code == 200
    first, second = disputes
    whole = (await arena.operator.send("GET", f"/admin/sessions/{session}")).json()
    assert whole["session"]["dispute"]["id"] == second
    corrected = [one["amount"] for one in whole["money"] if one["reference"] == f"dispute:{first}"]
    assert sorted(corrected) == [-10_000, 10_000]
