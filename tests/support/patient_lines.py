"""Lines in Redis that stay with whoever has taken them, however long the machine stands still."""

from handfast.apps.stakes.fast.lines import RedisLines, Taken

VISIBLE_MS = 60_000  # the product's two seconds may pass between a claim and its end


class PatientLines(RedisLines):
    async def take(self, most: int, *, visible_ms: int = VISIBLE_MS) -> Taken:
        return await super().take(most, visible_ms=visible_ms)
