"""It becomes 09:00 in one zone after the other, sped up; people who were offered each other
accept."""

from handfast.apps.offers.rules.actions import OfferAction
from handfast.apps.offers.settings import OfferRules
from handfast.apps.offers.users.acting import act
from handfast.demo.morning import next_nine
from handfast.demo.stage import Stage
from handfast.demo.traffic.pacing import about_every

APART_SECONDS = 12.0
MATCHES_MAX = 40  # open at one time: a demo that is left alone stays small

# Live offers to each other: the newest first.
_PAIR = """
SELECT o.id AS mine, t.id AS theirs, o.user_id AS one, t.user_id AS other
FROM handfast.match_offers AS o
JOIN handfast.match_offers AS t ON t.user_id = o.candidate_id AND t.candidate_id = o.user_id
WHERE o.status = 'offered' AND t.status = 'offered' AND o.user_id < t.user_id
  AND least(o.expires_at, t.expires_at) > handfast_db.now()
ORDER BY o.offered_at DESC, o.id LIMIT 1"""
_OPEN = "SELECT count(*) FROM handfast.matches WHERE status = 'active'"


async def meet(stage: Stage) -> None:
    async for _ in about_every(APART_SECONDS):
        await next_nine(stage.database)
        if await stage.ask(_OPEN) < MATCHES_MAX:
            await _accept(stage)


async def _accept(stage: Stage) -> None:
    async with stage.hf.transaction() as tx:
        pair = await tx.fetchrow(_PAIR)
        if pair is not None:
            for who, offer in ((pair["one"], pair["mine"]), (pair["other"], pair["theirs"])):
                await act(tx, OfferRules(), who, offer, OfferAction.ACCEPT)
