"""A scene with money: thirty-five players stake, are paired and settle; one finds nobody.

A second telling finds their games played, and moves nothing.
"""

import asyncio
from typing import Any
from uuid import UUID, uuid5

from handfast.apps.stakes.facade import Stakes
from handfast.demo.stage import PATIENCE_SECONDS, ShownFact, Stage
from handfast.services.ledger import rules
from handfast.services.ledger.facade import Ledger

NAMES = UUID("0f2a7a3e-6f0b-4f0c-9a55-6d1f4c3f7a10")
PLAYERS = [uuid5(NAMES, f"player-{number}") for number in range(35)]
MODEST = 24  # of them stake 1000, the others 5000: one of those is left over
FUNDS = 10_000

_PLAYED = "SELECT count(*) FROM handfast.matchmaking_queue WHERE player_id = $1"
_QUEUED = """
SELECT array_agg(id) FROM handfast.matchmaking_queue
WHERE player_id = ANY ($1) AND status = 'queued'"""
_LIVE = """
SELECT array_agg(id ORDER BY id) FROM handfast.game_sessions
WHERE player1 = ANY ($1) AND status IN ('waiting', 'playing')"""
_SETTLED = """
SELECT count(*) FROM handfast.game_sessions WHERE player1 = ANY ($1) AND status = 'settled'"""
_EXPIRED = """
SELECT count(*) FROM handfast.matchmaking_queue
WHERE player_id = ANY ($1) AND status = 'expired'"""
_CREDIT = """
SELECT coalesce(sum(balance), 0)::bigint FROM handfast.accounts
WHERE kind = 'credit' AND owner = ANY ($1)"""
# Who is alone in line: the matchmaker of this process may hold one of two for a moment, and then
# there is no pair for us.
_OVERDUE = """
UPDATE handfast_stakes.matchmaking_queue AS q SET expires_at = handfast_db.now()
WHERE q.id = ANY ($1) AND q.status = 'queued' AND NOT EXISTS (
    SELECT FROM handfast_stakes.matchmaking_queue AS o
    WHERE o.status = 'queued' AND o.stake_amount = q.stake_amount AND o.currency = q.currency
      AND o.id <> q.id)"""


async def stakes(stage: Stage) -> ShownFact:
    """Pots are paid out once, what finds nobody becomes credit, and it all adds up."""
    ledger, table = await stage.hf.ledger(), await stage.hf.stakes()
    async with asyncio.timeout(PATIENCE_SECONDS):
        await asyncio.gather(*(_enter(stage, ledger, table, n) for n in range(len(PLAYERS))))
        await _play(stage, table)
    owners = [str(player) for player in PLAYERS]
    games = await stage.ask(_SETTLED, PLAYERS)
    expired = await stage.ask(_EXPIRED, PLAYERS)
    credited = await stage.ask(_CREDIT, owners)
    trial = await ledger.trial_balance()
    sums = ", ".join(f"{line.kind} {line.balance:,}" for line in trial.lines)
    await table.close()
    await ledger.close()
    return ShownFact(
        "What is staked is paid out once",
        f"{len(PLAYERS)} players, {games} games, {expired} ticket that found nobody is "
        f"{credited:,} of credit; {sums}: together {trial.imbalance}",
        (games, expired, credited, trial.imbalance) == (len(PLAYERS) // 2, 1, 5000, 0),
        hint=f"handfast ledger trial-balance{stage.where}",
    )


async def _enter(stage: Stage, ledger: Ledger, table: Stakes, number: int) -> None:
    player = PLAYERS[number]
    deposit = rules.deposit(f"demo:deposit:{number}", str(player), FUNDS, table.terms.currency)
    await ledger.transfer(deposit)
    if not await stage.ask(_PLAYED, player):
        await table.stake(player, table.terms.amounts[0 if number < MODEST else 1])


async def _play(stage: Stage, table: Stakes) -> None:
    """Until nobody waits: who is left over is paired with nobody, and expires."""
    while True:
        made = await table.round()
        for session in await _ids(stage, _LIVE):
            found = await table.session(session)
            winner = None if session % 3 == 0 else found.players[session % 2]
            await table.report(session, winner)
        queued = await _ids(stage, _QUEUED)
        if not queued:
            return
        if not made:
            await stage.ask(_OVERDUE, queued)


async def _ids(stage: Stage, sql: str) -> list[int]:
    found: Any = await stage.ask(sql, PLAYERS)
    return list(found or ())
