"""Players stake, are paired by the matchmaker of this process, play and are paid; now and then one
disputes a game, and it waits for a person."""

import asyncio
from typing import Any
from uuid import uuid4, uuid5

from handfast.apps.stakes.errors import TicketOpen
from handfast.apps.stakes.facade import Stakes
from handfast.base.errors import Conflict
from handfast.demo.stage import Stage
from handfast.demo.stakes import NAMES
from handfast.demo.traffic.pacing import CHANCE, about_every, one_in
from handfast.services.ledger import rules
from handfast.services.ledger.errors import InsufficientFunds
from handfast.services.ledger.facade import Ledger

PLAYERS = [uuid5(NAMES, f"regular-{number}") for number in range(30)]
APART_SECONDS = 3.0
FUNDS = 100_000
DISPUTES_MAX = 2  # that wait for a person at one time

# Played long enough to have an end.
_TO_END = """
SELECT id, status, player1, player2 FROM handfast.game_sessions
WHERE player1 = ANY ($1) AND status IN ('waiting', 'playing')
  AND created_at < handfast_db.now() - interval '8 seconds'
ORDER BY id LIMIT 20"""
_TO_BEGIN = """
SELECT id, status, player1, player2 FROM handfast.game_sessions
WHERE player1 = ANY ($1) AND status = 'waiting' ORDER BY id LIMIT 20"""
_OPEN_DISPUTES = "SELECT count(*) FROM handfast.disputes WHERE status = 'open'"


async def play(stage: Stage) -> None:
    ledger, table = await stage.hf.ledger(), await stage.hf.stakes()
    async for _ in about_every(APART_SECONDS):
        await _stake(ledger, table)
        await _go_on(stage, table)


async def _stake(ledger: Ledger, table: Stakes) -> None:
    player = CHANCE.choice(PLAYERS)
    amount = CHANCE.choices(table.terms.amounts[:3], weights=(6, 3, 1))[0]
    try:
        await table.stake(player, amount)
    except TicketOpen:
        return
    except InsufficientFunds:
        await ledger.transfer(
            rules.deposit(f"demo:{uuid4()}", str(player), FUNDS, table.terms.currency)
        )
        await table.stake(player, amount)


async def _go_on(stage: Stage, table: Stakes) -> None:
    for game in await _games(stage, _TO_BEGIN):
        await table.move(game["id"], game["player1"], 1, "open", square="e4")
    for game in await _games(stage, _TO_END):
        players = [game["player1"], game["player2"]]
        if one_in(30) and await stage.ask(_OPEN_DISPUTES) < DISPUTES_MAX:
            await table.dispute(game["id"], players[0], "the other one left in the middle")
            continue
        winner = None if one_in(8) else CHANCE.choice(players)
        try:
            await table.report(game["id"], winner)
        except Conflict:  # disputed meanwhile, by somebody at the page
            await asyncio.sleep(0)


async def _games(stage: Stage, sql: str) -> list[Any]:
    async with stage.database.connection() as connection:
        return await connection.fetch(sql, PLAYERS)
