"""Now and then somebody reports somebody, and it waits for a person."""

from handfast.apps.safety.reports import NewReport, submit_report
from handfast.apps.safety.rules import ReportCategory, ReportType
from handfast.demo.stage import Stage
from handfast.demo.traffic.pacing import CHANCE, about_every

APART_SECONDS = 45.0
OPEN_MAX = 4  # that wait for a person at one time
WHY = {
    ReportCategory.SCAM: "asked me for money in the second message",
    ReportCategory.HARASSMENT: "writes every hour, and is not kind about it",
    ReportCategory.INAPPROPRIATE_CONTENT: "the third picture",
}

# Two who know each other, and of whom neither has reported the other yet.
_PAIR = """
SELECT m.user1_id AS reporter, m.user2_id AS subject FROM handfast.matches AS m
WHERE m.status = 'active'
  AND NOT EXISTS (SELECT 1 FROM handfast.reports AS r WHERE r.reporter_id = m.user1_id)
ORDER BY m.created_at DESC LIMIT 1"""
_OPEN = "SELECT count(*) FROM handfast.reports WHERE status = 'open'"


async def report(stage: Stage) -> None:
    async for _ in about_every(APART_SECONDS):
        if await stage.ask(_OPEN) >= OPEN_MAX:
            continue
        async with stage.hf.transaction() as tx:
            pair = await tx.fetchrow(_PAIR)
            if pair is not None:
                category = CHANCE.choice(list(WHY))
                made = NewReport(
                    ReportType.USER, pair["subject"], category, description=WHY[category]
                )
                await submit_report(tx, await stage.hf.open(), pair["reporter"], made)
